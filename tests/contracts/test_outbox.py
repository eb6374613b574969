"""Outbox: what the index has to learn stays until it is done, and one bad item holds up no other."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.policies.outbox import SqlOutbox
from adapters.sql.policies.versions import SqlVersionStore
from adapters.sql.tables.policies import outbox as outbox_table
from ingest.ports import OutboxLag, VersionUpdate
from rag_core.documents import Classification, VersionStatus
from tests.fakes.documents import ACME, Section, make_version, make_write, passages_of

START = datetime(2026, 6, 1, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        return self.time

    def advance(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def store(engine: AsyncEngine, clock: Clock) -> SqlVersionStore:
    opened = SqlVersionStore(engine, clock)
    await opened.declare(ACME)
    return opened


@pytest.fixture
def outbox(engine: AsyncEngine, clock: Clock) -> SqlOutbox:
    return SqlOutbox(engine, clock)


async def waiting(outbox: SqlOutbox, limit: int = 100) -> list[str]:
    return [item.doc_id for item in await outbox.pending(limit)]


async def test_every_version_touched_waits_in_order(store: SqlVersionStore, outbox: SqlOutbox) -> None:
    old, other = make_write(), make_write(make_version("acme_b"))
    new = make_write(make_version(effective_from=date(2026, 3, 1)))
    await store.save([other, old], [])
    closing = VersionUpdate(old.version.doc_id, date(2026, 3, 1), VersionStatus.RETIRED, None)
    await store.save([new], [closing])
    ids = [write.version.doc_id for write in (other, old, new, old)]
    assert await waiting(outbox) == ids
    assert await waiting(outbox, 2) == ids[:2]
    assert await waiting(outbox, 0) == await waiting(outbox, -1) == []


async def test_done_removes_just_these(store: SqlVersionStore, outbox: SqlOutbox) -> None:
    await store.save([make_write(make_version(f"acme_{n}")) for n in range(3)], [])
    items = await outbox.pending(10)
    await outbox.done([items[0].item_id, items[2].item_id, 10_000])
    await outbox.done([])
    assert await outbox.pending(10) == [items[1]]


async def test_a_change_during_the_work_is_not_lost(store: SqlVersionStore, outbox: SqlOutbox) -> None:
    write = make_write()
    await store.save([write], [])
    (item,) = await outbox.pending(10)
    change = VersionUpdate(write.version.doc_id, None, VersionStatus.HELD, None)
    await store.save([], [change])
    await outbox.done([item.item_id])
    assert await waiting(outbox) == [write.version.doc_id]


async def test_an_item_id_is_never_given_twice(store: SqlVersionStore, outbox: SqlOutbox) -> None:
    await store.save([make_write()], [])
    (first,) = await outbox.pending(10)
    await outbox.done([first.item_id])
    await store.save([make_write(make_version("acme_b"))], [])
    (second,) = await outbox.pending(10)
    assert second.item_id > first.item_id


async def test_what_failed_waits_longer_each_time_and_holds_up_no_other(
    engine: AsyncEngine, store: SqlVersionStore, outbox: SqlOutbox, clock: Clock
) -> None:
    await store.save([make_write(make_version("acme_bad")), make_write(make_version("acme_good"))], [])
    bad, good = await outbox.pending(2)
    await outbox.failed(bad.item_id, "no room" * 1000)
    assert await outbox.pending(1) == [good]
    clock.advance(4)
    assert await outbox.pending(2) == [good]
    clock.advance(1)
    assert await outbox.pending(2) == [bad, good]
    await outbox.failed(bad.item_id, "again")
    clock.advance(9)
    assert await outbox.pending(2) == [good]
    clock.advance(1)
    assert await outbox.pending(2) == [bad, good]
    async with engine.connect() as connection:
        row = (await connection.execute(select(outbox_table).where(outbox_table.c.item_id == bad.item_id))).one()
    assert (row.attempts, row.last_reason) == (2, "again")


async def test_nothing_waits_longer_than_an_hour(store: SqlVersionStore, outbox: SqlOutbox, clock: Clock) -> None:
    await store.save([make_write()], [])
    (item,) = await outbox.pending(1)
    for _ in range(60):
        await outbox.failed(item.item_id, "still down")
    clock.advance(3599)
    assert await outbox.pending(1) == []
    clock.advance(1)
    assert await outbox.pending(1) == [item]
    await outbox.failed(item.item_id + 1, "done by somebody else meanwhile")


async def test_chunks_are_those_to_be_indexed_whoever_may_see_them(store: SqlVersionStore, outbox: SqlOutbox) -> None:
    public = make_write()
    secret = make_write(
        make_version("acme_b", classification=Classification.RESTRICTED, allowed_groups=frozenset({"legal"}))
    )
    await store.save([public, secret], [])
    assert await outbox.chunks(public.version.doc_id) == passages_of(public)
    assert await outbox.chunks(secret.version.doc_id) == passages_of(secret)
    assert await outbox.chunks("no-such-version") == []


@pytest.mark.parametrize(
    ("status", "ends", "shown"),
    [
        (VersionStatus.LIVE, None, True),
        (VersionStatus.RETIRED, date(2026, 3, 1), True),
        (VersionStatus.RETIRED, date(2026, 1, 1), False),
        (VersionStatus.HELD, None, False),
        (VersionStatus.PROCESSING, None, False),
        (VersionStatus.FAILED, None, False),
    ],
)
async def test_what_is_shown_for_no_day_has_no_place_in_the_index(
    store: SqlVersionStore, outbox: SqlOutbox, status: VersionStatus, ends: date | None, shown: bool
) -> None:
    write = make_write(status=status, effective_to=ends)
    await store.save([write], [])
    assert bool(await outbox.chunks(write.version.doc_id)) is shown
    assert bool([batch async for batch in outbox.all_passages()]) is shown


async def test_all_passages_are_every_one_once_in_batches(store: SqlVersionStore, outbox: SqlOutbox) -> None:
    rules = [Section(f"Rule {n}", f"Rule number {n} holds.") for n in range(700)]
    writes = [make_write(make_version(name), rules) for name in ("acme_a", "acme_b")]
    hidden = make_write(make_version("acme_aa", status=VersionStatus.HELD))
    await store.save([*reversed(writes), hidden], [])
    batches = [batch async for batch in outbox.all_passages()]
    assert [len(batch) for batch in batches] == [500, 500, 400]
    assert [passage for batch in batches for passage in batch] == [
        passage for write in writes for passage in passages_of(write)
    ]


async def test_writers_go_on_during_a_rebuild(store: SqlVersionStore, outbox: SqlOutbox) -> None:
    rules = [Section(f"Rule {n}", f"Rule number {n} holds.") for n in range(600)]
    write = make_write(make_version("acme_a"), rules)
    await store.save([write], [])
    seen = 0
    async for batch in outbox.all_passages():
        if not seen:
            await store.save([make_write(make_version("acme_b"))], [])
        seen += len(batch)
    assert seen == 603
    assert await waiting(outbox) == [write.version.doc_id, "acme_b_2026-01-01"]


async def test_passages_of_one_version_share_it(store: SqlVersionStore, outbox: SqlOutbox) -> None:
    write = make_write()
    await store.save([write], [])
    first, second, _ = await outbox.chunks(write.version.doc_id)
    assert first.version is second.version
    assert first.version == replace(write.version, chunk_count=3)


async def test_lag_says_how_far_the_index_is_behind(store: SqlVersionStore, outbox: SqlOutbox, clock: Clock) -> None:
    assert await outbox.lag() == OutboxLag(0, 0, None)
    await store.save([make_write(make_version("acme_a"))], [])
    clock.advance(60)
    await store.save([make_write(make_version("acme_b")), make_write(make_version("acme_c"))], [])
    assert await outbox.lag() == OutboxLag(3, 0, START)
    first, second, _ = await outbox.pending(9)
    await outbox.failed(second.item_id, "no room")
    assert await outbox.lag() == OutboxLag(3, 1, START, "no room")
    await outbox.done([first.item_id])
    assert await outbox.lag() == OutboxLag(2, 1, START + timedelta(seconds=60), "no room")


async def test_waiting_are_the_failing_ones_too(store: SqlVersionStore, outbox: SqlOutbox) -> None:
    assert await outbox.waiting() == []
    await store.save([make_write(make_version(f"acme_{n}")) for n in range(3)], [])
    items = [item.item_id for item in await outbox.pending(9)]
    await outbox.failed(items[0], "no room")
    assert [item.item_id for item in await outbox.waiting()] == items
    await outbox.done(items[1:])
    assert [item.item_id for item in await outbox.waiting()] == items[:1]
