"""Keeps the record of model calls without making anybody wait for it."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from typing import Protocol

from bot.model_usage import ModelCall, ModelUsage
from rag_core.deadlines import within
from rag_core.errors import PolicyBotError

EVERY_SECONDS = 5.0
_CLEAN_EVERY = timedelta(hours=12)
_LAST_SECONDS = 2.0
"""What a command waits at its end for the record; what did not get there is lost, and said to be."""

_MOST_WAITING = 10_000


class ModelEvents(Protocol):
    """Hears of every call, and of calls that could not be recorded."""

    def model_called(self, call: ModelCall) -> None: ...

    def model_calls_lost(self, calls: int, code: str) -> None: ...


class ModelRecords:
    """A `ModelListener`. While the database is down calls wait in memory, the newest 10,000 of them."""

    def __init__(
        self,
        usage: ModelUsage,
        events: ModelEvents,
        *,
        keep: timedelta,
        now: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._usage = usage
        self._events = events
        self._keep = keep
        self._now = now
        self._sleep = sleep
        self._waiting: deque[ModelCall] = deque()
        self._cleaned_at: datetime | None = None

    def called(self, call: ModelCall) -> None:
        self._events.model_called(call)
        if len(self._waiting) >= _MOST_WAITING:
            self._waiting.popleft()
            self._events.model_calls_lost(1, "no_room")
        self._waiting.append(call)

    @asynccontextmanager
    async def recording(self) -> AsyncIterator[None]:
        """While the block runs; at its end what waits is written, for a moment."""
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await self._finish()

    async def _run(self) -> None:
        while True:
            await self._sleep(EVERY_SECONDS)
            with suppress(PolicyBotError):  # the database's own breaker tells of it; the calls wait
                await self.write()
                await self._forget_old()

    async def write(self) -> None:
        """What waits, now. Raises Unavailable; then it still waits."""
        while batch := list(self._waiting)[:1_000]:
            await self._usage.save(batch)
            for call in batch:
                if self._waiting and self._waiting[0] is call:  # not pushed out meanwhile
                    self._waiting.popleft()

    async def _forget_old(self) -> None:
        now = self._now()
        if self._cleaned_at is None or now - self._cleaned_at >= _CLEAN_EVERY:
            await self._usage.remove_before(now - self._keep)
            self._cleaned_at = now

    async def _finish(self) -> None:
        if not self._waiting:
            return
        try:
            async with within(_LAST_SECONDS):
                await self.write()
        except PolicyBotError as exc:
            self._events.model_calls_lost(len(self._waiting), exc.code)
        except TimeoutError:
            self._events.model_calls_lost(len(self._waiting), "timeout")
