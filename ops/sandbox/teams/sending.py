"""When things are sent: invokes once, all else again where it was not taken, and whatever disorder a test asks for."""

import asyncio
import itertools
from dataclasses import dataclass
from datetime import timedelta

from ops.sandbox.teams.deliveries import Answered, Carrier, Delivery, not_sent
from ops.sandbox.teams.messages import Clock
from ops.sandbox.to_come import Later
from ops.sandbox.under_way import UnderWay

AGAIN_AFTER = timedelta(seconds=15)
MOST_ATTEMPTS = 3
"""Teams does not say how often; it is not for ever."""

_TRIED_AGAIN = frozenset({0, 408, 412, 429})


@dataclass(slots=True)
class Disorder:
    """What tests may ask for. `duplicate_every` n: each n-th activity comes twice. `slow`: seconds before each.
    `held` is None, or what is kept back until `Sending.release`."""

    duplicate_every: int = 0
    slow: float = 0.0
    held: list[Delivery] | None = None


class Sending:
    """`attempts`: everything that was sent, with what was answered."""

    def __init__(self, carrier: Carrier, clock: Clock) -> None:
        self.disorder = Disorder()
        self.attempts: list[Answered] = []
        self.again = True
        """Whether what was not taken is sent again 15 s later."""
        self._carrier = carrier
        self._clock = clock
        self._later: Later[tuple[Delivery, int]] = Later()
        self._under_way = UnderWay()
        self._sent = itertools.count(1)

    async def once(self, delivery: Delivery, attempt: int = 0) -> Answered:
        """One attempt, whatever comes of it."""
        seen = await self._carrier.carry(delivery, attempt)
        self.attempts.append(seen)
        return seen

    async def deliver(self, delivery: Delivery) -> Answered:
        if self.disorder.held is not None and not delivery.is_invoke:
            self.disorder.held.append(delivery)
            return not_sent("held")
        if self.disorder.slow:
            await asyncio.sleep(self.disorder.slow)
        every = self.disorder.duplicate_every
        if every and not delivery.is_invoke and next(self._sent) % every == 0:
            self._under_way.start(self._again_now(delivery))
        return await self._tried(delivery, 0)

    def hold(self) -> None:
        self.disorder.held = []

    async def release(self, *, reverse: bool = False) -> list[Answered]:
        """Sends what was held, one after the other, in order or the other way round."""
        held, self.disorder.held = self.disorder.held or [], None
        return [await self.deliver(each) for each in (reversed(held) if reverse else held)]

    @property
    def pending(self) -> int:
        """Deliveries that wait for their time."""
        return len(self._later)

    def catch_up(self) -> None:
        """Starts what is due by now."""
        for delivery, attempt in self._later.due(self._clock()):
            self._under_way.start(self._retry(delivery, attempt))

    async def settled(self) -> None:
        await self._under_way.settled()

    def tick(self) -> None:
        """From now on starts what becomes due."""
        self._under_way.tick(self.catch_up)

    async def stop(self) -> None:
        await self._under_way.stop()

    async def _tried(self, delivery: Delivery, attempt: int) -> Answered:
        seen = await self.once(delivery, attempt)
        failed = seen.status in _TRIED_AGAIN or seen.status >= 500
        if failed and self.again and not delivery.is_invoke and attempt + 1 < MOST_ATTEMPTS:
            self._later.add(self._clock() + AGAIN_AFTER, (delivery, attempt + 1))
        return seen

    async def _retry(self, delivery: Delivery, attempt: int) -> None:
        await self._tried(delivery, attempt)

    async def _again_now(self, delivery: Delivery) -> None:
        await self.once(delivery, 1)
