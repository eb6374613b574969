"""A real inbox on SQLite, a process on it, and no blocking call in the event loop."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.database.vault import Vault, new_key
from tests.fakes.clock import FakeClock
from tests.fakes.databases import migrated_engine
from tests.fakes.office import Office


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    async with migrated_engine(tmp_path) as opened:
        yield opened


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def sql_inbox(engine: AsyncEngine, clock: FakeClock) -> SqlInbox:
    return SqlInbox(engine, Vault([new_key()]), clock)


@pytest.fixture
def office(sql_inbox: SqlInbox, clock: FakeClock) -> Office:
    return Office(sql_inbox, clock)


@pytest.fixture(autouse=True)
def nothing_blocks(engine: AsyncEngine) -> Iterator[None]:
    with blockbuster_ctx():
        yield
