"""A server's own memory, emptied when a command forgets somebody."""

import asyncio

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.people.privacy import forgettings_state
from bot.ports import FastMemory
from ops.parts import OutageLog
from rag_core.errors import Unavailable

EVERY_SECONDS = 5.0


class ForgottenElsewhere:
    """Looks whether a forgetting began or ended since the last look; the first look is for comparing with."""

    def __init__(self, engine: AsyncEngine, memory: FastMemory, log: OutageLog | None = None) -> None:
        self._engine = engine
        self._memory = memory
        self._log = log
        self._seen: tuple[int, int] | None = None

    async def look(self) -> bool:
        """Whether the memory was emptied. Raises Unavailable: then the next look empties it."""
        state = await forgettings_state(self._engine)
        is_new = self._seen is not None and state != self._seen
        if is_new:
            await self._memory.forget_all()
        self._seen = state
        return is_new

    async def run(self, every_seconds: float = EVERY_SECONDS) -> None:
        """Until cancelled."""
        while True:
            try:
                await self.look()
            except Unavailable as exc:
                if self._log is not None:
                    self._log.unavailable("-", exc, 0)
            await asyncio.sleep(every_seconds)
