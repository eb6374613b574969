"""AuditLog: append-only chains, one a workspace, whole or not at all, whoever writes at the same moment."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, insert, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.answers import SqlAnswerRecords
from adapters.sql.audit.forgetting import SqlAuditForgetting
from adapters.sql.audit.log import SqlAuditLog
from adapters.sql.audit.reading import SqlAuditCheckpoints, SqlAuditReading
from adapters.sql.tables.audit import audit_chains, audit_personal, audit_records
from adapters.sql.tables.policies import answers
from bot.audit.checkpoints import sign_head
from bot.audit.entries import (
    INSTALLATION,
    AuditEntry,
    RecordKind,
    administration,
    canonical,
    digest,
    draft,
    moment,
    sealed,
)
from bot.audit.trust import Trusted, trusted
from bot.audit.verification import Finding, Problem
from bot.ports import RecordedAnswer
from ops.audit.checked import Checked
from ops.audit.verifying import check_chain
from rag_core.errors import Rejected
from tests.fakes.audit import NOON, SIGNER, TRUSTED, make_entries, make_entry
from tests.fakes.databases import migrated_engine


@pytest.fixture
def log(engine: AsyncEngine) -> SqlAuditLog:
    return SqlAuditLog(engine)


async def checked(engine: AsyncEngine, chain: str = "T1", believed: Trusted | None = None) -> Checked:
    return await check_chain(SqlAuditReading(engine), chain, believed or Trusted(), columns=True)


async def stored(engine: AsyncEngine, chain: str = "T1") -> list[Any]:
    statement = select(audit_records).where(audit_records.c.chain == chain).order_by(audit_records.c.sequence)
    async with engine.connect() as connection:
        return list(await connection.execute(statement))


async def tamper(engine: AsyncEngine, *statements: Any) -> None:
    """As somebody who owns the database: past the guard."""
    guards = ("audit_records_stay_update", "audit_records_stay_delete")
    async with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            await connection.execute(text("ALTER TABLE audit_records DISABLE TRIGGER audit_records_stay"))
        else:
            for guard in guards:
                await connection.execute(text(f"DROP TRIGGER IF EXISTS {guard}"))
        for statement in statements:
            await connection.execute(statement)


def at(sequence: int) -> Any:
    return (audit_records.c.chain == "T1") & (audit_records.c.sequence == sequence)


async def test_entries_stand_in_their_order_with_canonical_bytes(engine: AsyncEngine, log: SqlAuditLog) -> None:
    entries = make_entries(3)
    await log.append(entries[:2])
    await log.append(entries[2:])
    rows = await stored(engine)
    assert [row.record_id for row in rows] == ["r1", "r2", "r3"]
    for row, entry in zip(rows, entries, strict=True):
        body = json.loads(row.canonical)
        assert row.canonical == canonical(body)  # whoever put it together: Python, or the database
        assert digest(row.canonical) == row.hash
        assert (body["facts"], body["at"]) == (entry.facts, moment(entry.at))
        assert (row.kind, row.at, row.subject, row.origin) == ("question", entry.at, entry.subject, "slack")
    assert (await checked(engine)).findings == ()


async def test_the_database_puts_records_together_as_python_does(engine: AsyncEngine, log: SqlAuditLog) -> None:
    awkward = replace(
        make_entry(1, 'T"1\\ü'),
        record_id="r-\u2028\x07'\"",
        facts={"\n": [1e21, -0.0, 5e-324, "\u007f\\"], "": {}},
        personal={},
    )
    await log.append([awkward])
    (row,) = await stored(engine, awkward.workspace)
    expected = sealed(draft(awkward, lambda: ""), 1, "0" * 64)
    assert (row.canonical, row.hash) == (expected.canonical, expected.hash)


async def test_each_workspace_has_a_chain_of_its_own(engine: AsyncEngine, log: SqlAuditLog) -> None:
    await log.append([make_entry(1, "T1"), make_entry(1, "T2"), make_entry(2, "T1")])
    assert await SqlAuditReading(engine).chains() == ["T1", "T2"]
    assert [(each.records, each.findings) for each in (await checked(engine, "T1"), await checked(engine, "T2"))] == [
        (2, ()),
        (1, ()),
    ]


async def test_appending_again_changes_nothing(engine: AsyncEngine, log: SqlAuditLog) -> None:
    entries = make_entries(4)
    await log.append(entries[:3])
    await log.append([entries[2], replace(entries[3], origin="first"), entries[3], replace(entries[0], origin="x")])
    rows = await stored(engine)
    assert [(row.record_id, row.origin) for row in rows] == [
        ("r1", "slack"),
        ("r2", "slack"),
        ("r3", "slack"),
        ("r4", "first"),
    ]
    assert (await checked(engine)).findings == ()


async def test_what_no_database_takes_is_hashed_as_it_is_stored(engine: AsyncEngine, log: SqlAuditLog) -> None:
    bad = {"a\x00": "b\ud800"}
    await log.append([replace(make_entry(1), facts=bad, personal={"person": "U\x00", "asked": "\udfff?"})])
    assert (await checked(engine)).findings == ()
    assert json.loads((await stored(engine))[0].canonical)["facts"] == {"a\ufffd": "b\ufffd"}


async def test_many_at_once_are_one_chain_in_few_transactions(engine: AsyncEngine, log: SqlAuditLog) -> None:
    logs = [log, SqlAuditLog(engine), SqlAuditLog(engine)]
    entries = make_entries(90)
    await asyncio.gather(*(logs[n % 3].append([entry]) for n, entry in enumerate(entries)))
    found = await checked(engine)
    assert (found.records, found.findings) == (90, ())
    assert {row.record_id for row in await stored(engine)} == {entry.record_id for entry in entries}


async def test_one_that_cannot_be_stored_does_not_spoil_the_others(engine: AsyncEngine, log: SqlAuditLog) -> None:
    bad = replace(make_entry(2), facts={"what": object()})
    results = await asyncio.gather(
        log.append([make_entry(1)]),
        log.append([make_entry(3), bad]),
        log.append([make_entry(4)]),
        return_exceptions=True,
    )
    assert [type(each) for each in results] == [type(None), Rejected, type(None)]
    assert {row.record_id for row in await stored(engine)} == {"r1", "r4"}
    assert (await checked(engine)).findings == ()


async def test_who_gives_up_waiting_spoils_nothing(engine: AsyncEngine, log: SqlAuditLog) -> None:
    first = asyncio.ensure_future(log.append([make_entry(1)]))
    others = [asyncio.ensure_future(log.append([make_entry(number)])) for number in (2, 3)]
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, *others, return_exceptions=True)
    assert {"r2", "r3"} <= {row.record_id for row in await stored(engine)}
    assert (await checked(engine)).findings == ()


def answer(number: int, entries: tuple[AuditEntry, ...]) -> RecordedAnswer:
    return RecordedAnswer(f"a{number}", "slack", "T1", "U1", "Bier?", {"kind": "answer"}, None, NOON, entries)


async def test_an_answer_and_its_entries_are_saved_together_or_not(engine: AsyncEngine, log: SqlAuditLog) -> None:
    records = SqlAnswerRecords(engine, log)
    await records.save(answer(1, (make_entry(1),)))
    await records.save(answer(1, (make_entry(1),)))
    with pytest.raises(Rejected, match="record_not_storable"):
        await records.save(answer(2, (replace(make_entry(2), facts={"what": object()}),)))
    async with engine.connect() as connection:
        assert list((await connection.execute(select(answers.c.answer_id))).scalars()) == ["a1"]
    assert [row.record_id for row in await stored(engine)] == ["r1"]


@pytest.mark.parametrize("what", [update(audit_records).values(origin="x"), delete(audit_records)], ids=str)
async def test_records_are_neither_changed_nor_deleted_by_mistake(
    engine: AsyncEngine, log: SqlAuditLog, what: Any
) -> None:
    await log.append(make_entries(1))
    with pytest.raises(IntegrityError, match="stay as they are"):
        async with engine.begin() as connection:
            await connection.execute(what)
    assert len(await stored(engine)) == 1


TAMPERINGS: dict[str, tuple[Callable[[list[Any]], list[Any]], list[tuple[Problem, int, int]]]] = {
    "bytes": (
        lambda rows: [update(audit_records).where(at(3)).values(canonical=rows[2].canonical.replace(b"0.1", b"0.2"))],
        [(Problem.CHANGED, 3, 3)],
    ),
    "bytes and hash": (
        lambda rows: [
            update(audit_records)
            .where(at(3))
            .values(
                canonical=rows[2].canonical.replace(b"0.1", b"0.2"),
                hash=digest(rows[2].canonical.replace(b"0.1", b"0.2")),
            )
        ],
        [(Problem.CHANGED, 3, 3)],
    ),
    "removed": (
        lambda _: [delete(audit_personal).where(audit_personal.c.sequence == 4), delete(audit_records).where(at(4))],
        [(Problem.REMOVED, 4, 4)],
    ),
    "last removed": (
        lambda _: [delete(audit_personal).where(audit_personal.c.sequence == 6), delete(audit_records).where(at(6))],
        [(Problem.REMOVED, 6, 6)],
    ),
    "added": (
        lambda rows: [insert(audit_records).values({**rows[5]._mapping, "sequence": 7, "record_id": "mine"})],
        [(Problem.INSERTED, 6, 7), (Problem.REORDERED, 7, 7)],
    ),
    "moved": (
        lambda rows: [
            update(audit_records).where(at(2)).values(canonical=rows[4].canonical, hash=rows[4].hash),
            update(audit_records).where(at(5)).values(canonical=rows[1].canonical, hash=rows[1].hash),
        ],
        [(Problem.REORDERED, 2, 2), (Problem.REORDERED, 5, 5)],
    ),
    "column": (
        lambda _: [update(audit_records).where(at(5)).values(subject="another")],
        [(Problem.COLUMN, 5, 5)],
    ),
    "moment": (
        lambda _: [update(audit_records).where(at(5)).values(at=NOON)],
        [(Problem.COLUMN, 5, 5)],
    ),
    "personal": (
        lambda _: [
            update(audit_personal)
            .where(audit_personal.c.sequence == 2)
            .values(fields={"person": {"salt": "00", "value": "U2"}})
        ],
        [(Problem.PERSONAL, 2, 2), (Problem.PERSONAL, 2, 2)],
    ),
    "head": (
        lambda _: [update(audit_chains).values(hash="f" * 64)],
        [(Problem.HEAD, 6, 6)],
    ),
    "head gone": (
        lambda _: [delete(audit_chains)],
        [(Problem.INSERTED, 1, 6)],
    ),
}


@pytest.mark.parametrize("name", TAMPERINGS)
async def test_tampering_in_the_database_is_named(engine: AsyncEngine, log: SqlAuditLog, name: str) -> None:
    await log.append(make_entries(6))
    made, expected = TAMPERINGS[name]
    await tamper(engine, *made(await stored(engine)))
    found = (await checked(engine)).findings
    assert sorted((each.problem, each.first, each.last) for each in found) == sorted(expected)


async def test_a_tail_cut_off_with_its_head_is_missed_by_the_checkpoint(engine: AsyncEngine, log: SqlAuditLog) -> None:
    await log.append(make_entries(6))
    checkpoints = SqlAuditCheckpoints(engine)
    for head in await checkpoints.due(SIGNER.key_id):
        await checkpoints.add(sign_head(head, NOON, SIGNER))
    rows = await stored(engine)
    await tamper(
        engine,
        delete(audit_personal).where(audit_personal.c.sequence > 4),
        delete(audit_records).where(audit_records.c.sequence > 4),
        update(audit_chains).values(sequence=4, hash=rows[3].hash),
    )
    believed = trusted(await checkpoints.stored(), TRUSTED)
    assert (await checked(engine, believed=believed)).findings == (Finding("T1", 5, 6, Problem.REMOVED),)


async def test_a_checkpoint_is_due_while_there_is_something_new(engine: AsyncEngine, log: SqlAuditLog) -> None:
    checkpoints = SqlAuditCheckpoints(engine)
    assert await checkpoints.due(SIGNER.key_id) == []
    await log.append([*make_entries(2), make_entry(1, "T2")])
    due = await checkpoints.due(SIGNER.key_id)
    assert [(head.chain, head.count) for head in due] == [("T1", 2), ("T2", 1)]
    for head in [*due, *due]:
        await checkpoints.add(sign_head(head, NOON, SIGNER))
    assert await checkpoints.due(SIGNER.key_id) == []
    assert len(await checkpoints.due("another key")) == 2
    await log.append([make_entry(3)])
    assert [(head.chain, head.count) for head in await checkpoints.due(SIGNER.key_id)] == [("T1", 3)]
    assert trusted(await checkpoints.stored(), TRUSTED).held == 2


async def test_forgetting_a_person_leaves_a_chain_that_verifies(engine: AsyncEngine, log: SqlAuditLog) -> None:
    await log.append([*make_entries(6), *make_entries(3, "T2")])
    act = administration("f1", "forget", NOON)
    assert await SqlAuditForgetting(engine).person("U1", act, "T1") == 2
    found = await checked(engine)
    assert (found.records, found.forgotten, found.findings) == (6, 2, ())
    about, _ = await SqlAuditReading(engine).of_subject("a2")
    assert about.personal is not None
    assert about.personal["asked"]["value"] == "„Bier“ 🍺 2?"
    async with engine.connect() as connection:
        left = [row.fields for row in await connection.execute(select(audit_personal)) if row.fields]
    assert len(left) == 7
    assert (await checked(engine, "T2")).forgotten == 0
    assert (await checked(engine, INSTALLATION)).records == 1
    assert await SqlAuditForgetting(engine).person("U1", administration("f2", "forget", NOON)) == 1
    assert (await checked(engine, "T2")).forgotten == 1


async def test_old_records_of_a_kind_are_forgotten(engine: AsyncEngine, log: SqlAuditLog) -> None:
    entries = make_entries(4)
    await log.append([*entries[:3], replace(entries[3], kind=RecordKind.FEEDBACK)])
    forgetting = SqlAuditForgetting(engine)
    act = administration("f1", "retention", NOON)
    assert await forgetting.before(entries[2].at, [RecordKind.QUESTION], act) == 2
    assert await forgetting.before(entries[2].at, [RecordKind.QUESTION], administration("f2", "retention", NOON)) == 0
    found = await checked(engine)
    assert (found.forgotten, found.findings) == (2, ())
    assert (await checked(engine, INSTALLATION)).records == 1


async def test_what_is_added_while_it_is_checked_is_no_finding(engine: AsyncEngine, log: SqlAuditLog) -> None:
    await log.append(make_entries(5))

    async def add() -> None:
        for number in range(6, 40):
            await log.append([make_entry(number)])

    async def check() -> list[Finding]:
        found: list[Finding] = []
        for _ in range(8):
            found += (await checked(engine)).findings
        return found

    works: list[Awaitable[Any]] = [add(), check()]
    _, found = await asyncio.gather(*works)
    assert found == []


GARBAGE = {
    "a moment that is none": ("UPDATE audit_records SET at = 'yesterday' WHERE sequence = 2", "at"),
    "a number for a moment": ("UPDATE audit_records SET at = 7 WHERE sequence = 2", "at"),
    "fields that are no JSON": ("UPDATE audit_personal SET fields = '{' WHERE sequence = 2", ""),
    "fields that are no object": ("UPDATE audit_personal SET fields = '[]' WHERE sequence = 2", ""),
    "bytes for a text": ("UPDATE audit_records SET subject = X'FF' WHERE sequence = 2", "subject"),
    "a text for the bytes": ("UPDATE audit_records SET canonical = 'x' WHERE sequence = 2", ""),
}


@pytest.mark.parametrize("what", GARBAGE)
async def test_what_sqlite_takes_for_a_value_stops_no_check(tmp_path: Path, what: str) -> None:
    statement, detail = GARBAGE[what]
    async with migrated_engine(tmp_path) as engine:
        await SqlAuditLog(engine).append(make_entries(3))
        await tamper(engine, text(statement))
        found = (await checked(engine)).findings
    assert {(each.first, each.last) for each in found} == {(2, 2)}
    assert detail in {each.detail for each in found}
