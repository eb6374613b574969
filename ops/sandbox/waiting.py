"""Waiting for what happens in a pretended platform."""

import asyncio
from collections.abc import Callable


class Waiting:
    """Looks again whenever something has changed."""

    def __init__(self) -> None:
        self._changed = asyncio.Event()

    def changed(self) -> None:
        self._changed.set()

    async def until(self, holds: Callable[[], bool], seconds: float) -> None:
        """TimeoutError when that takes longer."""
        async with asyncio.timeout(seconds):
            while not holds():
                self._changed.clear()
                await self._changed.wait()
