"""Threads in which the bot speaks: there a question needs no mention."""

from dataclasses import dataclass

from bot.memory import conversation_key
from bot.messages import Conversation
from bot.ports import Claims
from bot.posted import PostedMessages, Subject
from rag_core.errors import Unavailable


@dataclass(frozen=True, slots=True)
class ThreadsWithBot:
    """Where the bot has answered (`posted`), or was asked a while ago and may still be at work (`claims`)."""

    claims: Claims | None = None
    posted: PostedMessages | None = None

    async def enter(self, conversation: Conversation) -> None:
        """It was asked in this thread."""
        if self.claims is not None and conversation.thread:
            try:
                await self.claims.claim(_key(conversation))
            except Unavailable:
                return

    async def has(self, conversation: Conversation) -> bool:
        """False where it is not known. Threads below escalations and alerts are people's."""
        if not conversation.thread:
            return False
        try:
            if self.claims is not None and await self.claims.is_claimed(_key(conversation)):
                return True
            return await self._has_answered(conversation)
        except Unavailable:
            return False

    async def _has_answered(self, where: Conversation) -> bool:
        if self.posted is None:
            return False
        found = await self.posted.in_thread(where.platform, where.workspace, where.channel, where.thread)
        return any(each.subject is Subject.ANSWER for each in found)


def _key(conversation: Conversation) -> str:
    return f"thread:{conversation_key(conversation)}"
