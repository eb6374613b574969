"""Feedback and GivenAnswers: one opinion a person and answer, every one on the record, or nothing at all."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.answers import SqlAnswerRecords, SqlGivenAnswers
from adapters.sql.people.feedback import SqlFeedback
from adapters.sql.tables.audit import audit_personal, audit_records
from adapters.sql.tables.policies import answers
from bot.answers.feedback import feedback_entry
from bot.ports import Opinion
from rag_core.errors import Rejected
from tests.fakes.feedback import make_answer

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
OPINION = Opinion("a1", "T1", "U1", "not_useful", ("outdated", "other"), "„Alt“ 🍷", "rest", NOON)
ANSWER = make_answer(reply={"kind": "answer", "text": "„Glühwein“ 🍷"}, trace={"candidates": []})


@pytest.fixture
async def feedback(engine: AsyncEngine) -> SqlFeedback:
    await SqlAnswerRecords(engine).save(ANSWER)
    return SqlFeedback(engine)


async def recorded(engine: AsyncEngine) -> list[Any]:
    async with engine.connect() as connection:
        return list(await connection.execute(select(audit_records).order_by(audit_records.c.sequence)))


def later(minutes: int, **changes: Any) -> Opinion:
    return replace(OPINION, given_at=NOON + timedelta(minutes=minutes), **changes)


async def test_answers_are_read_as_they_were_saved(engine: AsyncEngine, feedback: SqlFeedback) -> None:
    given = SqlGivenAnswers(engine)
    assert await given.answer("a1") == ANSWER
    for unknown in ("a2", "", "a1\x00", "\ud800", "x" * 10_000):
        assert await given.answer(unknown) is None


async def test_an_opinion_is_kept_with_its_entry(engine: AsyncEngine, feedback: SqlFeedback) -> None:
    assert await feedback.save(OPINION, feedback_entry(OPINION, OPINION.person, "one")) == OPINION
    assert await feedback.of_answer("a1") == (OPINION,)
    [row] = await recorded(engine)
    assert (row.kind, row.subject, row.chain, row.record_id) == ("feedback", "a1", "T1", "a1:feedback:one")
    assert json.loads(row.canonical)["facts"] == {"outcome": "not_useful", "reasons": ["outdated", "other"]}
    assert '"U1"' not in row.canonical.decode()
    async with engine.connect() as connection:
        [beside] = await connection.execute(select(audit_personal))
    assert beside.person == "U1"
    assert beside.fields["comment"]["value"] == OPINION.comment


async def test_a_later_one_takes_the_place_of_the_earlier(engine: AsyncEngine, feedback: SqlFeedback) -> None:
    changed = later(1, rating="useful", reasons=(), comment="")
    for number, each in enumerate((OPINION, changed)):
        await feedback.save(each, feedback_entry(each, each.person, str(number)))
    assert await feedback.of_answer("a1") == (changed,)
    assert [row.record_id for row in await recorded(engine)] == ["a1:feedback:0", "a1:feedback:1"]


async def test_the_same_again_or_an_earlier_one_changes_nothing(engine: AsyncEngine, feedback: SqlFeedback) -> None:
    await feedback.save(OPINION, feedback_entry(OPINION, OPINION.person, "one"))
    for again in (later(1), later(-1, rating="useful")):
        assert await feedback.save(again, feedback_entry(again, again.person, "two")) == OPINION
    assert await feedback.of_answer("a1") == (OPINION,)
    assert len(await recorded(engine)) == 1


async def test_each_person_has_one(feedback: SqlFeedback) -> None:
    others = [later(1, person="U2"), later(2, workspace="T2")]
    for number, each in enumerate((OPINION, *others)):
        await feedback.save(each, feedback_entry(each, each.person, str(number)))
    assert await feedback.of_answer("a1") == (OPINION, *others)
    assert await feedback.of_answer("a2") == ()


async def test_many_at_once_leave_the_last(engine: AsyncEngine, feedback: SqlFeedback) -> None:
    given = [later(number, comment=f"comment {number}") for number in range(8)]
    await asyncio.gather(
        *(feedback.save(each, feedback_entry(each, each.person, each.comment)) for each in reversed(given))
    )
    assert await feedback.of_answer("a1") == (given[-1],)


async def test_without_the_answer_neither_is_kept(engine: AsyncEngine, feedback: SqlFeedback) -> None:
    lost = replace(OPINION, answer_id="a2")
    with pytest.raises(Rejected):
        await feedback.save(lost, feedback_entry(lost, lost.person, "one"))
    assert await recorded(engine) == []


async def test_without_the_entry_there_is_no_opinion(feedback: SqlFeedback) -> None:
    bad = replace(feedback_entry(OPINION, OPINION.person, "one"), facts={"reasons": object()})
    with pytest.raises(Rejected, match="record_not_storable"):
        await feedback.save(OPINION, bad)
    assert await feedback.of_answer("a1") == ()


async def test_opinions_go_with_their_answer(engine: AsyncEngine, feedback: SqlFeedback) -> None:
    await feedback.save(OPINION, feedback_entry(OPINION, OPINION.person, "one"))
    async with engine.begin() as connection:
        await connection.execute(delete(answers))
    assert await feedback.of_answer("a1") == ()
    assert len(await recorded(engine)) == 1
