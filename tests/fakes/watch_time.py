"""Time for a watch under test: sleeping moves the clock, and things happen on the way."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from ingest.watch.news import Looked, News
from ingest.watch.service import Surroundings


class TimeUp(Exception):
    """The time that a test gave a watch is over."""


@dataclass
class WatchTime:
    """`events`: what happens when the clock comes by. `chance`: what the delays are drawn from."""

    now: datetime = field(default_factory=lambda: datetime(2026, 6, 1, 12, tzinfo=UTC))
    chance: float = 0.0
    news: list[News] = field(default_factory=list)
    events: dict[datetime, Callable[[], object]] = field(default_factory=dict)
    until: datetime | None = None
    slept: list[float] = field(default_factory=list)

    def around(self) -> Surroundings:
        return Surroundings(lambda: self.now, self.sleep, lambda: self.chance, self.news.append)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
        self.slept.append(seconds)
        self.now += timedelta(seconds=max(seconds, 0.001))
        for at in sorted(each for each in self.events if each <= self.now):
            self.events.pop(at)()
        if self.until is not None and self.now >= self.until:
            raise TimeUp

    def looks(self) -> list[tuple[str, str]]:
        """Each look so far: the source, and the time of day."""
        return [(each.source_id, f"{each.at:%d %H:%M}") for each in self.news if isinstance(each, Looked)]

    def kinds(self) -> list[str]:
        """What was told, in order, by kind."""
        return [type(each).__name__ for each in self.news]
