"""Keeps the index level with the store, without a hand: what was lost is built anew, what waits is handed on."""

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from ingest.indexing import INDEX_WORK, compare, drain, rebuild_index
from ingest.parts import IndexingParts
from ingest.ports import LeaderLease, OutboxLag
from rag_core.errors import Rejected

_CODE = re.compile(r"[a-z][a-z0-9_]*")


class IndexEvents(Protocol):
    """Hears how it goes. `index_trouble` comes for every round that failed, so that the figures show how long."""

    def index_rebuilt(self, code: str) -> None: ...

    def index_followed(self, versions: int, at_timestamp: float) -> None: ...

    def index_trouble(self, error: Exception) -> None: ...

    def outbox_failing(self, failing: int, waiting: int, code: str) -> None: ...


@dataclass(frozen=True, slots=True)
class KeepingPace:
    """Seconds. `idle` between two rounds; while something is down, twice as long each time up to `longest`.

    `look_inside`: how often it is checked that the index has everything as the store has it. For 100,000 chunks that
    took 5 s with LocalIndex and 9 s with OpenSearch, nearly all of it work of this process. Besides, after every
    failure and every rebuild: what comes back may have come back empty.
    """

    idle: float = 2.0
    longest: float = 60.0
    look_inside: float = 600.0


class IndexKeeping:
    """One of these in each server; the lease lets only one of them work at a time."""

    def __init__(
        self,
        parts: IndexingParts,
        lease: LeaderLease,
        events: IndexEvents,
        *,
        pace: KeepingPace = KeepingPace(),
        now: Callable[[], float] = time.monotonic,
        timestamp: Callable[[], float] = time.time,
        chance: Callable[[], float] = random.random,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._parts = parts
        self._lease = lease
        self._events = events
        self._pace = pace
        self._now = now
        self._timestamp = timestamp
        self._chance = chance
        self._sleep = sleep
        self._look_inside_at = float("-inf")
        self._not_taken: set[str] = set()
        self._failing = 0
        self._rebuilds_in_a_row = 0
        self._has_just_built = False

    async def run(self) -> None:
        """Until cancelled. Nothing that goes wrong ends it."""
        failures = 0
        while True:
            try:
                await self.keep()
                failures = max(0, self._rebuilds_in_a_row - 1)  # one that does not last must not be built for ever
            except Exception as exc:  # noqa: BLE001 - told, and tried again
                failures += 1
                self._look_again()
                self._events.index_trouble(exc)
            await self._sleep(self._pause(failures))

    async def keep(self) -> bool:
        """One round; False when another process has the work. Raises Unavailable, and what `rebuild_index` does."""
        parts = self._parts
        async with self._lease.hold(INDEX_WORK, 0) as is_ours:
            if not is_ours:
                return False
            lost = "" if await parts.writer.is_current() else "not_current"
            learned = 0
            if not lost:
                learned = await drain(parts.outbox, parts.embeddings, parts.writer, parts.embedder)
                lost = await self._what_differs()
            if lost:
                self._rebuilds_in_a_row += 1
                await rebuild_index(parts.outbox, parts.embeddings, parts.writer, parts.embedder)
                self._look_again(has_just_built=True)
                self._events.index_rebuilt(lost)
            else:
                self._rebuilds_in_a_row = 0
            self._events.index_followed(learned, self._timestamp())
        self._tell(await parts.outbox.lag())
        return True

    async def _what_differs(self) -> str:
        """Looks seldom: "incomplete" or "differs" when the index is behind in what nobody is about to tell it.

        What differs even after a rebuild it does not take: that is reported, and no reason to build again.
        """
        if self._now() < self._look_inside_at:
            return ""
        found = await compare(self._parts.outbox, await self._parts.writer.indexed())
        differing = found.differing
        if differing:  # what waits or was refused has an item, what comes in meanwhile as well
            differing -= {item.doc_id for item in await self._parts.outbox.waiting()}
        self._not_taken &= differing
        if differing - self._not_taken:
            if not self._has_just_built:
                return "incomplete" if differing & set(found.only_in_store.values()) else "differs"
            self._not_taken |= differing
            self._events.index_trouble(Rejected("index_refuses_versions", versions=len(differing)))
        self._look_inside_at, self._has_just_built = self._now() + self._pace.look_inside, False
        return ""

    def _look_again(self, *, has_just_built: bool = False) -> None:
        """In the next round. What differs directly after a rebuild was not taken; after a failure it may be lost."""
        self._look_inside_at, self._has_just_built = float("-inf"), has_just_built

    def _tell(self, lag: OutboxLag) -> None:
        if lag.failing > self._failing:
            code = _CODE.match(lag.last_reason or "")
            self._events.outbox_failing(lag.failing, lag.waiting, code[0] if code else "unknown")
        self._failing = lag.failing

    def _pause(self, failures: int) -> float:
        """Jitter, so that many servers do not come back at the same moment."""
        if not failures:
            return self._pace.idle
        longest = min(self._pace.idle * 2.0 ** min(failures, 16), self._pace.longest)
        return longest * (0.5 + self._chance() / 2)
