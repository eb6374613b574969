"""The local index with several processes on one folder, and with processes that die."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.local.index_writer import LocalIndexWriter
from adapters.local.manifest import read_manifest
from rag_core.errors import Unavailable
from rag_core.ports import IndexQuery
from tests.fakes.indexes import (
    DIMENSIONS,
    EMBEDDER,
    PUBLIC,
    IndexPair,
    chunk_ids,
    in_batches,
    local_pair,
    local_place,
    one_chunk,
    terms,
    vectorised,
)
from tests.fakes.killed_writer import COMMIT_STEPS, NEW, OLD, REBUILD_STEPS, VERSION

ROOT = Path(__file__).resolve().parents[4]

SEARCH = """
import asyncio, json, sys
from pathlib import Path
from tests.fakes.indexes import local_pair

async def main():
    async with local_pair(Path(sys.argv[1])) as pair:
        hits = await pair.hits(sys.argv[2], limit=100)
        print(json.dumps([[hit.chunk_id, hit.score, hit.cosine] for hit in hits]))

asyncio.run(main())
"""

WRITE_ON_AND_ON = """
import asyncio, sys
from pathlib import Path
from tests.fakes.indexes import local_pair, one_chunk

async def main():
    async with local_pair(Path(sys.argv[1])) as pair:
        for number in range(10_000):
            await pair.fill(one_chunk(f"acme_{number % 20}", f"alcohol rule {number}"))
            print(number, flush=True)

asyncio.run(main())
"""


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


def writing_on_and_on(folder: Path) -> subprocess.Popen[str]:
    """Commits a chunk after the other, 20 versions in all, and prints the number of each."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITE_ON_AND_ON, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def next_commit(writer: subprocess.Popen[str]) -> int:
    assert writer.stdout is not None
    return int(writer.stdout.readline())


def builds(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("build-*"))


async def everything(pair: IndexPair) -> list[str]:
    return sorted(await pair.find("ads beer cider perry wine", limit=100))


async def test_another_process_finds_the_same(tmp_path: Path) -> None:
    async with local_pair(tmp_path) as pair:
        await pair.fill(*(one_chunk(f"acme_{number}", f"alcohol rule {number}") for number in range(20)))
        await pair.fill(one_chunk("acme_3", "alcohol rule changed"))
        mine = [[hit.chunk_id, hit.score, hit.cosine] for hit in await pair.hits("alcohol rule 7", limit=100)]
    done = await asyncio.to_thread(run_python, "-c", SEARCH, str(tmp_path), "alcohol rule 7")
    assert json.loads(done.stdout) == mine, done.stderr


async def test_a_reader_sees_what_another_process_commits(tmp_path: Path) -> None:
    async with local_pair(tmp_path) as pair:
        assert await pair.find("alcohol") == []
        with writing_on_and_on(tmp_path) as writer:
            for _ in range(5):
                committed = await asyncio.to_thread(next_commit, writer)
                assert len(await pair.find("alcohol", limit=100)) >= committed + 1
            writer.kill()


async def test_two_writers_keep_what_the_other_committed(tmp_path: Path) -> None:
    beer, wine, whisky = (one_chunk(f"acme_{drink}", f"{drink} ads") for drink in ("beer", "wine", "whisky"))
    async with local_pair(tmp_path) as one, local_pair(tmp_path) as other:
        await asyncio.gather(one.fill(beer), other.fill(wine))
        await one.fill(whisky)
        assert sorted(await other.writer.indexed()) == sorted(chunk_ids(beer, wine, whisky))
        assert (await other.find("whisky"))[:1] == chunk_ids(whisky)


@pytest.mark.parametrize("step", COMMIT_STEPS)
async def test_a_writer_killed_in_a_commit_leaves_one_whole_state(tmp_path: Path, step: str) -> None:
    async with local_pair(tmp_path) as pair:
        await pair.fill(OLD)
        killed = await asyncio.to_thread(run_python, "-m", "tests.fakes.killed_writer", str(tmp_path), step)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        expected = NEW if step in {"manifest swapped", "nothing swept"} else OLD
        assert await everything(pair) == sorted(chunk_ids(expected))
        assert sorted(await pair.writer.indexed()) == sorted(chunk_ids(expected))
        await pair.fill(NEW)
        assert await everything(pair) == sorted(chunk_ids(NEW))
        await assert_no_orphans(pair, tmp_path)


