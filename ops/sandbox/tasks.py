"""What a pretended platform does beside what it was asked for, now or at its time; waiting for what happens, and
counting what happened within the last seconds."""

import asyncio
import contextlib
import heapq
import itertools
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine, Hashable
from datetime import datetime
from typing import Generic, TypeVar

Thing = TypeVar("Thing")
_LOOK_SECONDS = 0.1


class Tasks(Generic[Thing]):
    """Carries things out by `act`, each in a task of its own; what waits for its time goes by `clock`."""

    def __init__(self, act: Callable[[Thing], Coroutine[object, object, None]], clock: Callable[[], datetime]) -> None:
        self._act = act
        self._clock = clock
        self._later: list[tuple[datetime, int, Thing]] = []
        self._numbers = itertools.count()
        self._ticking: asyncio.Task[None] | None = None
        self.running: set[asyncio.Task[None]] = set()

    @property
    def pending(self) -> int:
        """How many wait for their time."""
        return len(self._later)

    def start(self, thing: Thing) -> None:
        task = asyncio.create_task(self._act(thing))
        self.running.add(task)
        task.add_done_callback(self.running.discard)

    def start_at(self, due: datetime, thing: Thing) -> None:
        """Of one time, the first that was added comes first."""
        heapq.heappush(self._later, (due, next(self._numbers), thing))

    def catch_up(self) -> None:
        """Starts what is due by now."""
        while self._later and self._later[0][0] <= self._clock():
            self.start(heapq.heappop(self._later)[2])

    def tick(self) -> None:
        """From now on starts what becomes due, until `stop`."""
        self._ticking = asyncio.create_task(self._tick())

    async def settled(self) -> None:
        """Until nothing is under way; what waits for its time is not waited for."""
        while self.running:
            await asyncio.wait(set(self.running))

    async def stop(self) -> None:
        tasks = [*self.running, *([self._ticking] if self._ticking else [])]
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            self.catch_up()


class Waiting:
    """Looks again whenever something has changed, and now and then: what the bot heard changes nothing here."""

    def __init__(self) -> None:
        self._changed = asyncio.Event()

    def changed(self) -> None:
        self._changed.set()

    async def until(self, holds: Callable[[], bool], seconds: float) -> None:
        """TimeoutError when that takes longer."""
        async with asyncio.timeout(seconds):
            while not holds():
                self._changed.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_SECONDS):
                        await self._changed.wait()


class Windows:
    """Sliding windows by key."""

    def __init__(self) -> None:
        self._times: defaultdict[tuple[Hashable, float], deque[float]] = defaultdict(deque)

    def wait(self, key: Hashable, seconds: float, most: int, now: float) -> float:
        """Seconds until one more fits into a window of `seconds`, 0 for now."""
        times = self._times[key, seconds]
        while times and times[0] <= now - seconds:
            times.popleft()
        return 0.0 if len(times) < most else times[0] + seconds - now

    def note(self, key: Hashable, seconds: float, now: float) -> None:
        self._times[key, seconds].append(now)
