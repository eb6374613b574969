"""The record of what was answered."""

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit_log import SqlAuditLog
from bot.ports import RecordedAnswer


class SqlAnswerRecords:
    """One row an answer, reply and trace as JSON, in one transaction with its entries in the record; the first to save
    an `answer_id` stays."""

    def __init__(self, engine: AsyncEngine, log: SqlAuditLog | None = None) -> None:
        self._log = log or SqlAuditLog(engine)

    async def save(self, record: RecordedAnswer) -> None:
        row = {
            "answer_id": record.answer_id,
            "answered_from": record.answered_from,
            "workspace": record.workspace,
            "person": record.person,
            "question_text": record.question_text,
            "reply": record.reply,
            "trace": record.trace,
            "answered_at": record.answered_at,
        }
        await self._log.add(record.entries, row)
