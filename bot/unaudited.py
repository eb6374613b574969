"""Entries of the record that the database cannot take now: kept for later."""

import asyncio
from collections.abc import Sequence

from bot.asking import RECORD_DOWN
from bot.ports import AuditLog, Spool
from bot.record.entries import AuditEntry
from bot.spooled import SpoolLog, audit_entry_from, audit_entry_json
from rag_core.errors import Rejected, Unavailable

KIND = "audit"
"""In the spool; the key is the record's id."""


class SpooledAuditLog:
    """AuditLog that keeps in `spool` what the database does not take. Raises Unavailable("record_down") for what is
    kept nowhere. What is entered later comes later in its chain; its own time stays."""

    def __init__(self, log: AuditLog, spool: Spool | None, events: SpoolLog, *, seconds: float = 5.0) -> None:
        self._log = log
        self._spool = spool
        self._events = events
        self._seconds = seconds

    async def append(self, entries: Sequence[AuditEntry]) -> None:
        try:
            await self._appended(entries)
        except Unavailable as exc:
            for entry in entries:
                await self._kept(entry, exc)

    async def enter_spooled(self) -> int:
        """Adds what was kept; how many. Again and again is harmless. Raises Unavailable."""
        entered = 0
        if self._spool is None:
            return entered
        async for record_id, value in self._spool.entries(KIND):
            try:
                await self._appended([audit_entry_from(value)])
            except (Rejected, ValueError, KeyError, TypeError) as exc:
                error = exc if isinstance(exc, Rejected) else Rejected("record_unreadable")
                self._events.unavailable(record_id, error, 0)  # it stays where it is
                continue
            await self._spool.remove(KIND, record_id)
            self._events.entered(KIND, record_id)
            entered += 1
        return entered

    async def _appended(self, entries: Sequence[AuditEntry]) -> None:
        try:
            async with asyncio.timeout(self._seconds):
                await self._log.append(entries)
        except TimeoutError as exc:
            raise Unavailable("store_slow", seconds=self._seconds) from exc

    async def _kept(self, entry: AuditEntry, error: Unavailable) -> None:
        if self._spool is None:
            raise Unavailable(RECORD_DOWN, cause=error.code) from error
        try:
            await self._spool.put(KIND, entry.record_id, audit_entry_json(entry))
        except Unavailable as exc:
            raise Unavailable(RECORD_DOWN, cause=exc.code) from exc
        self._events.unavailable(entry.record_id, error, 0)
        self._events.spooled(KIND, entry.record_id)
