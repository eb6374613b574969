"""A cache whose entries expire."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress
from contextvars import Context
from typing import Generic, TypeVar

from rag_core.errors import Unavailable

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

LONGEST_SECONDS = 30.0
"""How long one finding may take: then whoever waits hears that it did not answer."""


class Expiring(Generic[K, V]):
    """Findings by key, each believed for `seconds` from the moment at which it was begun, and not a moment longer.

    Bounded: of more than `most` the oldest go. Who asks for the same at the same time shares one finding; it goes on
    when those who wait for it give up, so that the next one need not wait. What fails is not kept.
    """

    def __init__(
        self,
        seconds: float,
        *,
        most: int = 10_000,
        longest: float = LONGEST_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds = seconds
        self._most = most
        self._longest = longest
        self._clock = clock
        self._kept: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._finding: dict[K, asyncio.Task[V]] = {}

    async def get(self, key: K, find: Callable[[], Awaitable[V]]) -> V:
        """What is known of `key`, or what `find` finds. Raises what that raises, and Unavailable("directory_slow")."""
        until, value = self._kept.get(key, (None, None))
        if until is not None and self._clock() < until:
            return value  # type: ignore[return-value]  # it is there with its time
        task = self._finding.get(key)
        if task is None:
            # without the context of who asks first: his deadline is not that of the others
            task = asyncio.create_task(self._find(key, find), context=Context())
            self._finding[key] = task
            task.add_done_callback(lambda done: self._end(key, done))
        return await asyncio.shield(task)

    async def aclose(self) -> None:
        """Gives up what is being looked for."""
        tasks = list(self._finding.values())
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError, Exception):
                await task

    async def _find(self, key: K, find: Callable[[], Awaitable[V]]) -> V:
        until = self._clock() + self._seconds
        try:
            async with asyncio.timeout(self._longest):
                value = await find()
        except TimeoutError as exc:
            raise Unavailable("directory_slow", seconds=self._longest) from exc
        self._kept.pop(key, None)
        self._kept[key] = (until, value)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return value

    def _end(self, key: K, task: asyncio.Task[V]) -> None:
        self._finding.pop(key, None)
        if not task.cancelled():
            task.exception()  # looked at: those who waited may all have gone
