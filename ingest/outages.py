"""Waiting for a store that does not answer."""

from collections.abc import Awaitable, Callable

from ingest.watch_news import StoreBack, StoreDown, Tell
from rag_core.errors import Unavailable

_FIRST_SECONDS = 1.0
_LONGEST_SECONDS = 30.0

Sleep = Callable[[float], Awaitable[None]]


class Outage:
    """Says once that the store is down, and once that it is back; waits longer and longer in between."""

    def __init__(self, sleep: Sleep, tell: Tell) -> None:
        self._sleep = sleep
        self._tell = tell
        self._waits = 0

    async def wait(self, error: Unavailable) -> None:
        """The store has just failed with `error`: until it should be asked again."""
        if not self._waits:
            self._tell(StoreDown(error))
        seconds = min(_FIRST_SECONDS * 2**self._waits, _LONGEST_SECONDS)
        self._waits = min(self._waits + 1, 10)
        await self._sleep(seconds)

    def over(self) -> None:
        """The store has just answered."""
        if self._waits:
            self._tell(StoreBack())
        self._waits = 0
