"""One question at a time in a conversation, in the order in which they came."""

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager


class Turns:
    """A lock for each conversation that has work; none is kept for the others."""

    def __init__(self) -> None:
        self._locks: dict[Hashable, asyncio.Lock] = {}
        self._waiting: dict[Hashable, int] = {}

    @asynccontextmanager
    async def turn(self, conversation: Hashable) -> AsyncIterator[None]:
        """Waits until the conversation's earlier questions are answered."""
        lock = self._locks.setdefault(conversation, asyncio.Lock())
        self._waiting[conversation] = self._waiting.get(conversation, 0) + 1
        try:
            async with lock:
                yield
        finally:
            self._waiting[conversation] -= 1
            if not self._waiting[conversation]:
                del self._waiting[conversation], self._locks[conversation]
