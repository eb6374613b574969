"""The record with several processes on it, one of them killed in the middle."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.reading import SqlAuditReading
from adapters.sql.database.engine import open_engine
from adapters.sql.tables.audit import audit_records
from adapters.sql.tables.policies import answers
from bot.audit.trust import Trusted
from ops.audit.verifying import check_chain
from tests.fakes.audit_process import CHAIN
from tests.fakes.databases import KINDS, migrated_database

ROOT = Path(__file__).resolve().parents[2]
COUNT = 60


@pytest.fixture(params=KINDS)
async def address(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    async with migrated_database(tmp_path, request.param) as given:
        yield given


def start(address: str, name: str, count: int = COUNT) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.fakes.audit_process", address, name, str(count)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


async def recorded(engine: AsyncEngine) -> tuple[set[str], set[str]]:
    """Answers there are, and those that both of their entries are there of."""
    async with engine.connect() as connection:
        rows = set((await connection.execute(select(answers.c.answer_id))).scalars())
        bodies = [json.loads(each) for each in (await connection.execute(select(audit_records.c.canonical))).scalars()]
    ids = {body["record_id"] for body in bodies}
    return rows, {
        each["subject"] for each in bodies if {f"{each['subject']}:{p}" for p in ("question", "reply")} <= ids
    }


async def test_two_processes_write_one_chain(address: str) -> None:
    running = [start(address, name) for name in ("one", "two")]
    told = [await asyncio.to_thread(each.communicate) for each in running]
    assert [each.returncode for each in running] == [0, 0]
    engine = open_engine(address)
    found = await check_chain(SqlAuditReading(engine), CHAIN, Trusted(), columns=True)
    assert (found.records, found.findings) == (4 * COUNT, ())
    saved = {line for out, _ in told for line in out.split()}
    assert await recorded(engine) == (saved, saved)
    await engine.dispose()


async def test_a_writer_killed_in_the_middle_leaves_a_whole_chain_and_loses_nothing(address: str) -> None:
    killed, other = start(address, "killed", 10_000), start(address, "other")
    assert killed.stdout is not None
    first = [await asyncio.to_thread(killed.stdout.readline) for _ in range(9)]
    killed.kill()
    rest, _ = await asyncio.to_thread(killed.communicate)
    out, _ = await asyncio.to_thread(other.communicate)
    assert other.returncode == 0
    engine = open_engine(address)
    found = await check_chain(SqlAuditReading(engine), CHAIN, Trusted(), columns=True)
    assert found.findings == ()
    promised = {each.strip() for each in first} | set(rest.split()) | set(out.split())
    rows, whole = await recorded(engine)
    assert promised <= rows
    assert rows == whole
    assert found.records == 2 * len(rows)
    await engine.dispose()
