"""Pacing of posts: chat platforms accept a limited number of messages a second in a channel."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from bot.model.messages import Conversation
from rag_core.errors import Unavailable


class PostingPace(Protocol):
    """Turns to post, one after the other by name. Raises Unavailable."""

    async def turn(self, name: str, seconds: float, longest: float) -> float:
        """Seconds until it is our turn (0: now), after which the next one waits for `seconds`. More than `longest`:
        nothing was reserved, ask again later."""
        ...


class SteadyPace:
    """Turns over all processes, or while those are not to be had, of this one."""

    def __init__(self, shared: PostingPace, own: PostingPace) -> None:
        self._shared = shared
        self._own = own

    async def turn(self, name: str, seconds: float, longest: float) -> float:
        try:
            return await self._shared.turn(name, seconds, longest)
        except Unavailable:
            return await self._own.turn(name, seconds, longest)


def channel_name(conversation: Conversation) -> str:
    """The name under which all that is posted in a channel takes turns."""
    return f"{conversation.platform}:{conversation.workspace}:{conversation.channel}"


@dataclass(frozen=True, slots=True)
class PostingTurns:
    """Seconds. `every`: between two messages in a channel. `longest`: what is waited for here; what takes longer goes
    back to where it came from. `code`: of the error that says so."""

    pace: PostingPace
    every: float
    longest: float
    code: str
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def wait(self, name: str, longest: float | None = None) -> None:
        """Until something may be posted in a channel. Raises Unavailable where that is longer than `longest` seconds:
        then no turn was taken, and only this channel is to be left alone."""
        most = self.longest if longest is None else longest
        seconds = await self.pace.turn(name, self.every, most)
        if seconds > most:
            # not all at once when it is over
            raise Unavailable(self.code, retry_after=seconds - most / 2, delivered="no", only="channel")
        if seconds > 0:
            await self.sleep(seconds)
