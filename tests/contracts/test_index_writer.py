"""What every index writer keeps to."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from blockbuster import blockbuster_ctx

from ingest.ports import IndexEntry
from rag_core.errors import Misconfigured, Rejected, Unavailable
from rag_core.ports import IndexFilter
from tests.fakes.documents import Section, make_version, make_write
from tests.fakes.indexes import DIMENSIONS, INDEX_MAKERS, IndexPair, chunk_ids, in_batches, one_chunk, query, vectorised


@pytest.fixture(params=sorted(INDEX_MAKERS))
async def pair(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[IndexPair]:
    async with INDEX_MAKERS[request.param](tmp_path / "index") as made:
        yield made


BEER = one_chunk("acme_beer", "beer ads")
WINE = one_chunk("acme_wine", "wine ads")
WHISKY = one_chunk("acme_whisky", "whisky ads")


async def test_what_is_written_shows_only_once_committed(pair: IndexPair) -> None:
    await pair.writer.write(BEER.version.doc_id, vectorised(BEER))
    assert await pair.find("beer") == []
    assert await pair.writer.ids() == {}
    await pair.writer.commit()
    assert await pair.find("beer") == chunk_ids(BEER)
    assert await pair.writer.ids() == {chunk_ids(BEER)[0]: BEER.version.doc_id}


async def test_a_commit_of_nothing_is_no_commit(pair: IndexPair) -> None:
    await pair.writer.commit()
    assert await pair.find("beer") == []
    await pair.fill(BEER)
    await pair.writer.commit()
    assert await pair.find("beer") == chunk_ids(BEER)


async def test_writing_the_same_again_changes_nothing(pair: IndexPair) -> None:
    await pair.fill(BEER, WINE)
    before = await pair.hits("beer ads")
    for _ in range(3):
        await pair.fill(BEER)
    assert [hit.chunk_id for hit in await pair.hits("beer ads")] == [hit.chunk_id for hit in before]
    assert sorted(await pair.writer.ids()) == sorted(chunk_ids(BEER, WINE))


async def test_a_version_written_twice_before_a_commit_is_there_once(pair: IndexPair) -> None:
    await pair.writer.write(BEER.version.doc_id, [*vectorised(BEER), *vectorised(BEER)])
    await pair.writer.write(BEER.version.doc_id, vectorised(BEER))
    await pair.writer.commit()
    assert await pair.find("beer") == chunk_ids(BEER)


async def test_entries_replace_all_that_a_version_had(pair: IndexPair) -> None:
    version = make_version("acme_drinks")
    before = make_write(version, [Section("Beer", "beer ads"), Section("Cider", "cider ads")])
    after = make_write(version, [Section("Beer", "beer ads"), Section("Perry", "perry ads")])
    await pair.fill(before)
    await pair.fill(after)
    assert sorted(await pair.writer.ids()) == sorted(chunk_ids(after))
    gone = before.chunks[1].chunk_id
    for words in ("cider", "cider ads acme drinks"):
        assert gone not in await pair.find(words)


async def test_a_version_without_chunks_is_removed(pair: IndexPair) -> None:
    await pair.fill(BEER, WINE)
    await pair.writer.write(BEER.version.doc_id, [])
    await pair.writer.write("acme_never_seen", [])
    await pair.writer.commit()
    assert await pair.find("beer ads") == chunk_ids(WINE)
    assert await pair.writer.ids() == {chunk_ids(WINE)[0]: WINE.version.doc_id}


async def test_a_closed_version_is_found_for_its_days_only(pair: IndexPair) -> None:
    await pair.fill(BEER)
    closed = replace(BEER, chunks=tuple(replace(chunk, effective_to=date(2026, 4, 1)) for chunk in BEER.chunks))
    await pair.fill(closed)
    assert await pair.find("beer", IndexFilter(day=date(2026, 3, 31))) == chunk_ids(BEER)
    assert await pair.find("beer", IndexFilter(day=date(2026, 4, 1))) == []


async def test_a_version_that_becomes_restricted_is_hidden(pair: IndexPair) -> None:
    await pair.fill(BEER)
    inside = one_chunk("acme_beer", "beer ads", classification="restricted", allowed_groups=frozenset({"legal"}))
    assert chunk_ids(inside) == chunk_ids(BEER)
    await pair.fill(inside)
    assert await pair.find("beer") == []
    assert await pair.find("beer", IndexFilter(groups=frozenset({"legal"}))) == chunk_ids(BEER)


async def test_many_small_commits_lose_nothing(pair: IndexPair) -> None:
    writes = [one_chunk(f"acme_{number}", f"alcohol rule {number}") for number in range(25)]
    for write in writes:
        await pair.fill(write)
    for write in writes[::3]:
        await pair.writer.write(write.version.doc_id, [])
        await pair.writer.commit()
    left = [write for number, write in enumerate(writes) if number % 3]
    assert sorted(await pair.writer.ids()) == sorted(chunk_ids(*left))
    assert sorted(await pair.find("alcohol", limit=100)) == sorted(chunk_ids(*left))


async def test_vectors_that_cannot_be_compared_are_refused(pair: IndexPair) -> None:
    (entry,) = vectorised(BEER)
    too_long = IndexEntry(entry.passage, np.ones(DIMENSIONS + 1, dtype=np.float32))
    with pytest.raises(Misconfigured, match="wrong_dimensions") as caught:
        await pair.writer.write(BEER.version.doc_id, [too_long])
    assert caught.value.details == {"model": "fake-bag-of-words", "expected": DIMENSIONS, "got": [DIMENSIONS + 1]}
    no_number = IndexEntry(entry.passage, np.full(DIMENSIONS, np.nan, dtype=np.float32))
    with pytest.raises(Rejected, match="vector_not_finite"):
        await pair.writer.write(BEER.version.doc_id, [no_number])
    with pytest.raises(Rejected, match="wrong_version"):
        await pair.writer.write(WINE.version.doc_id, [entry])
    await pair.writer.commit()
    assert await pair.writer.ids() == {}


async def test_a_rebuild_replaces_everything(pair: IndexPair) -> None:
    await pair.fill(BEER, WINE)
    await pair.writer.rebuild(in_batches([WINE, WHISKY]))
    assert sorted(await pair.writer.ids()) == sorted(chunk_ids(WINE, WHISKY))
    assert await pair.find("beer ads", limit=100) != []
    assert chunk_ids(BEER)[0] not in await pair.find("beer ads", limit=100)
    await pair.fill(BEER)
    assert sorted(await pair.find("ads", limit=100)) == sorted(chunk_ids(BEER, WINE, WHISKY))


async def test_a_rebuild_finds_what_writing_finds(pair: IndexPair) -> None:
    writes = [one_chunk(f"acme_{n}", f"alcohol rule {n} {'beer ' * (n % 4)}") for n in range(30)]
    for write in writes:
        await pair.fill(write)
    await pair.fill(*writes[:10])
    written = await pair.hits("beer rule", limit=30)
    await pair.writer.rebuild(in_batches(writes))
    rebuilt = await pair.hits("beer rule", limit=30)
    assert {hit.chunk_id: hit.cosine for hit in rebuilt} == {hit.chunk_id: hit.cosine for hit in written}


async def test_a_rebuild_with_nothing_leaves_nothing(pair: IndexPair) -> None:
    await pair.fill(BEER)
    await pair.writer.rebuild(in_batches([]))
    assert await pair.writer.ids() == {}
    assert await pair.find("beer") == []
    await pair.fill(WINE)
    assert await pair.find("wine") == chunk_ids(WINE)


async def test_a_chunk_that_comes_twice_in_a_rebuild_is_there_once(pair: IndexPair) -> None:
    await pair.writer.rebuild(in_batches([BEER, WINE, BEER]))
    assert sorted(await pair.find("ads", limit=10)) == sorted(chunk_ids(BEER, WINE))


async def failing() -> AsyncIterator[Sequence[IndexEntry]]:
    yield vectorised(WHISKY)
    raise Unavailable("store_down")


async def test_a_rebuild_that_fails_leaves_the_live_index(pair: IndexPair) -> None:
    await pair.fill(BEER)
    with pytest.raises(Unavailable, match="store_down"):
        await pair.writer.rebuild(failing())
    assert await pair.find("beer ads", limit=10) == chunk_ids(BEER)
    await pair.fill(WINE)
    assert sorted(await pair.writer.ids()) == sorted(chunk_ids(BEER, WINE))


async def test_a_rebuild_with_a_wrong_vector_leaves_the_live_index(pair: IndexPair) -> None:
    async def wrong() -> AsyncIterator[Sequence[IndexEntry]]:
        (entry,) = vectorised(WINE)
        yield [IndexEntry(entry.passage, np.ones(3, dtype=np.float32))]

    await pair.fill(BEER)
    with pytest.raises(Misconfigured, match="wrong_dimensions"):
        await pair.writer.rebuild(wrong())
    assert sorted(await pair.writer.ids()) == chunk_ids(BEER)


async def test_searches_go_on_during_commits_and_rebuilds(pair: IndexPair) -> None:
    """Every search sees one whole state: all the chunks, each with its cosine, never some of them."""
    writes = [one_chunk(f"acme_{number}", f"alcohol rule {number}") for number in range(40)]
    await pair.fill(*writes)
    everything = sorted(chunk_ids(*writes))
    done = asyncio.Event()
    seen = 0

    async def search() -> None:
        nonlocal seen
        while not done.is_set():
            result = await pair.index.search(query("alcohol rule", limit=100))
            assert sorted(hit.chunk_id for hit in result.hits) == everything
            assert result.degraded == ()
            seen += 1

    async def change() -> None:
        try:
            for round_ in range(4):
                await pair.fill(*writes[round_::2])
                await pair.writer.rebuild(in_batches(writes))
        finally:
            done.set()

    await asyncio.gather(search(), search(), change())
    assert seen > 4


async def test_the_event_loop_is_not_blocked(pair: IndexPair) -> None:
    with blockbuster_ctx():
        await pair.fill(BEER, WINE)
        await pair.writer.rebuild(in_batches([BEER]))
        assert list(await pair.writer.ids()) == chunk_ids(BEER)
