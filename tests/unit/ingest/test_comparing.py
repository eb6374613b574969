"""Store and index held against each other, on a real store."""

from dataclasses import replace

from ingest.indexing import compare
from ingest.model.fingerprints import fingerprint
from ingest.ports import IndexedChunk
from tests.fakes.documents import ACME, make_version, make_write
from tests.fakes.workshop import Workshop

BEER, WINE = (make_write(make_version(f"acme_{name}")) for name in ("beer", "wine"))
BEERS, WINES = BEER.version.doc_id, WINE.version.doc_id


async def stored(workshop: Workshop) -> dict[str, IndexedChunk]:
    """As an index has it that lacks nothing."""
    await workshop.versions.declare(ACME)
    await workshop.versions.save([BEER, WINE], [])
    return {
        each.chunk.chunk_id: IndexedChunk(each.chunk.doc_id, fingerprint(each)) for each in await workshop.passages()
    }


async def test_nothing_differs(workshop: Workshop) -> None:
    found = await compare(workshop.outbox, await stored(workshop))
    assert (found.chunks, found.versions, found.differing) == (6, 2, frozenset())
    assert (found.only_in_store, found.only_in_index, found.changed) == ({}, {}, {})


async def test_both_may_be_empty(workshop: Workshop) -> None:
    found = await compare(workshop.outbox, {})
    assert (found.chunks, found.versions, found.differing) == (0, 0, frozenset())


async def test_each_kind_of_difference_is_told_apart(workshop: Workshop) -> None:
    indexed = await stored(workshop)
    lost, other = BEER.chunks[0].chunk_id, WINE.chunks[1].chunk_id
    del indexed[lost]
    indexed[other] = replace(indexed[other], fingerprint="0" * 32)
    indexed["orphan"] = IndexedChunk("acme_gone", "1" * 32)
    found = await compare(workshop.outbox, indexed)
    assert (found.chunks, found.versions) == (6, 2)
    assert found.only_in_store == {lost: BEERS}
    assert found.changed == {other: WINES}
    assert found.only_in_index == {"orphan": "acme_gone"}
    assert found.differing == {BEERS, WINES, "acme_gone"}


async def test_what_was_given_is_left_as_it_is(workshop: Workshop) -> None:
    indexed = await stored(workshop)
    before = dict(indexed)
    await compare(workshop.outbox, indexed)
    assert indexed == before
