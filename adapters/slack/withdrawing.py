"""A message was deleted: the answer to it goes as well, unless somebody else goes on with it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from adapters.slack.web_api import SlackClients, called
from bot.access.pseudonyms import Pseudonyms
from bot.model.messages import Actor
from bot.model.posted import Posted, PostedMessages
from bot.questions.withdrawal import AnswersTo
from rag_core.errors import Rejected, Unavailable

_MOST_REPLIES = 200


@dataclass(frozen=True, slots=True)
class Withdrawing:
    """For `SlackParts.withdraw`. Raises Unavailable, Rejected as `called`."""

    clients: SlackClients
    posted: PostedMessages
    pseudonyms: Pseudonyms
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def withdraw(self, team: str, channel: str, ts: str, enterprise: str = "") -> bool:
        """Whether an answer to the message `ts` was removed. Where it cannot be known who replied, it stays."""
        answer = await AnswersTo(self.posted, self.sleep).find("slack", team, channel, ts)
        if answer is None or await self._is_gone_on_with(answer, enterprise):
            return False
        client = await self.clients.of(team, enterprise)
        try:
            await called(client.chat_delete(channel=channel, ts=answer.place.message))
        except Rejected as exc:
            if exc.details.get("error") != "message_not_found":
                raise
        await self.posted.remove(answer.place)
        return True

    async def _is_gone_on_with(self, answer: Posted, enterprise: str) -> bool:
        place = answer.place
        ours = await self.posted.in_thread("slack", place.workspace, place.channel, place.thread)
        if any(each.person != answer.person and _after(each.place.message, place.message) for each in ours):
            return True  # somebody else asked on there
        client = await self.clients.of(place.workspace, enterprise)
        try:
            found = await called(
                client.conversations_replies(
                    channel=place.channel, ts=place.thread, oldest=place.message, limit=_MOST_REPLIES
                )
            )
        except Rejected as exc:
            # without a thread nobody can have replied; anything else is unknown
            return exc.details.get("error") != "thread_not_found"
        except Unavailable:
            return True
        if found.get("has_more"):
            return True
        messages = found.get("messages")
        known = {each.place.message for each in ours}
        return any(self._is_others(each, answer, known) for each in (messages if isinstance(messages, list) else []))

    def _is_others(self, message: Any, answer: Posted, ours: set[str]) -> bool:
        """Neither ours nor the asker's, and after the answer."""
        if not isinstance(message, Mapping):
            return False
        ts, user = str(message.get("ts") or ""), str(message.get("user") or "")
        if ts in ours or not _after(ts, answer.place.message):
            return False
        asker = Actor("slack", answer.place.workspace, user)
        return not user or self.pseudonyms.of(asker) != answer.person


def _after(ts: str, other: str) -> bool:
    try:
        return float(ts) > float(other)
    except ValueError:
        return True
