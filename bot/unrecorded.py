"""Answers that the database cannot record now: kept for later, or not given."""

import asyncio

from bot.asking import RECORD_DOWN
from bot.ports import AnswerRecords, RecordedAnswer, Spool
from bot.spooled import SpoolLog, record_from, record_json
from rag_core.errors import Rejected, Unavailable

KIND = "answer"
"""In the spool; the key is the answer's id."""


class SpooledRecords:
    """AnswerRecords that keep in `spool` what the database does not take; without a spool nothing is answered
    unrecorded. Raises Unavailable("record_down") for what is kept nowhere."""

    def __init__(self, records: AnswerRecords, spool: Spool | None, log: SpoolLog, *, seconds: float = 5.0) -> None:
        self._records = records
        self._spool = spool
        self._log = log
        self._seconds = seconds

    async def save(self, record: RecordedAnswer) -> None:
        try:
            await self._recorded(record)
        except Unavailable as exc:
            await self._kept(record, exc)

    async def enter_spooled(self) -> int:
        """Records what was kept, with its own times; how many. Again and again is harmless. Raises Unavailable."""
        entered = 0
        if self._spool is None:
            return entered
        async for answer_id, value in self._spool.entries(KIND):
            try:
                await self._recorded(record_from(value))
            except (Rejected, ValueError, KeyError, TypeError) as exc:
                error = exc if isinstance(exc, Rejected) else Rejected("record_unreadable")
                self._log.unavailable(answer_id, error, 0)  # it stays where it is
                continue
            await self._spool.remove(KIND, answer_id)
            self._log.entered(KIND, answer_id)
            entered += 1
        return entered

    async def _recorded(self, record: RecordedAnswer) -> None:
        try:
            async with asyncio.timeout(self._seconds):
                await self._records.save(record)
        except TimeoutError as exc:
            raise Unavailable("store_slow", seconds=self._seconds) from exc

    async def _kept(self, record: RecordedAnswer, error: Unavailable) -> None:
        if self._spool is None:
            raise Unavailable(RECORD_DOWN, cause=error.code) from error
        try:
            await self._spool.put(KIND, record.answer_id, record_json(record))
        except Unavailable as exc:
            raise Unavailable(RECORD_DOWN, cause=exc.code) from exc
        self._log.unavailable(record.answer_id, error, 0)
        self._log.spooled(KIND, record.answer_id)
