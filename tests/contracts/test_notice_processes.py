"""Real processes that alert and send, killed at every step: each channel is told each change once."""

import asyncio
import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.engine import open_engine
from tests.fakes.alerts import JANUARY, KITES, Newsroom
from tests.fakes.databases import KINDS, migrated_database
from tests.fakes.program import run

ROOT = Path(__file__).resolve().parents[2]
CHANNELS, CHANGES = 4, 3


async def ran(address: str, file: Path, step: str) -> int:
    """How it ended: 0, or minus the signal."""
    program = ("tests.fakes.notice_process", address, str(file), step)
    return (await asyncio.to_thread(run, *program, env=os.environ, cwd=ROOT)).returncode


async def prepared(engine: AsyncEngine) -> None:
    news = Newsroom(engine)
    await news.declare()
    for number in range(CHANNELS):
        await news.subscribe(f"C{number}")
    for number in range(CHANGES):
        await news.arrive(JANUARY, KITES, f"acme_{number}")


@pytest.mark.parametrize("kind", KINDS)
async def test_each_is_told_once_whatever_dies(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "posted"
    file.touch()
    async with migrated_database(tmp_path, kind) as address:
        engine = open_engine(address)
        try:
            await prepared(engine)
        finally:
            await engine.dispose()
        for step in ("queueing", "queued", "taken", "sent"):
            assert await ran(address, file, step) == -signal.SIGKILL, step
        ended = await asyncio.gather(ran(address, file, "none"), ran(address, file, "none"))
        assert set(ended) == {0}
    posted = Counter(file.read_text().splitlines())
    assert set(posted.values()) == {1}
    channels = Counter(line.split()[0] for line in posted)
    assert channels == {f"C{number}": CHANGES for number in range(CHANNELS)}
