"""A process that is told to stop hands over what it cannot finish: another one goes on at once, and nobody is told."""

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.database.engine import open_engine
from adapters.sql.database.vault import Vault, new_key
from tests.fakes.databases import KINDS, SCRIPTS, migrated_database
from tests.fakes.office import ended, question

ROOT = SCRIPTS.parents[1]


async def started(address: str, key: str, worker: str, hangs: str = "") -> Process:
    program = (sys.executable, "-m", "tests.fakes.answering_process", address, key, worker, *([hangs] if hangs else []))
    return await asyncio.create_subprocess_exec(*program, stdout=PIPE, stderr=PIPE, cwd=ROOT)


async def line(process: Process) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(20):
        return (await process.stdout.readline()).decode().strip()


async def terminated(process: Process) -> None:
    process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(20):
        _, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hangs", ["asking", "sending"])
async def test_what_a_stopped_process_held_another_one_finishes_at_once(tmp_path: Path, kind: str, hangs: str) -> None:
    async with migrated_database(tmp_path, kind) as address:
        key, engine = new_key(), open_engine(address)
        await SqlInbox(engine, Vault([key])).accept(question())
        stopping = await started(address, key, "first", hangs)
        assert await line(stopping) == "at work"
        await terminated(stopping)
        other = await started(address, key, "second")
        # its lease would have held for ten minutes
        assert await line(other) == f"sent q1 {hangs == 'sending'}"
        await ended(engine, "sent")
        await terminated(other)
        await engine.dispose()
