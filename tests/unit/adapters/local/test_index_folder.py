"""The local index when its folder is not as it should be."""

import asyncio
import json
import shutil
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

from adapters.local import opened
from adapters.local.index import LocalIndex
from adapters.local.index_writer import LocalIndexWriter, Rebuild, new_manifest
from adapters.local.manifest import FORMAT, Manifest, read_manifest
from adapters.local.opened import keywords_folder, vectors_folder
from ingest.ports import IndexEntry
from rag_core.errors import Misconfigured, Unavailable
from rag_core.ports import IndexQuery
from tests.fakes.indexes import (
    DIMENSIONS,
    EMBEDDER,
    PUBLIC,
    IndexPair,
    chunk_ids,
    in_batches,
    local_pair,
    one_chunk,
    query,
    vectorised,
)

BEER = one_chunk("acme_beer", "beer ads")
WINE = one_chunk("acme_wine", "wine ads")


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[IndexPair]:
    async with local_pair(tmp_path) as made:
        await made.fill(BEER, WINE)
        yield made


def live_build(folder: Path) -> tuple[Path, Path]:
    """Where keywords and vectors are."""
    manifest = read_manifest(folder)
    assert manifest is not None
    return keywords_folder(folder, manifest), vectors_folder(folder, manifest)


def builds(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("build-*"))


def empty(folder: Path) -> None:
    """Whoever does so meets threads that still write: what is left is removed the next time."""
    for _ in range(20):
        for path in list(folder.iterdir()):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
        if not any(folder.iterdir()):
            return
        time.sleep(0.05)
    raise OSError(f"{folder} does not get empty")


async def test_without_vectors_words_answer_alone(pair: IndexPair, tmp_path: Path) -> None:
    for path in live_build(tmp_path)[1].glob("*.f32"):
        path.write_bytes(path.read_bytes()[:-4])
    async with local_pair(tmp_path) as reopened:
        result = await reopened.index.search(query("beer"))
        assert [(hit.chunk_id, hit.cosine) for hit in result.hits] == [(chunk_ids(BEER)[0], None)]
        assert result.degraded == ("vector",)
        with pytest.raises(Unavailable, match="index_failed"):
            await reopened.index.search(replace(query("beer"), terms=()))


async def test_without_keywords_vectors_answer_alone(pair: IndexPair, tmp_path: Path) -> None:
    shutil.rmtree(live_build(tmp_path)[0])
    async with local_pair(tmp_path) as reopened:
        result = await reopened.index.search(query("beer"))
        assert [hit.chunk_id for hit in result.hits] == chunk_ids(BEER, WINE)
        assert result.degraded == ("keyword",)
        with pytest.raises(Unavailable, match="index_failed"):
            await reopened.index.search(replace(query("beer"), vector=None))


async def test_a_query_vector_that_is_no_number_leaves_the_words(pair: IndexPair) -> None:
    asked = IndexQuery(query("beer").terms, np.full(DIMENSIONS, np.nan, dtype=np.float32), PUBLIC, 10)
    result = await pair.index.search(asked)
    assert [hit.chunk_id for hit in result.hits] == chunk_ids(BEER)
    assert result.degraded == ("vector",)


async def test_writing_beside_lost_keywords_is_refused_until_rebuilt(pair: IndexPair, tmp_path: Path) -> None:
    shutil.rmtree(live_build(tmp_path)[0])
    with pytest.raises(Misconfigured, match="index_broken"):
        await pair.fill(BEER)
    await pair.writer.rebuild(in_batches([BEER, WINE]))
    assert (await pair.index.search(query("beer"))).degraded == ()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 1}', '{"format": 99}', "\x00"])
async def test_a_broken_manifest_is_named_and_a_rebuild_is_the_way_out(
    pair: IndexPair, tmp_path: Path, content: str
) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(Misconfigured, match="index_broken") as caught:
        await pair.find("beer")
    assert caught.value.details["path"] == str(tmp_path / "manifest.json")
    with pytest.raises(Misconfigured, match="index_broken"):
        await pair.fill(BEER)
    await pair.writer.rebuild(in_batches([BEER]))
    assert await pair.find("beer") == chunk_ids(BEER)


