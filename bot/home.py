"""What somebody sees who opens the bot: his own questions, what he can ask, and how it is with the sources."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from bot.access import Access
from bot.messages import Actor
from bot.pseudonyms import Pseudonyms
from bot.subscriptions import Subscription, Subscriptions
from rag_core.deadlines import within
from rag_core.errors import Unavailable

MOST_RECENT = 5
MOST_SECONDS = 4.0
"""How long somebody looks at the tab as it was before."""

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class RecentQuestion:
    answer_id: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """`name`: the publisher's. `read_at`: when the last look ended, None for never by itself. `failing`: it failed."""

    name: str
    read_at: datetime | None
    failing: bool


class HomeReading(Protocol):
    """Raises Unavailable."""

    async def recent(self, platform: str, workspace: str, person: str, most: int) -> tuple[RecentQuestion, ...]:
        """What this person asked there, the newest first, each text once. `person`: as records know people."""
        ...

    async def statuses(self) -> tuple[SourceStatus, ...]:
        """Of the publishers of documents that everybody may see."""
        ...


class FirstQuestions(Protocol):
    """`bot.starters.Starters`."""

    async def of(self, groups: frozenset[str]) -> tuple[str, ...]:
        """From documents that somebody in these groups may see. Raises Unavailable."""
        ...


class InChannels(Protocol):
    """Which of the channels a person is in; those of which it is not known are left out. Raises Unavailable."""

    async def __call__(self, actor: Actor, channels: frozenset[str]) -> frozenset[str]: ...


@dataclass(frozen=True, slots=True)
class Home:
    """None: could not be read in time."""

    recent: tuple[RecentQuestion, ...] | None = None
    starters: tuple[str, ...] | None = None
    subscriptions: tuple[Subscription, ...] | None = None
    sources: tuple[SourceStatus, ...] | None = None


class HomeReader:
    """Reads all parts at once, and gives up after `seconds` on those that are slow."""

    def __init__(
        self,
        reading: HomeReading,
        starters: FirstQuestions,
        access: Access,
        pseudonyms: Pseudonyms,
        *,
        subscriptions: Subscriptions | None = None,
        in_channels: InChannels | None = None,
        seconds: float = MOST_SECONDS,
    ) -> None:
        self._reading = reading
        self._starters = starters
        self._access = access
        self._pseudonyms = pseudonyms
        self._subscriptions = subscriptions
        self._in_channels = in_channels
        self._seconds = seconds

    async def read(self, actor: Actor, *, public_only: bool = False) -> Home:
        """`public_only`: as if he were in no group."""
        person = self._pseudonyms.of(actor)
        recent, starters, subscriptions, sources = await asyncio.gather(
            self._in_time(self._reading.recent(actor.platform, actor.workspace, person, MOST_RECENT)),
            self._in_time(self._for_him(actor, public_only=public_only)),
            self._in_time(self._of_his_channels(actor)),
            self._in_time(self._reading.statuses()),
        )
        return Home(recent, starters, subscriptions, sources)

    async def _for_him(self, actor: Actor, *, public_only: bool) -> tuple[str, ...]:
        if public_only:
            return await self._starters.of(frozenset())
        return await self._starters.of((await self._access.audience(actor, None, private=True)).groups)

    async def _of_his_channels(self, actor: Actor) -> tuple[Subscription, ...]:
        """Those of other channels are not his to know of: a private one would be named."""
        if self._subscriptions is None or self._in_channels is None:
            return ()
        found = await self._subscriptions.of_workspace(actor.platform, actor.workspace)
        his = await self._in_channels(actor, frozenset(each.channel for each in found)) if found else frozenset()
        return tuple(each for each in found if each.channel in his)

    async def _in_time(self, part: Awaitable[Part]) -> Part | None:
        try:
            async with within(self._seconds):
                return await part
        except (Unavailable, TimeoutError):
            return None
