"""When things are sent: commands once, events again if they fail, and whatever disorder a test asks for."""

import asyncio
import contextlib
import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from ops.sandbox.slack.deliveries import Acknowledgement, Carrier, Delivery, Retry
from ops.sandbox.slack.workspace import Clock
from ops.sandbox.to_come import Later
from ops.sandbox.under_way import UnderWay, Work

RETRY_AFTER = (timedelta(0), timedelta(minutes=1), timedelta(minutes=5))
HOUR = timedelta(hours=1)
FEWEST_TO_DISABLE = 1_000
WORST_SHARE = 0.95


@dataclass(slots=True)
class Disorder:
    """What tests may ask for. `duplicate_every` n: each n-th event comes twice; `duplicates` times over.

    `held` is None, or the events that are kept back until `Sending.release`.
    """

    duplicate_every: int = 0
    duplicates: int = 1
    duplicate_after: timedelta = timedelta(0)
    held: list[Delivery] | None = None


class Sending:
    """Events are tried four times: at once, again at once, after a minute, after five, by the stand-in's clock.

    An app that fails 95 of 100 in an hour of 1,000 events or more gets no more of them: `is_enabled` False.
    """

    def __init__(self, carrier: Carrier, clock: Clock, *, fewest_to_disable: int = FEWEST_TO_DISABLE) -> None:
        self.is_enabled = True
        self.disorder = Disorder()
        self.attempts: list[Acknowledgement] = []
        self._carrier = carrier
        self._clock = clock
        self._fewest = fewest_to_disable
        self._under_way = UnderWay()
        self._collected: list[asyncio.Task[None]] | None = None
        self._later: Later[tuple[Delivery, Retry]] = Later()
        self._events = itertools.count(1)
        self._outcomes: deque[tuple[datetime, bool]] = deque()
        self._failed = 0

    async def once(self, delivery: Delivery, retry: Retry | None = None, age_seconds: float = 0.0) -> Acknowledgement:
        """One attempt, whatever comes of it."""
        seen = await self._carrier.carry(delivery, retry, age_seconds)
        self.attempts.append(seen)
        return seen

    def publish(self, delivery: Delivery) -> None:
        """An event, sent from a task of its own."""
        if self.disorder.held is not None:
            self.disorder.held.append(delivery)
        elif self.is_enabled:
            self._start(self._deliver(delivery, None))
            every = self.disorder.duplicate_every
            if every and next(self._events) % every == 0:
                for number in range(1, self.disorder.duplicates + 1):
                    self._again(self._clock() + self.disorder.duplicate_after, delivery, Retry(number))
                self.catch_up()

    def hold(self) -> None:
        """Events are kept back from now on."""
        self.disorder.held = []

    def release(self, *, reverse: bool = False) -> None:
        """Sends what was held, in order or the other way round."""
        held, self.disorder.held = self.disorder.held or [], None
        for each in reversed(held) if reverse else held:
            self.publish(each)

    def catch_up(self) -> None:
        """Starts what is due by now."""
        for delivery, retry in self._later.due(self._clock()):
            self._start(self._deliver(delivery, retry))

    @property
    def pending(self) -> int:
        """Deliveries that wait for their time."""
        return len(self._later)

    @contextlib.contextmanager
    def collecting(self) -> Iterator[list["asyncio.Task[None]"]]:
        """The tasks that are started meanwhile; nothing may be awaited inside."""
        self._collected = []
        try:
            yield self._collected
        finally:
            self._collected = None

    async def settled(self) -> None:
        """Until nothing is under way; what waits for its time is not waited for."""
        await self._under_way.settled()

    def tick(self) -> None:
        """From now on starts what becomes due."""
        self._under_way.tick(self.catch_up)

    async def stop(self) -> None:
        await self._under_way.stop()

    def _start(self, work: Work) -> None:
        task = self._under_way.start(work)
        if self._collected is not None:
            self._collected.append(task)

    async def _deliver(self, delivery: Delivery, retry: Retry | None) -> None:
        seen = await self.once(delivery, retry)
        self._count(not seen.error)
        number = retry.number if retry else 0
        if not seen.error or seen.no_retry or number >= len(RETRY_AFTER) or not self.is_enabled:
            return
        following = Retry(number + 1, _reason(seen))
        if RETRY_AFTER[number]:
            self._again(self._clock() + RETRY_AFTER[number], delivery, following)
        else:
            await self._deliver(delivery, following)

    def _again(self, due: datetime, delivery: Delivery, retry: Retry) -> None:
        self._later.add(due, (delivery, retry))

    def _count(self, went_well: bool) -> None:
        now = self._clock()
        self._outcomes.append((now, went_well))
        self._failed += not went_well
        while self._outcomes and self._outcomes[0][0] <= now - HOUR:
            self._failed -= not self._outcomes.popleft()[1]
        if len(self._outcomes) >= self._fewest and self._failed > WORST_SHARE * len(self._outcomes):
            self.is_enabled = False


def _reason(seen: Acknowledgement) -> str:
    """`x-slack-retry-reason`."""
    if seen.error == "operation_timeout":
        return "http_timeout"
    return "http_error" if seen.status else "connection_failed"
