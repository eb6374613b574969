"""A directory that is not asked the same thing again and again."""

import time
from collections.abc import Callable
from dataclasses import replace

from bot.expiring import Expiring
from bot.messages import Actor, Conversation
from bot.ports import Directory

_Held = frozenset[str]


class CachedDirectory:
    """A Directory before another one: what it says is believed for `seconds`, then never again. Uses the other one,
    does not close it."""

    def __init__(
        self, directory: Directory, seconds: float, *, most: int = 10_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._directory = directory
        self._people: Expiring[tuple[Actor, _Held], _Held] = Expiring(seconds, most=most, clock=clock)
        self._readers: Expiring[tuple[Conversation, _Held], frozenset[_Held] | None] = Expiring(
            seconds, most=most, clock=clock
        )

    @property
    def kind(self) -> str:
        return self._directory.kind

    async def of_person(self, actor: Actor, members: frozenset[str]) -> frozenset[str]:
        return await self._people.get((actor, members), lambda: self._directory.of_person(actor, members))

    async def of_each_reader(
        self, conversation: Conversation, members: frozenset[str]
    ) -> frozenset[frozenset[str]] | None:
        channel = replace(conversation, thread="")  # who reads the one reads the other
        return await self._readers.get((channel, members), lambda: self._directory.of_each_reader(channel, members))

    async def empty(self, members: frozenset[str]) -> frozenset[str]:
        return await self._directory.empty(members)

    async def aclose(self) -> None:
        """Gives up what is being asked for."""
        await self._people.aclose()
        await self._readers.aclose()
