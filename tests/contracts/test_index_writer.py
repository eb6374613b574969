"""What every index writer keeps to."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random

import numpy as np
import pytest
from blockbuster import blockbuster_ctx

from ingest.model.fingerprints import fingerprint
from ingest.ports import IndexedChunk, IndexEntry, VersionWrite
from rag_core.errors import Misconfigured, Rejected, Unavailable
from rag_core.ports import IndexFilter
from tests.fakes.documents import Section, make_version, make_write, passages_of
from tests.fakes.indexes import (
    DIMENSIONS,
    INDEX_MAKERS,
    INDEX_PARAMS,
    INDEX_PLACES,
    IndexPair,
    chunk_ids,
    in_batches,
    one_chunk,
    query,
    vectorised,
)


@pytest.fixture(params=INDEX_PARAMS)
async def pair(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[IndexPair]:
    async with INDEX_MAKERS[request.param](tmp_path / "index") as made:
        yield made


@pytest.fixture(params=INDEX_PARAMS)
async def nothing(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[IndexPair]:
    """There is no index."""
    async with INDEX_PLACES[request.param](tmp_path / "index") as made:
        yield made


BEER = one_chunk("acme_beer", "beer ads")
WINE = one_chunk("acme_wine", "wine ads")
WHISKY = one_chunk("acme_whisky", "whisky ads")


def indexed(*writes: VersionWrite) -> dict[str, IndexedChunk]:
    """What an index should have of these versions."""
    return {
        passage.chunk.chunk_id: IndexedChunk(passage.chunk.doc_id, fingerprint(passage))
        for write in writes
        for passage in passages_of(write)
    }


async def test_what_is_written_shows_only_once_committed(pair: IndexPair) -> None:
    await pair.writer.write(BEER.version.doc_id, vectorised(BEER))
    assert await pair.find("beer") == []
    assert await pair.writer.indexed() == {}
    await pair.writer.commit()
    assert await pair.find("beer") == chunk_ids(BEER)
    assert await pair.writer.indexed() == indexed(BEER)


async def test_a_commit_of_nothing_is_no_commit(pair: IndexPair) -> None:
    await pair.writer.commit()
    assert await pair.find("beer") == []
    await pair.fill(BEER)
    await pair.writer.commit()
    assert await pair.find("beer") == chunk_ids(BEER)


async def test_only_a_rebuild_makes_an_index(nothing: IndexPair) -> None:
    assert not await nothing.writer.is_current()
    assert await nothing.writer.indexed() == {}
    assert await nothing.writer.commit() == {}
    with pytest.raises(Unavailable, match="index_missing"):
        await nothing.fill(BEER)
    assert not await nothing.writer.is_current()
    with pytest.raises(Unavailable, match="index_missing"):
        await nothing.find("beer")
    await nothing.writer.rebuild(in_batches([]))
    assert await nothing.writer.is_current()
    assert await nothing.find("beer") == []
    await nothing.fill(BEER)
    assert await nothing.find("beer") == chunk_ids(BEER)


async def test_what_could_not_be_committed_is_not_committed_later(nothing: IndexPair) -> None:
    """By then it may be out of date: another process has written it meanwhile, or a rebuild did."""
    with pytest.raises(Unavailable, match="index_missing"):
        await nothing.fill(BEER)
    await nothing.writer.rebuild(in_batches([WINE]))
    await nothing.fill(WHISKY)
    assert await nothing.writer.indexed() == indexed(WINE, WHISKY)


async def test_an_index_of_which_all_is_removed_is_there_and_empty(pair: IndexPair) -> None:
    for removals in ([BEER, WINE], [WINE, BEER]):
        await pair.fill(BEER, WINE)
        for write in removals:
            await pair.writer.write(write.version.doc_id, [])
        await pair.writer.commit()
        assert await pair.writer.is_current()
        assert await pair.writer.indexed() == {}
        assert await pair.find("beer ads") == []
    for write in (BEER, WINE, WHISKY):
        await pair.fill(write)
    for gone, write in enumerate((WHISKY, BEER, WINE), start=1):
        await pair.writer.write(write.version.doc_id, [])
        await pair.writer.commit()
        assert len(await pair.find("ads")) == 3 - gone
    await pair.writer.write("acme_never_seen", [])
    assert await pair.writer.commit() == {}
    assert await pair.writer.is_current()
    assert await pair.writer.indexed() == {}
    await pair.fill(WINE)
    assert await pair.find("wine") == chunk_ids(WINE)


async def test_writing_the_same_again_changes_nothing(pair: IndexPair) -> None:
    await pair.fill(BEER, WINE)
    before = await pair.hits("beer ads")
    for _ in range(3):
        await pair.fill(BEER)
    assert [hit.chunk_id for hit in await pair.hits("beer ads")] == [hit.chunk_id for hit in before]
    assert sorted(await pair.writer.indexed()) == sorted(chunk_ids(BEER, WINE))


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
    assert sorted(await pair.writer.indexed()) == sorted(chunk_ids(after))
    gone = before.chunks[1].chunk_id
    for words in ("cider", "cider ads acme drinks"):
        assert gone not in await pair.find(words)


async def test_a_version_without_chunks_is_removed(pair: IndexPair) -> None:
    await pair.fill(BEER, WINE)
    await pair.writer.write(BEER.version.doc_id, [])
    await pair.writer.write("acme_never_seen", [])
    await pair.writer.commit()
    assert await pair.find("beer ads") == chunk_ids(WINE)
    assert await pair.writer.indexed() == indexed(WINE)


async def test_whatever_happened_the_index_holds_what_was_written_last_and_nothing_else(pair: IndexPair) -> None:
    random = Random(7)  # noqa: S311 - no secret
    expected: dict[str, VersionWrite] = {}
    for _ in range(25):
        number = random.randrange(6)
        version = make_version(f"acme_{number}")
        headings = random.sample(["Beer", "Cider", "Wine", "Perry", "Mead"], random.randrange(4))
        write = make_write(version, [Section(heading, f"{heading} ads") for heading in headings])
        if random.random() < 0.1:
            await pair.writer.rebuild(in_batches(list(expected.values())))
        await pair.writer.write(version.doc_id, vectorised(write))
        expected[version.doc_id] = write
        if random.random() < 0.6:
            assert await pair.writer.commit() == {}
    await pair.writer.commit()
    assert await pair.writer.indexed() == indexed(*expected.values())
    assert sorted(await pair.find("ads", limit=100)) == sorted(chunk_ids(*expected.values()))


async def test_what_an_index_has_changes_with_what_filters_look_at(pair: IndexPair) -> None:
    await pair.fill(BEER)
    before = await pair.writer.indexed()
    version = replace(BEER.version, labels={"stage": "beta"})
    await pair.fill(replace(BEER, version=version))
    after = await pair.writer.indexed()
    assert after.keys() == before.keys()
    assert after != before
    assert after == indexed(replace(BEER, version=version))


async def test_an_index_is_current_from_the_start_and_stays_so(pair: IndexPair) -> None:
    assert await pair.writer.is_current()
    await pair.fill(BEER)
    assert await pair.writer.is_current()
    assert await pair.writer.rebuild(in_batches([WINE])) == {}
    assert await pair.writer.is_current()


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
    assert sorted(await pair.writer.indexed()) == sorted(chunk_ids(*left))
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
    assert await pair.writer.indexed() == {}


async def test_a_rebuild_replaces_everything(pair: IndexPair) -> None:
    await pair.fill(BEER, WINE)
    await pair.writer.rebuild(in_batches([WINE, WHISKY]))
    assert sorted(await pair.writer.indexed()) == sorted(chunk_ids(WINE, WHISKY))
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
    assert await pair.writer.indexed() == {}
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
    assert sorted(await pair.writer.indexed()) == sorted(chunk_ids(BEER, WINE))


async def test_a_rebuild_with_a_wrong_vector_leaves_the_live_index(pair: IndexPair) -> None:
    async def wrong() -> AsyncIterator[Sequence[IndexEntry]]:
        (entry,) = vectorised(WINE)
        yield [IndexEntry(entry.passage, np.ones(3, dtype=np.float32))]

    await pair.fill(BEER)
    with pytest.raises(Misconfigured, match="wrong_dimensions"):
        await pair.writer.rebuild(wrong())
    assert sorted(await pair.writer.indexed()) == chunk_ids(BEER)


async def test_a_rebuild_leaves_out_a_version_with_a_vector_that_is_no_number(pair: IndexPair) -> None:
    drinks = make_write(make_version("acme_drinks"), [Section(name, "ads") for name in ("Cider", "Perry", "Mead")])

    async def with_poison() -> AsyncIterator[Sequence[IndexEntry]]:
        first, second, third = vectorised(drinks)
        poison = IndexEntry(second.passage, np.full(DIMENSIONS, np.nan, dtype=np.float32))
        yield [*vectorised(BEER), first, poison, third, *vectorised(WINE)]
        yield vectorised(WHISKY)

    refused = await pair.writer.rebuild(with_poison())
    assert list(refused) == [drinks.version.doc_id]
    assert refused[drinks.version.doc_id].startswith("vector_not_finite")
    assert await pair.writer.indexed() == indexed(BEER, WINE, WHISKY)


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
        assert list(await pair.writer.indexed()) == chunk_ids(BEER)
