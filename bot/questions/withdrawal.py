"""Withdrawal: the answer to a deleted message is deleted as well."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.model.posted import Posted, PostedMessages

_LOOKS = (0.0, 3.0, 10.0, 30.0, 60.0, 120.0)
"""Seconds before each look for the answer: it may be on its way, in another process, and a model may be slow."""


@dataclass(frozen=True, slots=True)
class AnswersTo:
    """Raises Unavailable."""

    posted: PostedMessages
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def find(self, platform: str, workspace: str, channel: str, asked_in: str) -> Posted | None:
        """The answer to a person's message, waited for; None where there came none."""
        for wait in _LOOKS:
            if wait:
                await self.sleep(wait)
            if found := await self.posted.answering(platform, workspace, channel, asked_in):
                return found
        return None
