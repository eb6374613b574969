"""The table of answers held against the record: what retention and forgetting remove is told from what somebody did."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.answers import SqlAnswerRecords
from adapters.sql.audit.log import SqlAuditLog
from adapters.sql.audit.reading import SqlAuditReading
from adapters.sql.database.lease import SqlLeaderLease
from adapters.sql.people.privacy import SqlPeopleForgetting
from adapters.sql.people.retention import SqlRetention
from adapters.sql.tables.audit import audit_records
from adapters.sql.tables.people import forgettings
from adapters.sql.tables.policies import answers
from bot.audit.entries import RecordKind
from bot.audit.trust import Trusted
from bot.audit.verification import Finding, Problem
from bot.ports import RecordedAnswer
from ops.audit.checked import Checked
from ops.audit.verifying import StoredAnswers, check_chain
from ops.privacy.retention import Retention
from tests.fakes.audit import make_entry
from tests.fakes.keepers import local_keepers
from tests.fakes.privacy import OTHER, PERSON, Town, open_town

REPLY = {
    "kind": "answer",
    "text": "Yes.",
    "ratio": 1.0,
    "small": 1e-7,
    "large": [1e22, 1e23, 2**60 + 1],
    "odd": "\u0000\ud800",
    "none": None,
}


@pytest.fixture
async def town(engine: AsyncEngine, tmp_path: Path) -> AsyncIterator[Town]:
    async with local_keepers() as keepers, open_town(engine, keepers, tmp_path) as opened:
        yield opened


async def checked(engine: AsyncEngine) -> Checked:
    return await check_chain(
        SqlAuditReading(engine), "T1", Trusted(), columns=True, answers=StoredAnswers(engine, "T1")
    )


def finding(problem: Problem, sequence: int, detail: str = "") -> Finding:
    return Finding("T1", sequence, sequence, problem, detail)


async def change(engine: AsyncEngine, statement: Any) -> None:
    """As somebody who owns the database."""
    async with engine.begin() as connection:
        await connection.execute(statement)


def retention(town: Town) -> Retention:
    engine = town.engine
    lease = SqlLeaderLease(engine)
    return Retention(SqlRetention(engine), {"answers": 400}, SqlAuditLog(engine), lease, engine, town.clock)


CHANGES: dict[str, dict[str, Any]] = {
    "question": {"question_text": "wine?"},
    "trace": {"trace": {"question": "wine?"}},
    "person": {"person": "p1:somebody"},
    "time": {"answered_at": make_entry(1).at},
    "workspace": {"workspace": "T2"},
    "platform": {"answered_from": "rest"},
    "unreadable": {"reply": {"text": "No."}},
}


@pytest.mark.parametrize("field", CHANGES)
async def test_a_changed_field_of_a_stored_answer_is_named(town: Town, field: str) -> None:
    await town.ask(PERSON, "absinthe?", "p1")
    await town.ask(OTHER, "beer?", "o1")
    assert (await checked(town.engine)).findings == ()
    await change(town.engine, update(answers).where(answers.c.answer_id == "p1").values(CHANGES[field]))
    assert (await checked(town.engine)).findings == (finding(Problem.ANSWER, 2, field),)


async def test_what_databases_store_in_another_form_is_the_same(engine: AsyncEngine) -> None:
    entry = make_entry(1, kind=RecordKind.ANSWER, personal={"person": "U1", "shown": "Yes."})
    record = RecordedAnswer("a1", "slack", "T1", "p1", "\u0000?", dict(REPLY), dict(REPLY), entry.at, (entry,))
    await SqlAnswerRecords(engine).save(record)
    await SqlAnswerRecords(engine).save(replace(record, question_text="another"))
    assert ((await checked(engine)).findings, (await checked(engine)).without_digests) == ((), 0)


async def test_a_deleted_answer_is_named(town: Town) -> None:
    await town.ask(PERSON, "absinthe?", "p1")
    await change(town.engine, delete(answers))
    assert (await checked(town.engine)).findings == (finding(Problem.DELETED, 2),)


async def test_answers_that_retention_removed_are_no_finding_and_younger_ones_are(town: Town) -> None:
    await town.ask(PERSON, "absinthe?", "old")
    town.clock.move(days=401)
    await town.ask(PERSON, "absinthe?", "young")
    assert await retention(town).sweep() == {"answers": 1}
    assert (await checked(town.engine)).findings == ()
    await change(town.engine, delete(answers))
    assert (await checked(town.engine)).findings == (finding(Problem.DELETED, 4),)


async def test_answers_of_a_forgotten_person_are_no_finding(town: Town) -> None:
    await town.ask(PERSON, "absinthe?", "p1")
    await town.ask(OTHER, "beer?", "o1", None)
    await town.forgetting().run()
    found = await checked(town.engine)
    assert (found.findings, found.without_digests) == ((), 1)


async def test_answers_that_are_gone_while_a_forgetting_is_not_finished_are_told_with_it(town: Town) -> None:
    await town.ask(PERSON, "absinthe?", "p1")
    await SqlPeopleForgetting(town.engine, PERSON, town.pseudonyms, town.clock).begin()
    await change(town.engine, delete(answers))
    assert (await checked(town.engine)).findings == (finding(Problem.FORGETTING, 2),)
    await change(town.engine, update(forgettings).values(finished_at=town.clock()))
    assert (await checked(town.engine)).findings == (finding(Problem.DELETED, 2),)


async def test_replies_recorded_without_digests_are_passed_over_and_counted(engine: AsyncEngine) -> None:
    await SqlAuditLog(engine).append([make_entry(1), make_entry(2, kind=RecordKind.REFUSAL)])
    found = await checked(engine)
    assert (found.findings, found.without_digests) == ((), 1)


async def test_digests_do_not_stay_guessable_when_the_personal_fields_are_forgotten(town: Town) -> None:
    """The salt is one of the personal fields."""
    await town.ask(PERSON, "absinthe?", "p1")
    async with town.engine.connect() as connection:
        [canonical] = (
            await connection.execute(select(audit_records.c.canonical).where(audit_records.c.sequence == 2))
        ).scalars()
    digests = json.loads(canonical)["facts"]["stored"]
    [(fields,)] = await town.rows("SELECT fields FROM audit_personal WHERE chain = 'T1' AND sequence = 2")
    salt = (json.loads(fields) if isinstance(fields, str) else fields)["stored"]["value"]
    assert sorted(digests) == ["person", "platform", "question", "reply", "time", "trace", "workspace"]
    assert salt.encode() not in canonical
