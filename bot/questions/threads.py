"""Threads in which the bot answers without a mention, and which messages it listens to."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date

from bot.model.channels import ChannelPreferences, ChannelSettings
from bot.model.memory import conversation_key
from bot.model.messages import Conversation
from bot.model.posted import PostedMessages, Subject
from bot.ports import Claims
from bot.questions.addressing import Said, follows_up, mention_asks
from rag_core.documents import PolicySource
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


EDIT_SECONDS = 600.0
"""How long after it was written an edited question is asked again."""

_LOOK_SECONDS = 1.5
"""A follow-up without a mention that is not known to be one by then is not answered, and nobody asks again."""
_SETTINGS_SECONDS = 0.8


@dataclass(frozen=True, slots=True)
class Hearing:
    """`sources`: the platforms that everybody may know of; it never waits long, and never raises. `threads` None:
    nothing is heard without a mention. `settings` None: nothing is set in any channel."""

    sources: Callable[[], Awaitable[Sequence[PolicySource]]]
    threads: ThreadsWithBot | None = None
    settings: ChannelSettings | None = None

    async def is_asked(self, said: Said, where: Conversation, today: date, *, is_direct: bool, is_reply: bool) -> bool:
        """Whether it is said to the bot: in a conversation of one person with it (`is_direct`), by a mention, or as a
        follow-up (`is_reply`) in a thread in which it speaks."""
        if is_direct:
            return True
        if said.mentions_bot:
            return mention_asks(said)
        if not is_reply or not follows_up(said, today, await self.sources()):
            return False
        return await self._is_with_bot(where)

    async def preferences_of(self, platform: str, workspace: str, channel: str) -> ChannelPreferences | None:
        """What the channel's admins have set; None where that is not known just now."""
        if self.settings is None:
            return ChannelPreferences()
        try:
            async with asyncio.timeout(_SETTINGS_SECONDS):
                return await self.settings.of(platform, workspace, channel)
        except (Unavailable, TimeoutError):
            return None

    async def _is_with_bot(self, where: Conversation) -> bool:
        """Whether the bot speaks in its thread, and may be asked there without a mention. No, where it is not known."""
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                if self.threads is None or not await self.threads.has(where):
                    return False
        except TimeoutError:
            return False
        preferences = await self.preferences_of(where.platform, where.workspace, where.channel)
        return preferences is not None and preferences.follow_ups
