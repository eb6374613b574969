"""Looks now and then at what waits: a scrape must cost nothing, and may not hang on a database that does."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

from bot.ports import Spool
from bot.questions.spool import ANSWERS, QUESTIONS
from ingest.ports import OutboxLag
from ops.monitoring.metrics import Backlog, Metrics
from rag_core.deadlines import within

SAMPLE_SECONDS = 10.0
_LOOK_SECONDS = 5.0

Look = Callable[[], Awaitable[Backlog]]


class Sampler:
    """Fills the gauges of the backlogs, and keeps what it saw for `/readyz`. `looks`: "inbox", "notices", "outbox",
    "spool"."""

    def __init__(
        self,
        looks: Mapping[str, Look],
        metrics: Metrics,
        *,
        every_seconds: float = SAMPLE_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._looks = looks
        self._metrics = metrics
        self._every = every_seconds
        self._now = now
        self._seen: dict[str, tuple[float, Backlog | None]] = {}

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self.sample()
            await asyncio.sleep(self._every)

    async def sample(self) -> None:
        """Look at everything once."""
        await asyncio.gather(*(self._sample(name, look) for name, look in self._looks.items()))

    def seen(self, name: str) -> Backlog | None:
        """What was seen last; None where nothing was to be seen, or only long ago."""
        at, backlog = self._seen.get(name, (float("-inf"), None))
        return backlog if self._now() - at <= 3 * self._every + _LOOK_SECONDS else None

    async def _sample(self, name: str, look: Look) -> None:
        backlog: Backlog | None = None
        try:
            async with within(_LOOK_SECONDS):
                backlog = await look()
        except Exception:  # noqa: BLE001, S110 - whatever it is, it is counted, and the figures go on
            pass
        self._seen[name] = (self._now(), backlog)
        self._metrics.backlog(name, backlog)


def look_at_outbox(lag: Callable[[], Awaitable[OutboxLag]], now: Callable[[], datetime]) -> Look:
    """How far the index is behind the store. `now` is UTC."""

    async def look() -> Backlog:
        found = await lag()
        return Backlog(found.waiting, _age(found.oldest, now()), found.failing)

    return look


def look_at_inbox(backlog: Callable[[], Awaitable[tuple[int, datetime | None]]], now: Callable[[], datetime]) -> Look:
    """Questions that nobody has begun to answer: how many, and since when the oldest waits. `now` is UTC."""

    async def look() -> Backlog:
        waiting, oldest = await backlog()
        return Backlog(waiting, _age(oldest, now()))

    return look


def look_at_notices(
    backlog: Callable[[], Awaitable[tuple[int, int, datetime | None]]], now: Callable[[], datetime]
) -> Look:
    """Messages that nobody asked for and that are not sent yet: how many, how many of them failed before, and since
    when the oldest waits. `now` is UTC."""

    async def look() -> Backlog:
        waiting, failing, oldest = await backlog()
        return Backlog(waiting, _age(oldest, now()), failing)

    return look


def look_at_spool(spool: Spool) -> Look:
    """What the database has not been told. `spool` must be an object that nobody else uses: one remembers what was
    read through it, so as not to remove what was replaced since."""

    async def look() -> Backlog:
        waiting = 0
        for kind in (QUESTIONS, ANSWERS):
            async for _ in spool.entries(kind):
                waiting += 1
        return Backlog(waiting)

    return look


def _age(oldest: datetime | None, now: datetime) -> float:
    """Seconds; never negative, though the database's clock may be ahead of ours."""
    return max(0.0, (now - oldest).total_seconds()) if oldest else 0.0
