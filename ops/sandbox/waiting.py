"""Waiting for what happens in a pretended platform."""

import asyncio
import contextlib
from collections.abc import Callable

_LOOK_SECONDS = 0.1


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
