"""The record of what was answered."""

import json
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.chain import new_salt
from adapters.sql.audit.log import SqlAuditLog
from adapters.sql.audit.reading import moment_as_stored
from adapters.sql.database.dialect import among, as_stored
from adapters.sql.database.transactions import fetch
from adapters.sql.database.types import storable_json
from adapters.sql.tables.policies import answers
from bot.audit.entries import AuditEntry, moment
from bot.audit.verification import REPLIES, STORED, stored_digests
from bot.ports import RecordedAnswer

_FIELDS = {
    "question": answers.c.question_text,
    "reply": answers.c.reply,
    "trace": answers.c.trace,
    "person": answers.c.person,
    "time": answers.c.answered_at,
    "workspace": answers.c.workspace,
    "platform": answers.c.answered_from,
}
"""The fields of a row by the names under which the record has their digests."""


class SqlAnswerRecords:
    """One row an answer, reply and trace as JSON, in one transaction with its entries in the record; the first to save
    an `answer_id` stays. The entry of the reply is given digests of the row's fields."""

    def __init__(self, engine: AsyncEngine, log: SqlAuditLog | None = None, salt: Callable[[], str] = new_salt) -> None:
        self._log = log or SqlAuditLog(engine)
        self._salt = salt

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
        entries = tuple(
            self._with_digests(each, row) if each.kind in REPLIES and each.subject == record.answer_id else each
            for each in record.entries
        )
        await self._log.add(entries, row)

    def _with_digests(self, entry: AuditEntry, row: dict[str, Any]) -> AuditEntry:
        salt = self._salt()
        values = {name: row[column.name] for name, column in _FIELDS.items()} | {"time": moment(row["answered_at"])}
        facts = {**entry.facts, STORED: stored_digests(storable_json(values), salt)}
        return replace(entry, facts=facts, personal={**entry.personal, STORED: salt})


async def stored_answers(engine: AsyncEngine, answer_ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Answer id -> the fields of its row as plain JSON values, of those that are there; what is no JSON, or no moment,
    as the text that it is. Raises Unavailable."""
    if not answer_ids:
        return {}
    columns = [as_stored(engine.dialect, column).label(name) for name, column in _FIELDS.items()]
    wanted = among(engine.dialect, answers.c.answer_id, answer_ids)
    rows = await fetch(engine, select(answers.c.answer_id.label("id"), *columns).where(wanted))
    return {row.id: _fields(engine, row) for row in rows}


def _fields(engine: AsyncEngine, row: Any) -> dict[str, Any]:
    found = {name: getattr(row, name) for name in _FIELDS}
    if engine.dialect.name == "sqlite":
        found |= {name: _json(found[name]) for name in ("reply", "trace")}
    return found | {"time": moment_as_stored(found["time"])}


def _json(stored: Any) -> Any:
    try:
        return None if stored is None else json.loads(stored)
    except (ValueError, TypeError):
        return str(stored)


class SqlGivenAnswers:
    """GivenAnswers, from the rows that SqlAnswerRecords writes."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def answer(self, answer_id: str) -> RecordedAnswer | None:
        rows = await fetch(self._engine, select(answers).where(answers.c.answer_id == answer_id))
        return RecordedAnswer(**rows[0]._asdict()) if rows else None