async def test_an_index_of_an_older_format_is_not_current_until_rebuilt(pair: IndexPair, tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    assert await pair.writer.is_current()
    path.write_text(path.read_text().replace(f'"format":{FORMAT}', f'"format":{FORMAT - 1}'))
    assert not await pair.writer.is_current()
    await pair.writer.rebuild(in_batches([BEER, WINE]))
    assert await pair.writer.is_current()
    assert len(await pair.writer.indexed()) == 2


@pytest.mark.parametrize("leg", [0, 1], ids=["keywords", "vectors"])
async def test_an_index_that_lost_a_leg_is_not_current(pair: IndexPair, tmp_path: Path, leg: int) -> None:
    shutil.rmtree(live_build(tmp_path)[0]) if leg == 0 else [
        path.write_bytes(b"") for path in live_build(tmp_path)[1].glob("*.f32")
    ]
    async with local_pair(tmp_path) as reopened:
        assert not await reopened.writer.is_current()


async def test_an_empty_index_that_lost_its_keywords_is_broken_too(tmp_path: Path) -> None:
    async with local_pair(tmp_path) as pair:
        shutil.rmtree(live_build(tmp_path)[0])
        with pytest.raises(Misconfigured, match="index_broken"):
            await pair.fill(BEER)
    async with local_pair(tmp_path) as reopened:
        assert not await reopened.writer.is_current()


async def test_an_empty_index_that_lost_its_folder_of_vectors_lost_nothing(tmp_path: Path) -> None:
    async with local_pair(tmp_path) as pair:
        shutil.rmtree(live_build(tmp_path)[1])
        assert await pair.find("beer") == []
        await pair.fill(BEER)
        assert await pair.find("beer") == chunk_ids(BEER)


async def test_lost_rows_are_named(pair: IndexPair, tmp_path: Path) -> None:
    (rows,) = live_build(tmp_path)[1].glob("*.rows")
    lines = rows.read_text().splitlines(keepends=True)
    for damage in ("".join(lines[:-1]), "not json\n", None):
        rows.write_text(damage) if damage is not None else rows.unlink()
        async with local_pair(tmp_path) as reopened:
            with pytest.raises(Misconfigured, match="index_broken") as caught:
                await reopened.find("beer")
            assert caught.value.details["path"] == str(rows)


@pytest.mark.parametrize(("model", "dimensions"), [("other", DIMENSIONS), (EMBEDDER.model, DIMENSIONS + 1)])
async def test_another_model_is_refused_until_reindexed(
    pair: IndexPair, tmp_path: Path, model: str, dimensions: int
) -> None:
    index = LocalIndex(tmp_path, model=model, dimensions=dimensions)
    writer = LocalIndexWriter(tmp_path, model=model, dimensions=dimensions)
    (entry,) = vectorised(BEER)
    entry = IndexEntry(entry.passage, np.ones(dimensions, dtype=np.float32))
    await writer.write(BEER.version.doc_id, [entry])
    assert not await writer.is_current()
    for attempt in (index.search(replace(query("beer"), vector=None)), writer.commit(), writer.indexed()):
        with pytest.raises(Misconfigured, match="embedding_model_changed") as caught:
            await attempt
        assert caught.value.details == {
            "index_model": EMBEDDER.model,
            "model": model,
            "index_dimensions": DIMENSIONS,
            "dimensions": dimensions,
        }

    async def with_new_vectors() -> AsyncIterator[list[IndexEntry]]:
        yield [entry]

    await writer.rebuild(with_new_vectors())
    result = await index.search(IndexQuery((), entry.vector, PUBLIC, 5))
    assert [hit.chunk_id for hit in result.hits] == chunk_ids(BEER)
    with pytest.raises(Misconfigured, match="embedding_model_changed"):
        await pair.find("beer")


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    folder = tmp_path / "file" / "index"
    writer = LocalIndexWriter(folder, model=EMBEDDER.model, dimensions=DIMENSIONS)
    await writer.write(BEER.version.doc_id, vectorised(BEER))
    for attempt in (writer.commit(), writer.rebuild(in_batches([BEER]))):
        with pytest.raises(Misconfigured, match="index_unwritable") as caught:
            await attempt
        assert caught.value.details["path"] == str(folder)


async def test_a_commit_that_failed_changed_nothing_and_is_forgotten(pair: IndexPair, tmp_path: Path) -> None:
    in_the_way = tmp_path / "manifest.json.new"
    in_the_way.mkdir()
    await pair.writer.write(BEER.version.doc_id, [])
    with pytest.raises(Misconfigured, match="index_unwritable"):
        await pair.writer.commit()
    in_the_way.rmdir()
    await pair.writer.commit()
    assert sorted(await pair.find("beer ads")) == sorted(chunk_ids(BEER, WINE))
    await pair.writer.write(BEER.version.doc_id, [])
    await pair.writer.commit()
    assert await pair.find("beer ads") == chunk_ids(WINE)


async def test_a_waiting_writer_gives_up(pair: IndexPair, tmp_path: Path) -> None:
    writer = LocalIndexWriter(tmp_path, model=EMBEDDER.model, dimensions=DIMENSIONS, lock_seconds=0.1)
    await writer.write(BEER.version.doc_id, [])
    with FileLock(tmp_path / "writer.lock"):
        for attempt in (writer.commit(), writer.rebuild(in_batches([]))):
            with pytest.raises(Unavailable, match="index_busy") as caught:
                await attempt
            assert caught.value.details == {"path": str(tmp_path), "seconds": 0.1}
        assert sorted(await pair.find("beer ads")) == sorted(chunk_ids(BEER, WINE))
    await writer.write(BEER.version.doc_id, [])
    await writer.commit()
    assert await pair.find("beer ads") == chunk_ids(WINE)


async def test_a_rebuild_holds_off_other_writers(pair: IndexPair, tmp_path: Path) -> None:
    other = LocalIndexWriter(tmp_path, model=EMBEDDER.model, dimensions=DIMENSIONS, lock_seconds=0.05)
    await other.write(BEER.version.doc_id, [])

    async def slowly() -> AsyncIterator[list[IndexEntry]]:
        with pytest.raises(Unavailable, match="index_busy"):
            await other.commit()
        yield vectorised(WINE)

    await pair.writer.rebuild(slowly())
    await other.write(BEER.version.doc_id, [])
    await other.commit()
    assert await pair.find("wine") == chunk_ids(WINE)


async def test_a_cancelled_rebuild_leaves_no_trace(pair: IndexPair, tmp_path: Path) -> None:
    started = asyncio.Event()

    async def endless() -> AsyncIterator[list[IndexEntry]]:
        yield vectorised(BEER)
        started.set()
        await asyncio.Event().wait()

    rebuild = asyncio.create_task(pair.writer.rebuild(endless()))
    await started.wait()
    rebuild.cancel()
    with pytest.raises(asyncio.CancelledError):
        await rebuild
    assert builds(tmp_path) == ["build-000001"]
    await pair.fill(BEER)
    assert sorted(await pair.find("beer ads")) == sorted(chunk_ids(BEER, WINE))


@pytest.mark.parametrize("noticed", [True, False])
async def test_an_index_begun_again_is_not_taken_for_the_old_one(
    pair: IndexPair, tmp_path: Path, noticed: bool
) -> None:
    assert await pair.find("beer") != []
    empty(tmp_path)
    if noticed:
        with pytest.raises(Unavailable, match="index_missing"):
            await pair.find("beer")
        with pytest.raises(Unavailable, match="index_missing"):
            await pair.fill(BEER)
        assert not await pair.writer.is_current()
    other = one_chunk("acme_whisky", "beer ads no more")
    async with local_pair(tmp_path) as fresh:
        await fresh.fill(other, WINE)
    assert sorted(await pair.find("beer")) == sorted(chunk_ids(other, WINE))


async def test_old_files_are_removed_and_segments_stay_few(pair: IndexPair, tmp_path: Path) -> None:
    for number in range(40):
        await pair.fill(one_chunk(f"acme_{number}", f"alcohol rule {number}"))
    await pair.writer.rebuild(in_batches([BEER]))
    await pair.fill(WINE)
    assert len(builds(tmp_path)) == 1
    assert len(list(live_build(tmp_path)[1].glob("*.rows"))) <= 2
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert (manifest["model"], manifest["dimensions"]) == (EMBEDDER.model, DIMENSIONS)


async def test_vectors_are_kept_and_compared_at_unit_length(tmp_path: Path) -> None:
    async with local_pair(tmp_path) as pair:
        (entry,) = vectorised(BEER)
        await pair.writer.write(BEER.version.doc_id, [IndexEntry(entry.passage, entry.vector * 7)])
        await pair.writer.commit()
        (hit,) = (await pair.index.search(IndexQuery((), entry.vector * 3, PUBLIC, 1))).hits
        assert hit.cosine == pytest.approx(1.0, abs=1e-5)


async def test_a_commit_while_files_are_being_opened_is_noticed(
    pair: IndexPair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files that the manifest named are gone by the time they are opened."""
    interruptions = [1]

    def read_and_be_overtaken(folder: Path) -> Manifest | None:
        manifest = read_manifest(folder)
        if interruptions:
            interruptions.clear()
            asyncio.run(pair.writer.rebuild(in_batches([WINE])))
        return manifest

    monkeypatch.setattr(opened, "read_manifest", read_and_be_overtaken)
    async with local_pair(tmp_path) as reader:
        result = await reader.index.search(query("beer ads"))
        assert [hit.chunk_id for hit in result.hits] == chunk_ids(WINE)
        assert result.degraded == ()


async def test_abandoning_what_is_swapped_in_does_nothing(pair: IndexPair, tmp_path: Path) -> None:
    """A caller that is cancelled during the swap cannot know that it went through."""
    rebuild = Rebuild(tmp_path, new_manifest(tmp_path, EMBEDDER.model, DIMENSIONS, 9))
    rebuild.add(vectorised(WINE))
    rebuild.finish()
    rebuild.abandon()
    assert await pair.find("wine") == chunk_ids(WINE)


async def test_after_closing_a_search_opens_again(pair: IndexPair) -> None:
    await pair.index.aclose()
    assert await pair.find("beer ads") != []


async def test_one_blas_thread_once_an_index_is_open(pair: IndexPair) -> None:
    await pair.find("beer")
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert {pool["num_threads"] for pool in pools} == {1}
