"""Keeps the rules read, beside the questions: after an upgrade of the reader, and what an ingest left."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from ingest.parts import IndexingParts
from ingest.rules.reading import RULE_WORK, read_lacking, read_with_now
from rag_core.errors import PolicyBotError

PAUSE_SECONDS = 300.0
"""Between two looks. Ingest reads the rules of what it stores by itself; nobody waits for this here."""


class RuleEvents(Protocol):
    """Hears how it goes."""

    def rules_read(self, chunks: int) -> None: ...

    def rules_not_read(self, error: Exception) -> None: ...


class RuleKeeping:
    """One of these in each server; the lease lets only one of them work at a time. Its reader has a thread of its own:
    a question never waits for it."""

    def __init__(
        self, parts: IndexingParts, events: RuleEvents, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        self._parts = parts
        self._events = events
        self._sleep = sleep
        self._trouble = ""

    async def run(self) -> None:
        """Until cancelled. Nothing that goes wrong ends it; the same trouble is told once."""
        while True:
            try:
                await self.keep()
                self._trouble = ""
            except Exception as exc:  # noqa: BLE001 - told, and tried again
                self._tell(exc)
            await self._sleep(PAUSE_SECONDS)

    async def keep(self) -> int:
        """One round: how many chunks were read. 0 when another process has the work. Raises what reading raises."""
        parts, reader = self._parts, self._parts.rule_reader
        if reader is None:
            return 0
        read_with = await read_with_now(reader, parts.embedder)
        if not await parts.rules.count_lacking(read_with):
            return 0
        async with parts.lease.hold(RULE_WORK, 0) as is_ours:
            read = await read_lacking(parts, reader, read_with) if is_ours else 0
        if read:
            self._events.rules_read(read)
        return read

    def _tell(self, exc: Exception) -> None:
        trouble = exc.code if isinstance(exc, PolicyBotError) else repr(exc)
        if trouble != self._trouble:
            self._events.rules_not_read(exc)
        self._trouble = trouble
