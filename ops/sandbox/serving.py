"""A sandbox run by hand, until somebody stops it."""

import asyncio
import sys
from collections.abc import Callable
from typing import Protocol


class StandsIn(Protocol):
    """A pretended platform."""

    async def start(self, port: int) -> None: ...

    async def stop(self) -> None: ...


async def serve(stand_in: StandsIn, port: int, started: Callable[[], str]) -> None:
    """Until cancelled. `started`: what is said of it once it listens."""
    await stand_in.start(port)
    sys.stdout.write(f"{started().rstrip()}\n")
    sys.stdout.flush()
    try:
        await asyncio.Event().wait()
    finally:
        await stand_in.stop()
