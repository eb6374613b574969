"""AnswerRecords: an answer is kept once, with all that explains it."""

import asyncio
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.answers import SqlAnswerRecords
from adapters.sql.tables.policies import answers
from bot.model.jsonable import jsonable
from bot.ports import RecordedAnswer
from rag_core.answers import AskTrace, Candidate
from rag_core.questions import Intent, QueryTerm, Question, Scope

TRACE = AskTrace(
    question=Question(
        "can I advertise wine",
        Scope(as_of=date(2026, 6, 1), regions=("uk",), labels={"stage": ("sample",)}, inferred=("regions",)),
        Intent.PERMISSION,
        (QueryTerm("wine", ("alcohol",)),),
    ),
    candidates=(Candidate("c1", "d1", "h1", 0.9, None, "cited"),),
    dropped=("c2",),
    notes={"groups": frozenset({"b", "a"}), "seen": datetime(2026, 6, 1, tzinfo=UTC), "best": float("nan")},
    timings_ms={"retrieve": 1.5},
)
RECORD = RecordedAnswer(
    answer_id="a1",
    answered_from="slack",
    workspace="T1",
    person="U1",
    question_text="can I advertise wine",
    reply={"kind": "answer", "verdict": None, "statements": [{"text": "„Glühwein“ 🍷", "citations": [1]}]},
    trace=jsonable(TRACE),
    answered_at=datetime(2026, 6, 1, 12, tzinfo=UTC),
)


@pytest.fixture
def records(engine: AsyncEngine) -> SqlAnswerRecords:
    return SqlAnswerRecords(engine)


async def stored(engine: AsyncEngine) -> list[Any]:
    async with engine.connect() as connection:
        return list((await connection.execute(select(answers).order_by(answers.c.answer_id))).mappings())


async def test_an_answer_is_kept_with_its_trace(engine: AsyncEngine, records: SqlAnswerRecords) -> None:
    await records.save(RECORD)
    (row,) = await stored(engine)
    for name in ("answer_id", "answered_from", "workspace", "person", "question_text", "reply", "answered_at"):
        assert row[name] == getattr(RECORD, name)
    trace = row["trace"]
    assert trace["question"]["scope"]["as_of"] == "2026-06-01"
    assert trace["question"]["intent"] == "permission"
    assert trace["candidates"][0] == {
        "chunk_id": "c1",
        "doc_id": "d1",
        "content_hash": "h1",
        "score": 0.9,
        "cosine": None,
        "fate": "cited",
    }
    assert trace["notes"] == {"groups": ["a", "b"], "seen": "2026-06-01T00:00:00+00:00", "best": None}


async def test_saving_again_changes_nothing(engine: AsyncEngine, records: SqlAnswerRecords) -> None:
    await records.save(RECORD)
    await asyncio.gather(*(records.save(replace(RECORD, question_text=f"other {n}")) for n in range(5)))
    await records.save(replace(RECORD, answer_id="a2", trace=None, reply={"bad\x00key": "bad\ud800value"}))
    first, second = await stored(engine)
    assert first["question_text"] == RECORD.question_text
    assert (second["trace"], second["reply"]) == (None, {"bad\ufffdkey": "bad\ufffdvalue"})


@pytest.mark.parametrize("column", [column for column in answers.c if column.name != "trace"], ids=str)
async def test_the_database_demands_all_but_the_trace(
    engine: AsyncEngine, records: SqlAnswerRecords, column: Any
) -> None:
    await records.save(RECORD)
    async with engine.connect() as connection:
        with pytest.raises(IntegrityError):
            await connection.execute(update(answers).values({column: None}))