async def test_what_a_killed_writer_left_in_the_keyword_index_takes_no_hits_place(tmp_path: Path) -> None:
    """The best match is a chunk that counts no more and could not be removed."""
    async with local_pair(tmp_path) as pair:
        await pair.fill(OLD)
        await asyncio.to_thread(run_python, "-m", "tests.fakes.killed_writer", str(tmp_path), "manifest swapped")
        result = await pair.index.search(IndexQuery(terms("cider", "ads"), None, PUBLIC, 1, depth=1))
        assert len(result.hits) == 1
        assert result.hits[0].chunk_id in chunk_ids(NEW)


@pytest.mark.parametrize("step", REBUILD_STEPS)
async def test_a_writer_killed_in_a_rebuild_leaves_one_whole_state(tmp_path: Path, step: str) -> None:
    async with local_pair(tmp_path) as pair:
        await pair.fill(OLD)
        killed = await asyncio.to_thread(run_python, "-m", "tests.fakes.killed_writer", str(tmp_path), step)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        expected = NEW if step == "rebuild swapped" else OLD
        assert await everything(pair) == sorted(chunk_ids(expected))
        await pair.fill(NEW)
        assert await everything(pair) == sorted(chunk_ids(NEW))
        await assert_no_orphans(pair, tmp_path)
        assert len(builds(tmp_path)) == 1


@pytest.mark.parametrize("after", [1, 4, 9])
async def test_a_writer_killed_at_any_moment_can_be_followed(tmp_path: Path, after: int) -> None:
    with writing_on_and_on(tmp_path) as writer:
        for _ in range(after):
            committed = await asyncio.to_thread(next_commit, writer)
        await asyncio.sleep(0.003 * after)
        os.kill(writer.pid, signal.SIGKILL)
    async with local_place(tmp_path) as pair:
        assert len(await pair.find("alcohol", limit=100)) >= committed + 1
        added = one_chunk("acme_new", "alcohol brandnew")
        await pair.fill(added)
        assert (await pair.find("brandnew alcohol"))[0] == chunk_ids(added)[0]
        await assert_no_orphans(pair, tmp_path)


async def assert_no_orphans(pair: IndexPair, folder: Path) -> None:
    """The keyword side holds exactly the rows that the vector side has, and the disk nothing that is not named."""
    assert isinstance(pair.writer, LocalIndexWriter)
    snapshot = pair.writer._opened.snapshot()
    manifest = read_manifest(folder)
    assert snapshot is not None
    assert snapshot.keywords is not None
    assert manifest is not None
    assert snapshot.keywords.documents == manifest.rows == len(await pair.writer.indexed())
    named = {entry.name for entry in manifest.segments}
    assert {path.stem for path in (folder / manifest.build / "vectors").iterdir()} == named


async def test_the_lock_of_a_dead_writer_is_free(tmp_path: Path) -> None:
    first = next(iter(COMMIT_STEPS))
    async with local_pair(tmp_path) as pair:
        await pair.fill(OLD)
    killed = await asyncio.to_thread(run_python, "-m", "tests.fakes.killed_writer", str(tmp_path), first)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    writer = LocalIndexWriter(tmp_path, model=EMBEDDER.model, dimensions=DIMENSIONS, lock_seconds=0.5)
    await writer.write(VERSION.doc_id, vectorised(NEW))
    await writer.commit()
    assert sorted(await writer.indexed()) == sorted(chunk_ids(NEW))


async def test_a_writer_killed_in_the_first_rebuild_leaves_no_index(tmp_path: Path) -> None:
    killed = await asyncio.to_thread(run_python, "-m", "tests.fakes.killed_writer", str(tmp_path), "all added")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    async with local_place(tmp_path) as pair:
        assert not await pair.writer.is_current()
        with pytest.raises(Unavailable, match="index_missing"):
            await pair.find("beer")
        await pair.writer.rebuild(in_batches([OLD]))
        assert await everything(pair) == sorted(chunk_ids(OLD))
    assert len(builds(tmp_path)) == 1
