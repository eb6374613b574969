"""What is still to come of a pretended platform: by name, in turn; or by its time."""

import heapq
import itertools
from collections import defaultdict, deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class InTurn(Generic[Thing]):
    """The next things of each name."""

    def __init__(self) -> None:
        self._queues: defaultdict[str, deque[Thing]] = defaultdict(deque)

    def add(self, name: str, thing: Thing, times: int = 1) -> None:
        self._queues[name].extend([thing] * times)

    def clear(self) -> None:
        self._queues.clear()

    def next(self, name: str) -> Thing | None:
        queue = self._queues.get(name)
        return queue.popleft() if queue else None


@dataclass(order=True, slots=True)
class _Later(Generic[Thing]):
    due: datetime
    number: int
    thing: Thing = field(compare=False)


class Later(Generic[Thing]):
    """Things with a time; of one time, the first that was added comes first."""

    def __init__(self) -> None:
        self._heap: list[_Later[Thing]] = []
        self._numbers = itertools.count()

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, due: datetime, thing: Thing) -> None:
        heapq.heappush(self._heap, _Later(due, next(self._numbers), thing))

    def due(self, now: datetime) -> list[Thing]:
        """Takes out what is due."""
        found: list[Thing] = []
        while self._heap and self._heap[0].due <= now:
            found.append(heapq.heappop(self._heap).thing)
        return found
