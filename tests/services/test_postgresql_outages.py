"""A PostgreSQL server that hangs or is killed: nobody waits for ever, nothing is lost or doubled, and the way back
needs no hand."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.sql.database.migrate import upgrade
from adapters.sql.database.transactions import fetch, write
from adapters.sql.policies.store import SqlPolicyStore
from adapters.sql.policies.versions import SqlVersionStore
from adapters.sql.tables.policies import outbox, policy_sources, versions
from rag_core.deadlines import within
from rag_core.errors import Unavailable
from tests.fakes.databases import SCRIPTS
from tests.fakes.documents import ACME, make_version, make_write, passages_of
from tests.fakes.postgresql_server import PostgresqlServer, postgresql_server
from tests.fakes.postgresql_use import count, opened, use

pytestmark = pytest.mark.services

NOBODY: frozenset[str] = frozenset()


@pytest.fixture
async def server() -> AsyncIterator[PostgresqlServer]:
    async with postgresql_server() as running:
        yield running


async def test_a_server_that_hangs_holds_nobody_up(server: PostgresqlServer) -> None:
    async with opened(server.url, statement_seconds=1.0) as engine:
        await upgrade(engine, SCRIPTS)
        assert await asyncio.gather(*(use(engine) for _ in range(4))) == [None] * 4

        async def stopped_within(connection: AsyncConnection) -> None:
            await connection.execute(policy_sources.update().values(display_name="lost"))
            server.stop_answering()
            await connection.execute(policy_sources.update().values(display_name="lost too"))

        begun = time.monotonic()
        with pytest.raises(Unavailable, match="store_down"):  # in a statement, then in the roll-back
            await write(engine, stopped_within)
        assert time.monotonic() - begun < 10
        begun = time.monotonic()
        refused = await asyncio.gather(*(use(engine) for _ in range(8)))  # at connecting, and waiting for those
        assert {type(exc) for exc in refused} == {Unavailable}
        assert time.monotonic() - begun < 15
        server.answer_again()
        assert await use(engine) is None
        assert (await fetch(engine, select(policy_sources.c.display_name)))[0][0] == ACME.display_name

        server.stop_answering()
        begun = time.monotonic()
    assert time.monotonic() - begun < 10  # closing the pool
    server.answer_again()


async def test_a_deadline_ends_a_call_that_hangs_at_once(server: PostgresqlServer) -> None:
    async with opened(server.url) as engine:
        await upgrade(engine, SCRIPTS)
        await use(engine)
        server.stop_answering()
        begun = time.monotonic()
        with pytest.raises(TimeoutError):
            async with within(0.3):
                await SqlPolicyStore(engine).sources(NOBODY)
        with pytest.raises(TimeoutError):
            async with within(0.3):
                await SqlVersionStore(engine).declare(ACME)
        assert time.monotonic() - begun < 5
        server.answer_again()
        assert await use(engine) is None


async def test_a_server_that_is_killed_in_the_middle_loses_and_doubles_nothing(server: PostgresqlServer) -> None:
    async with opened(server.url) as engine:
        await upgrade(engine, SCRIPTS)
        store = SqlVersionStore(engine)
        await store.declare(ACME)
        writes = [make_write(make_version(f"acme_{number:02}")) for number in range(40)]

        async def save_all() -> None:
            for each in writes:
                while True:
                    try:
                        await store.save([each], [])
                        break
                    except Unavailable:
                        await asyncio.sleep(0.1)

        saving = asyncio.create_task(save_all())
        for _ in range(3):
            await asyncio.sleep(0.1)
            server.kill()
            await server.start()
        await saving
        assert await store.stored("acme-folder") == [each.version for each in writes]
        for each in writes:
            found = await SqlPolicyStore(engine).section(each.version.doc_id, 0, 99, NOBODY)
            assert found == passages_of(each)
        assert [await count(engine, table) for table in (versions, outbox)] == [40, 40]
