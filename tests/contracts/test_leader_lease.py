"""LeaderLease: one process at a time, and what a dead one held is free again."""

import asyncio
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from adapters.sql.database.engine import open_engine
from adapters.sql.database.lease import SqlLeaderLease
from tests.fakes.databases import KINDS, SCRIPTS, empty_database

ROOT = SCRIPTS.parents[1]


@pytest.fixture(params=KINDS)
async def address(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    async with empty_database(tmp_path, request.param) as made:
        yield made


@pytest.fixture
async def lease(address: str) -> AsyncIterator[SqlLeaderLease]:
    engine = open_engine(address, pool_size=1)
    yield SqlLeaderLease(engine)
    await engine.dispose()


@asynccontextmanager
async def other_process(
    address: str, work: str = "index", wait: float = 0.0
) -> AsyncIterator[asyncio.subprocess.Process]:
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", "tests.fakes.lease_process", address, work, str(wait))
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, cwd=ROOT)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def said(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    return (await process.stdout.readline()).decode().strip()


async def test_one_at_a_time_in_one_process_too(lease: SqlLeaderLease) -> None:
    async with lease.hold("index", 0) as first, lease.hold("index", 0) as second, lease.hold("other", 0) as other:
        assert (first, second, other) == (True, False, True)
    async with lease.hold("index", 0) as again:
        assert again


async def test_who_waits_gets_it_when_it_is_let_go(lease: SqlLeaderLease) -> None:
    running: list[int] = []

    async def work(number: int) -> None:
        async with lease.hold("index", 20) as is_ours:
            assert is_ours
            running.append(number)
            assert len(running) == 1
            await asyncio.sleep(0.02)
            running.remove(number)

    await asyncio.gather(*(work(number) for number in range(5)))


async def test_who_waits_in_vain_waits_no_longer_than_told(lease: SqlLeaderLease) -> None:
    async with lease.hold("index", 0):
        begun = time.monotonic()
        async with lease.hold("index", 0.3) as is_ours:
            assert not is_ours
        assert 0.25 < time.monotonic() - begun < 30


async def test_an_error_or_a_cancelled_holder_lets_go(lease: SqlLeaderLease) -> None:
    with pytest.raises(OSError, match="mine"):  # and what goes wrong inside is nobody else's
        async with lease.hold("index", 0):
            raise OSError("mine")
    for seconds in (0.0, 0.005, 0.1):
        holding = asyncio.create_task(hold_for_ever(lease))
        await asyncio.sleep(seconds)
        holding.cancel()
        await asyncio.gather(holding, return_exceptions=True)
        async with lease.hold("index", 2) as is_ours:
            assert is_ours


async def hold_for_ever(lease: SqlLeaderLease) -> None:
    async with lease.hold("index", 0):
        await asyncio.Event().wait()


async def test_another_process_keeps_it_until_it_is_killed(address: str, lease: SqlLeaderLease) -> None:
    async with other_process(address) as process:
        assert await said(process) == "held"
        async with lease.hold("index", 0.3) as is_ours:
            assert not is_ours
        async with lease.hold("something else", 0) as is_ours:
            assert is_ours
        process.send_signal(signal.SIGKILL)
        async with lease.hold("index", 5) as is_ours:
            assert is_ours
            async with other_process(address) as second:
                assert await said(second) == "not held"


async def test_another_process_that_waits_comes_next(address: str, lease: SqlLeaderLease) -> None:
    async with other_process(address, wait=30) as process:
        async with lease.hold("index", 10) as is_ours:
            assert is_ours  # before it, for it takes a while to start
            waiting = asyncio.create_task(said(process))
            await asyncio.sleep(2)
            assert not waiting.done()
        assert await waiting == "held"
