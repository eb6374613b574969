"""The record of what was answered."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit_log import SqlAuditLog
from adapters.sql.dialect import among
from adapters.sql.tables import answers
from adapters.sql.transactions import fetch
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


async def kept_replies(engine: AsyncEngine, answer_ids: Collection[str]) -> dict[str, Any]:
    """Answer id -> reply as its row has it, of those that are there. Raises Unavailable."""
    if not answer_ids:
        return {}
    wanted = among(engine.dialect, answers.c.answer_id, answer_ids)
    rows = await fetch(engine, select(answers.c.answer_id, answers.c.reply).where(wanted))
    return {row.answer_id: row.reply for row in rows}
