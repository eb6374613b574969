"""What a pretended platform does beside what it was asked for."""

import asyncio
from collections.abc import Callable, Coroutine

Work = Coroutine[object, object, None]


class UnderWay:
    """Tasks of its own."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._ticking: asyncio.Task[None] | None = None

    def start(self, work: Work) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def tick(self, act: Callable[[], None], seconds: float = 0.1) -> None:
        """Does it again and again, until `stop`; nothing waits for that."""
        self._ticking = asyncio.create_task(_ticking(act, seconds))

    async def settled(self) -> None:
        """Until nothing is under way."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    async def stop(self) -> None:
        tasks = [*self._tasks, *([self._ticking] if self._ticking else [])]
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _ticking(act: Callable[[], None], seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        act()
