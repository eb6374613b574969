"""Removals: who removed what, on every database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.policies.sources import SqlRemovals
from adapters.sql.policies.versions import SqlVersionStore
from ingest.ports import Removal, RemovalKind
from rag_core.errors import Rejected
from tests.fakes.documents import ACME, make_write

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
BEER = Removal(RemovalKind.DOCUMENT, "acme_beer", "ops", NOON, "a draft")
DOCS = Removal(RemovalKind.SOURCE, "acme-docs", "ops", NOON, all_days=True)


@pytest.fixture
def removals(engine: AsyncEngine) -> SqlRemovals:
    return SqlRemovals(engine)


async def test_what_is_recorded_comes_back_oldest_first(removals: SqlRemovals) -> None:
    first, second = await removals.record(BEER), await removals.record(DOCS)
    assert first < second
    assert await removals.all() == [replace(BEER, removal_id=first), replace(DOCS, removal_id=second)]


async def test_one_that_is_in_force_is_not_recorded_twice(removals: SqlRemovals) -> None:
    first = await removals.record(BEER)
    assert await removals.record(replace(BEER, person="legal", at=NOON + timedelta(days=1))) == first
    assert await removals.all() == [replace(BEER, removal_id=first)]
    assert await removals.record(replace(BEER, all_days=True)) != first


async def test_undoing_is_recorded_and_the_row_stays(removals: SqlRemovals) -> None:
    number = await removals.record(BEER)
    later = NOON + timedelta(days=2)

    undone = await removals.undo(number, "legal", later)

    assert undone == replace(BEER, removal_id=number, undone_at=later, undone_by="legal")
    assert await removals.all() == [undone]
    again = await removals.record(BEER)
    assert again > number
    assert [each.undone_at for each in await removals.all()] == [later, None]


async def test_what_is_not_in_force_cannot_be_undone(removals: SqlRemovals) -> None:
    number = await removals.record(BEER)
    await removals.undo(number, "legal", NOON)
    for wrong in (number, number + 1):
        with pytest.raises(Rejected, match="unknown_removal"):
            await removals.undo(wrong, "ops", NOON + timedelta(days=1))


async def test_documents_are_removable_by_the_source_they_came_from(removals: SqlRemovals, engine: AsyncEngine) -> None:
    assert await removals.removable() == {}
    store = SqlVersionStore(engine)
    await store.declare(ACME)
    for source_id, document_id in (("docs", "acme_beer"), ("docs", "acme_wine"), ("web", "acme_ale")):
        await store.save([make_write(document_id=document_id, source_id=source_id)], [])
    assert await removals.removable() == {"docs": {"acme_beer", "acme_wine"}, "web": {"acme_ale"}}
