"""Forgetting: what it leaves, and how it is told from what somebody deleted or emptied."""

import asyncio

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.forgetting import SqlAuditForgetting
from adapters.sql.audit.log import SqlAuditLog
from adapters.sql.audit.reading import SqlAuditReading
from adapters.sql.tables.audit import audit_personal
from bot.audit.entries import INSTALLATION, RecordKind, administration, body_of
from bot.audit.trust import Trusted
from bot.audit.verification import Finding, Problem, forgotten_findings
from ops.audit.checked import Checked
from ops.audit.verifying import check_chain
from tests.fakes.audit import NOON, make_entries, make_entry


@pytest.fixture
def log(engine: AsyncEngine) -> SqlAuditLog:
    return SqlAuditLog(engine)


async def checked(engine: AsyncEngine) -> Checked:
    return await check_chain(SqlAuditReading(engine), "T1", Trusted(), columns=True)


async def test_what_an_act_forgot_is_told_from_what_somebody_emptied(engine: AsyncEngine, log: SqlAuditLog) -> None:
    await log.append([*make_entries(6), *make_entries(3, "T2")])
    assert await not_forgotten(engine) == []
    await SqlAuditForgetting(engine).person("U1", administration("f1", "forget", NOON))
    await SqlAuditForgetting(engine).person("U1", administration("f2", "forget", NOON))
    await log.append([make_entry(7)])
    await SqlAuditForgetting(engine).before(make_entry(3).at, list(RecordKind), administration("f3", "retention", NOON))
    assert await not_forgotten(engine) == []
    body = body_of((await SqlAuditReading(engine).newest(INSTALLATION, RecordKind.ADMINISTRATION)) or b"")
    told = {chain: (each["count"], each["length"]) for chain, each in body["facts"]["forgotten"].items()}
    assert told == {"T1": (3, 7), "T2": (2, 3)}
    await empty(engine, "T1", 7)
    await log.append([make_entry(8), make_entry(9)])
    await empty(engine, "T1", 8)
    await empty(engine, "T2", 3)
    assert [(each.chain, each.first, each.last, each.problem) for each in await not_forgotten(engine)] == [
        ("T1", 8, 8, Problem.EMPTIED),
        ("T1", 1, 7, Problem.FORGOTTEN),
        ("T2", 1, 3, Problem.FORGOTTEN),
    ]


async def test_what_was_forgotten_is_gone_from_the_database(engine: AsyncEngine, log: SqlAuditLog) -> None:
    await log.append(make_entries(3))
    await SqlAuditForgetting(engine).person("U1", administration("f1", "forget", NOON))
    async with engine.connect() as connection:
        rows = (await connection.execute(select(audit_personal).order_by(audit_personal.c.sequence))).all()
    assert [(row.person, set(row.fields)) for row in rows] == [
        (None, set()),
        ("U2", {"person", "asked"}),
        ("U0", {"person", "asked"}),
    ]


async def test_a_deleted_row_is_named(engine: AsyncEngine, log: SqlAuditLog) -> None:
    await log.append(make_entries(4))
    async with engine.begin() as connection:
        await connection.execute(delete(audit_personal).where(audit_personal.c.sequence == 2))
    assert (await checked(engine)).findings == (Finding("T1", 2, 2, Problem.GONE),)


async def test_two_that_forget_at_once_leave_a_record_that_holds(engine: AsyncEngine, log: SqlAuditLog) -> None:
    await log.append([*make_entries(12), *make_entries(12, "T2")])
    forgetting = SqlAuditForgetting(engine)

    async def person(number: int) -> int:
        return await forgetting.person(f"U{number}", administration(f"f{number}", "forget", NOON))

    assert await asyncio.gather(*(person(number) for number in range(3))) == [8, 8, 8]
    assert await not_forgotten(engine) == []
    assert (await checked(engine)).forgotten == 12


async def not_forgotten(engine: AsyncEngine) -> list[Finding]:
    found = await SqlAuditReading(engine).forgotten()
    return [finding for chain in sorted(found) for finding in forgotten_findings(chain, *found[chain])]


async def empty(engine: AsyncEngine, chain: str, sequence: int) -> None:
    """As somebody who may write to the database does it."""
    this = (audit_personal.c.chain == chain) & (audit_personal.c.sequence == sequence)
    async with engine.begin() as connection:
        await connection.execute(update(audit_personal).where(this).values(fields={}, person=None))
