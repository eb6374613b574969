"""Connections to PostgreSQL that are lost, refused or forgotten; conflicts; answers nobody hears. Nothing is lost or
doubled, nobody waits for ever, and the way back needs no hand."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.answers import SqlAnswerRecords
from adapters.sql.database.engine import open_engine
from adapters.sql.database.lease import SqlLeaderLease
from adapters.sql.database.revision import needs_upgrade
from adapters.sql.database.transactions import fetch, read, write
from adapters.sql.policies.embeddings import SqlEmbeddingStore
from adapters.sql.policies.outbox import SqlOutbox
from adapters.sql.policies.store import SqlPolicyStore
from adapters.sql.policies.versions import SqlVersionStore
from adapters.sql.tables.policies import answers, chunks, embeddings, outbox, policy_sources, versions
from bot.ports import RecordedAnswer
from ingest.ports import VersionUpdate
from rag_core.documents import VersionStatus
from rag_core.errors import Misconfigured, Unavailable
from tests.fakes.databases import migrated_database
from tests.fakes.documents import ACME, make_version, make_write
from tests.fakes.gateway import Gateway, gateway_to
from tests.fakes.postgresql_use import count, opened, use

pytestmark = pytest.mark.services

NOBODY: frozenset[str] = frozenset()
ANSWER = RecordedAnswer("a1", "slack", "T1", "U1", "wine?", {"kind": "refusal"}, None, datetime(2026, 6, 1, tzinfo=UTC))


@pytest.fixture
async def way(tmp_path: Path) -> AsyncIterator[tuple[Gateway, AsyncEngine]]:
    """A database and the way to it."""
    async with (
        migrated_database(tmp_path, "postgresql") as address,
        gateway_to(address) as (gateway, by_gateway),
        opened(by_gateway) as engine,
    ):
        await SqlVersionStore(engine).declare(ACME)
        yield gateway, engine


async def test_connections_that_were_lost_while_nobody_looked_are_replaced(way: tuple[Gateway, AsyncEngine]) -> None:
    gateway, engine = way
    await asyncio.gather(*(SqlPolicyStore(engine).sources(NOBODY) for _ in range(4)))
    before = gateway.opened
    gateway.cut()
    found = await asyncio.gather(*(SqlPolicyStore(engine).sources(NOBODY) for _ in range(8)))
    assert found == [[]] * 8
    gateway.cut()
    await SqlVersionStore(engine).save([make_write()], [])
    assert await count(engine, versions) == 1
    assert gateway.opened > before


async def test_connections_that_somebody_between_forgot_fail_once_and_not_one_by_one(tmp_path: Path) -> None:
    async with (
        migrated_database(tmp_path, "postgresql") as address,
        gateway_to(address) as (gateway, by_gateway),
        opened(by_gateway, statement_seconds=2.0) as engine,
    ):
        assert await asyncio.gather(*(use(engine) for _ in range(4))) == [None] * 4
        gateway.forget()
        failed = await use(engine)
        assert isinstance(failed, Unavailable)
        begun = time.monotonic()
        assert [await use(engine) for _ in range(8)] == [None] * 8
        assert time.monotonic() - begun < 15


async def test_a_lease_that_nobody_can_tell_about(way: tuple[Gateway, AsyncEngine]) -> None:
    gateway, engine = way
    async with SqlLeaderLease(engine).hold("index", 0) as is_ours:
        assert is_ours
        gateway.cut()  # what is done under it goes on, and ends well
    gateway.refuses = True
    with pytest.raises(Unavailable, match="store_down"):
        async with SqlLeaderLease(engine).hold("index", 0):
            pytest.fail("nobody knows whose it is")


class CountingBreaker:
    """`rag_core.ports.Breaker`: open or not as told, and how the calls ended."""

    def __init__(self) -> None:
        self.is_open = False
        self.ended: list[str] = []
        self._inside = False

    @asynccontextmanager
    async def guard(self) -> AsyncIterator[None]:
        if self._inside:
            yield
            return
        if self.is_open:
            raise Unavailable("circuit_open", dependency="database")
        self._inside = True
        try:
            yield
            self.ended.append("answered")
        except Unavailable as exc:
            self.ended.append(exc.code)
            raise
        finally:
            self._inside = False


async def test_every_call_goes_through_the_breaker_as_one(way: tuple[Gateway, AsyncEngine]) -> None:
    gateway, way_engine = way
    breaker = CountingBreaker()
    engine = open_engine(way_engine.url.render_as_string(hide_password=False), breaker=breaker)
    await SqlPolicyStore(engine).sources(NOBODY)
    gateway.cut()  # a failure that passes is none
    await SqlVersionStore(engine).save([make_write()], [])
    assert not await needs_upgrade(engine)
    gateway.refuses = True
    gateway.cut()
    assert isinstance(await use(engine), Unavailable)
    assert breaker.ended == ["answered", "answered", "answered", "store_down"]
    gateway.refuses = False
    breaker.is_open, before = True, gateway.opened
    with pytest.raises(Unavailable, match="circuit_open"):
        await SqlPolicyStore(engine).sources(NOBODY)
    with pytest.raises(Unavailable, match="circuit_open"):
        async with SqlLeaderLease(engine).hold("index", 0):
            pytest.fail("the server is left alone")
    assert gateway.opened == before
    await engine.dispose()


async def test_what_the_server_ends_is_done_again(way: tuple[Gateway, AsyncEngine]) -> None:
    _, engine = way
    attempts = 0

    async def work(connection: AsyncConnection) -> str | None:
        nonlocal attempts
        attempts += 1
        await connection.execute(policy_sources.update().values(display_name=f"attempt {attempts}"))
        if attempts == 1:
            await connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
        return await connection.scalar(select(policy_sources.c.display_name))

    assert await write(engine, work) == "attempt 2"
    assert attempts == 2


async def test_a_conflict_is_tried_again_until_one_after_the_other_is_done(way: tuple[Gateway, AsyncEngine]) -> None:
    _, engine = way
    attempts = 0

    async def lengthen(connection: AsyncConnection) -> None:
        nonlocal attempts
        attempts += 1
        await connection.execute(text("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"))
        name = await connection.scalar(select(policy_sources.c.display_name))
        await asyncio.sleep(0.02)
        await connection.execute(policy_sources.update().values(display_name=f"{name}!"))

    await asyncio.gather(*(write(engine, lengthen) for _ in range(3)))
    assert (await fetch(engine, select(policy_sources.c.display_name)))[0][0] == ACME.display_name + "!!!"
    assert attempts > 3


async def test_who_lose_to_a_deadlock_come_second(way: tuple[Gateway, AsyncEngine]) -> None:
    _, engine = way
    await SqlVersionStore(engine).declare(replace(ACME, slug="zeta"))

    async def rename(connection: AsyncConnection, *slugs: str) -> None:
        for slug in slugs:
            renamed = policy_sources.update().where(policy_sources.c.slug == slug)
            await connection.execute(renamed.values(display_name=policy_sources.c.display_name + "!"))
            await asyncio.sleep(0.1)

    await asyncio.gather(
        write(engine, lambda connection: rename(connection, "acme", "zeta")),
        write(engine, lambda connection: rename(connection, "zeta", "acme")),
    )
    names = [row[0] for row in await fetch(engine, select(policy_sources.c.display_name))]
    assert names == [ACME.display_name + "!!"] * 2


async def test_a_commit_whose_answer_was_lost_doubles_nothing(way: tuple[Gateway, AsyncEngine]) -> None:
    gateway, engine = way
    store, box = SqlVersionStore(engine), SqlOutbox(engine)

    async def lose_the_answer() -> None:
        await SqlPolicyStore(engine).sources(NOBODY)  # a connection that works
        gateway.lose_answer_to = b"COMMIT;"

    await lose_the_answer()
    await store.declare(replace(ACME, display_name="Acme!"))
    await lose_the_answer()
    await store.save([make_write(make_version("acme_a")), make_write(make_version("acme_b"))], [])
    assert [await count(engine, table) for table in (versions, chunks, outbox)] == [2, 6, 2]

    (item, other) = await box.pending(9)
    await lose_the_answer()
    await box.failed(item.item_id, "down")
    assert (await fetch(engine, select(outbox.c.attempts).order_by(outbox.c.item_id)))[0][0] == 1
    await lose_the_answer()
    await box.done([item.item_id])
    assert [item.item_id for item in await box.waiting()] == [other.item_id]

    closing = VersionUpdate(item.doc_id, make_version().effective_from, VersionStatus.RETIRED, None)
    await lose_the_answer()
    await store.save([], [closing])
    assert (await SqlPolicyStore(engine).versions(NOBODY))[0].doc_id == other.doc_id

    await lose_the_answer()
    await SqlAnswerRecords(engine).save(ANSWER)
    await lose_the_answer()
    await SqlEmbeddingStore(engine).keep("model", {"hash": np.ones(2, np.float32)})
    assert [await count(engine, table) for table in (answers, embeddings)] == [1, 1]
    assert gateway.lose_answer_to is None


async def test_a_short_restart_is_not_noticed(way: tuple[Gateway, AsyncEngine]) -> None:
    gateway, engine = way
    gateway.refuses = True
    gateway.cut()
    asking = asyncio.create_task(SqlPolicyStore(engine).sources(NOBODY))
    saving = asyncio.create_task(SqlVersionStore(engine).save([make_write()], []))
    await asyncio.sleep(0.5)
    assert not asking.done()
    gateway.refuses = False
    await asking
    await saving
    assert await count(engine, versions) == 1


async def test_a_server_that_is_away_is_unavailable_soon(way: tuple[Gateway, AsyncEngine]) -> None:
    gateway, engine = way
    gateway.refuses = True
    gateway.cut()
    begun = time.monotonic()
    with pytest.raises(Unavailable, match="store_down"):
        await SqlPolicyStore(engine).sources(NOBODY)
    assert time.monotonic() - begun < 20


async def test_all_connections_are_in_use(way: tuple[Gateway, AsyncEngine]) -> None:
    _, engine = way
    release, all_taken = asyncio.Event(), asyncio.Barrier(5)

    async def keep(connection: AsyncConnection) -> None:
        await connection.execute(text("SELECT 1"))
        await all_taken.wait()
        await release.wait()

    keeping = [asyncio.create_task(read(engine, keep)) for _ in range(4)]
    await all_taken.wait()
    begun = time.monotonic()
    with pytest.raises(Unavailable, match="store_busy"):
        await SqlPolicyStore(engine).sources(NOBODY)
    assert 2 < time.monotonic() - begun < 20
    release.set()
    await asyncio.gather(*keeping)


async def test_the_server_knows_our_limits(way: tuple[Gateway, AsyncEngine]) -> None:
    _, engine = way
    names = ("application_name", "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
    settings = [func.current_setting(name) for name in names]
    assert tuple((await fetch(engine, select(*settings)))[0]) == ("adpolicy", "10s", "5s", "1min")


async def test_a_statement_and_a_wait_for_a_lock_have_an_end(tmp_path: Path) -> None:
    async with migrated_database(tmp_path, "postgresql") as address, opened(address, 1.0) as engine:
        await SqlVersionStore(engine).declare(ACME)
        with pytest.raises(Unavailable, match="store_busy"):
            await fetch(engine, select(func.pg_sleep(5)))

        async def keep_locked(connection: AsyncConnection) -> None:
            await connection.execute(select(policy_sources).with_for_update())
            with pytest.raises(Unavailable, match="store_busy"):
                await SqlVersionStore(engine).declare(ACME)

        await write(engine, keep_locked)
        assert (await SqlPolicyStore(engine).sources(NOBODY)) == []


async def test_several_reads_see_one_state(way: tuple[Gateway, AsyncEngine]) -> None:
    _, engine = way

    async def twice(connection: AsyncConnection) -> list[str | None]:
        names = [await connection.scalar(select(policy_sources.c.display_name))]
        await SqlVersionStore(engine).declare(replace(ACME, display_name="Renamed"))
        return [*names, await connection.scalar(select(policy_sources.c.display_name))]

    assert await read(engine, twice) == [ACME.display_name] * 2


async def test_statements_prepared_before_a_migration_are_prepared_anew(way: tuple[Gateway, AsyncEngine]) -> None:
    _, engine = way
    everything = select(text("*")).select_from(policy_sources)
    await fetch(engine, everything)

    async def migrate(connection: AsyncConnection) -> None:
        await connection.execute(text("ALTER TABLE policy_sources ADD COLUMN note TEXT"))

    async with opened(engine.url.render_as_string(hide_password=False)) as other:
        await write(other, migrate)
    assert "note" in (await fetch(engine, everything))[0]._fields


@pytest.mark.parametrize("query", ["?sslmode=nonsense", "?no_such_setting=1"])
async def test_an_address_with_what_nobody_knows(way: tuple[Gateway, AsyncEngine], query: str) -> None:
    _, engine = way
    async with opened(engine.url.render_as_string(hide_password=False) + query) as wrong:
        with pytest.raises(Misconfigured, match="database_refused"):
            await SqlPolicyStore(wrong).sources(NOBODY)


async def test_an_address_as_libpq_writes_it(way: tuple[Gateway, AsyncEngine]) -> None:
    _, engine = way
    address = engine.url.render_as_string(hide_password=False) + "?sslmode=disable&application_name=mine"
    async with opened(address) as same:
        assert await SqlPolicyStore(same).sources(NOBODY) == []
