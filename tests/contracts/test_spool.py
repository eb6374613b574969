"""Spool: what is put there is there, whole, encrypted and in order, whatever happens to the process."""

import asyncio
import errno
import os
import signal
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from adapters.local.manifest import flush_to_disk
from adapters.local.spool import LocalSpool
from adapters.sql.database.vault import new_key
from bot.ports import Spool
from rag_core.errors import Unavailable
from tests.fakes.databases import SCRIPTS
from tests.fakes.keepers import HOSTILE, all_of
from tests.fakes.spool_process import MOST_BYTES, STEPS, open_spool

KEY = new_key()
ENTRY = {"text": "can I advertise beer 🍺\x00\ud83d", "nested": {"list": [1, 2.5, None, True]}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "spool"


@pytest.fixture
def spool(folder: Path) -> LocalSpool:
    return open_spool(folder, KEY)


async def kept(spool: Spool, kind: str = "answer") -> list[tuple[str, dict[str, object]]]:
    return [each async for each in spool.entries(kind)]


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.entry"))


def all_files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def exists(path: Path) -> bool:
    return path.exists()


async def test_entries_come_back_in_the_order_they_came(spool: LocalSpool, folder: Path) -> None:
    keys = [f"key {number}" for number in (3, 1, 2)]
    for key in keys:
        await spool.put("answer", key, {**ENTRY, "key": key})
    expected = [(key, {**ENTRY, "key": key}) for key in keys]
    assert await kept(spool) == expected
    assert await kept(open_spool(folder, KEY)) == expected  # a new process


async def test_nothing_is_there_before_anything_was_put(spool: LocalSpool, folder: Path) -> None:
    assert await kept(spool) == []
    await spool.remove("answer", "a")
    assert not exists(folder)


async def test_kinds_are_apart(spool: LocalSpool) -> None:
    await spool.put("answer", "a", {"n": 1})
    await spool.put("question", "a", {"n": 2})
    await spool.remove("answer", "a")
    assert await kept(spool, "answer") == []
    assert await kept(spool, "question") == [("a", {"n": 2})]


async def test_what_is_put_again_is_replaced_in_its_place(spool: LocalSpool, folder: Path) -> None:
    for key in ("a", "b", "a"):
        await spool.put("answer", key, {"n": len(files(folder))})
    assert await kept(spool) == [("a", {"n": 2}), ("b", {"n": 1})]
    assert len(files(folder)) == 2


async def test_what_was_removed_is_gone(spool: LocalSpool) -> None:
    for key in "abc":
        await spool.put("answer", key, {})
    await spool.remove("answer", "b")
    await spool.remove("answer", "b")
    assert await kept(spool) == [("a", {}), ("c", {})]


async def test_what_was_replaced_since_it_was_read_is_not_removed(spool: LocalSpool, folder: Path) -> None:
    await spool.put("answer", "a", {"n": 1})
    async for key, _ in spool.entries("answer"):
        await open_spool(folder, KEY).put("answer", key, {"n": 2})
        await spool.remove("answer", key)
    assert await kept(spool) == [("a", {"n": 2})]
    await spool.remove("answer", "a")
    assert await kept(spool) == []


async def test_what_is_put_while_the_rest_is_worked_on_waits_for_its_turn(spool: LocalSpool) -> None:
    for key in "ab":
        await spool.put("answer", key, {})
    seen = []
    async for key, _ in spool.entries("answer"):
        seen.append(key)
        await spool.remove("answer", key)
        await spool.put("answer", f"{key} again", {})
    assert seen == ["a", "b"]
    assert [key for key, _ in await kept(spool)] == ["a again", "b again"]


async def test_of_many_at_once_each_is_there(spool: LocalSpool, folder: Path) -> None:
    await all_of([spool.put("answer", f"{number % 100}", {}) for number in range(200)])
    assert sorted(int(key) for key, _ in await kept(spool)) == list(range(100))
    others = [open_spool(folder, KEY) for _ in range(4)]
    await all_of([others[n % 4].put("answer", f"{n}", {}) for n in range(100, 200)])
    assert sorted(int(key) for key, _ in await kept(spool)) == list(range(200))


async def test_odd_keys_are_keys_and_are_not_in_names(spool: LocalSpool, folder: Path) -> None:
    for odd in HOSTILE:
        await spool.put(f"kind {odd}", odd, ENTRY)
    for odd in HOSTILE:
        assert await kept(spool, f"kind {odd}") == [(odd, ENTRY)]
    assert all(len(path.name) < 100 and path.name.isascii() for path in files(folder))
    for odd in HOSTILE:
        await spool.remove(f"kind {odd}", odd)
    assert files(folder) == []


@pytest.fixture
def open_folder(folder: Path) -> Path:
    folder.mkdir(parents=True, mode=0o755)
    return folder


async def test_nobody_else_can_read_it(spool: LocalSpool, open_folder: Path) -> None:
    await spool.put("secret kind", "secret key", {"text": "secret text"})
    assert mode(open_folder) == 0o700
    for path in all_files(open_folder):
        assert mode(path) == 0o600
        assert b"secret" not in path.read_bytes() + path.name.encode()


async def test_there_is_room_for_so_much(folder: Path) -> None:
    small = open_spool(folder, KEY, most_bytes=10_000)
    for number in range(3):
        await small.put("answer", str(number), {"text": "x" * 2_000})
    with pytest.raises(Unavailable, match="spool_full") as caught:
        await small.put("answer", "3", {"text": "x" * 2_000})
    assert caught.value.details == {"path": str(folder)}
    assert [key for key, _ in await kept(small)] == ["0", "1", "2"]
    await small.put("answer", "1", {"text": "y" * 2_000})  # what is replaced makes room
    await small.remove("answer", "0")
    await small.put("answer", "3", {"text": "x" * 2_000})
    assert [key for key, _ in await kept(small)] == ["1", "2", "3"]
    assert sum(path.stat().st_size for path in files(folder)) <= 10_000


async def test_what_is_too_large_for_all_the_room_is_refused(folder: Path) -> None:
    with pytest.raises(Unavailable, match="spool_full"):
        await open_spool(folder, KEY, most_bytes=1_000).put("answer", "a", {"text": "x" * 1_000})
    assert files(folder) == []


async def test_what_cannot_be_read_stays_and_is_counted(spool: LocalSpool, folder: Path) -> None:
    await spool.put("answer", "a", {})
    await open_spool(folder, new_key()).put("answer", "b", {})
    await spool.put("answer", "c", {})
    files(folder)[2].write_bytes(b"\xff cut off")
    assert [key for key, _ in await kept(spool)] == ["a"]
    assert [key for key, _ in await kept(spool)] == ["a"]
    assert spool.unreadable == 2
    assert len(files(folder)) == 3
    await spool.put("answer", "c", {})
    assert [key for key, _ in await kept(spool)] == ["a", "c"]
    assert spool.unreadable == 1
    await spool.remove("answer", "b")
    assert spool.unreadable == 0


async def test_what_another_process_removed_is_counted_no_more(spool: LocalSpool, folder: Path) -> None:
    other = open_spool(folder, new_key())
    await other.put("answer", "a", {})
    await spool.put("answer", "b", {})
    assert [key for key, _ in await kept(spool)] == ["b"]
    assert (spool.unreadable, len(spool._seen)) == (1, 1)
    for key in "ab":
        await other.remove("answer", key)
    assert await kept(spool) == []
    assert (spool.unreadable, len(spool._seen)) == (0, 0)


async def test_what_is_no_entry_is_not_touched(spool: LocalSpool, folder: Path) -> None:
    await spool.put("answer", "a", {})
    (folder / "notes.entry").write_text("of somebody")
    await spool.put("answer", "b", {})
    assert [key for key, _ in await kept(spool)] == ["a", "b"]
    assert exists(folder / "notes.entry")


async def test_a_folder_that_cannot_be_is_unwritable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    spool = open_spool(tmp_path / "file" / "spool", KEY)
    with pytest.raises(Unavailable, match="spool_unwritable"):
        await spool.put("answer", "a", {})
    with pytest.raises(Unavailable, match="spool_unwritable"):
        await kept(spool)


async def test_a_process_that_holds_the_lock_is_not_waited_for_for_ever(folder: Path) -> None:
    spool = LocalSpool(folder, encrypt=str, decrypt=str, most_bytes=MOST_BYTES, lock_seconds=0.1)
    await spool.put("answer", "a", {})
    with spool._changing():
        with pytest.raises(Unavailable, match="spool_unwritable"):
            await spool.put("answer", "b", {})
        assert [key for key, _ in await kept(spool)] == ["a"]


async def test_a_full_disk_is_full_and_leaves_nothing(
    spool: LocalSpool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await spool.put("answer", "a", {})

    def full(_: Any) -> None:
        raise OSError(errno.ENOSPC, "no space")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(Unavailable, match="spool_full"):
            await spool.put("answer", "b", {})
    assert sorted(path.name for path in all_files(folder) if path.suffix != ".entry") in ([], ["lock"])
    assert [key for key, _ in await kept(spool)] == ["a"]


async def test_files_are_written_in_other_threads(
    spool: LocalSpool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(*paths: Path) -> None:
        asyncio.run_coroutine_threadsafe(waiting.wait(), loop).result(timeout=5)
        flush_to_disk(*paths)

    monkeypatch.setattr("adapters.local.spool.flush_to_disk", slow)
    putting = asyncio.create_task(spool.put("answer", "a", {}))
    await asyncio.sleep(0.05)
    assert not putting.done()
    waiting.set()  # only a loop that was free can do this
    await putting


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("key", ["new", "known"])
async def test_killed_at_any_step_nothing_is_lost_or_broken(
    spool: LocalSpool, folder: Path, step: str, key: str
) -> None:
    await spool.put("answer", "known", {"text": "old"})
    code, _ = await finished(await process(folder, step, key))
    assert code == -signal.SIGKILL
    after = dict(await kept(spool))
    written = {"known": {"text": "old"}} | {key: {"text": f"new {key}"}}
    assert after == (written if step in ("renamed", "folder flushed") else {"known": {"text": "old"}})
    assert spool.unreadable == 0
    await spool.put("answer", key, {"text": "again"})
    assert dict(await kept(spool)) == {"known": {"text": "old"}} | {key: {"text": "again"}}
    assert not [path for path in all_files(folder) if path.suffix == ".unfinished"]


async def test_killed_at_any_moment_what_was_said_to_be_safe_is_safe(spool: LocalSpool, folder: Path) -> None:
    for run in range(3):
        filling = await process(folder, "fill", f"run{run}")
        assert filling.stdout is not None
        await filling.stdout.readuntil(f"{5 + run}\n".encode())
        filling.kill()
        _, later = await finished(filling)
        safe = [*map(str, range(6 + run)), *later]
        found = [key for key, _ in await kept(spool) if key.startswith(f"run{run}-")]
        assert found == [f"run{run}-{number}" for number in range(len(found))]
        assert 0 < len(safe) <= len(found) <= len(safe) + 1
    assert spool.unreadable == 0


async def test_processes_side_by_side_neither_lose_nor_double(spool: LocalSpool, folder: Path) -> None:
    filling = [await process(folder, "some", name) for name in ("a", "b")]
    for each in filling:
        assert (await finished(each))[0] == 0
    expected = {f"{name}-{number}" for name in ("a", "b") for number in range(100)}
    found = [key for key, _ in await kept(spool)]
    assert sorted(found) == sorted(expected)
    for name in ("a", "b"):  # each in its own order
        assert [key for key in found if key.startswith(name)] == [f"{name}-{number}" for number in range(100)]
    draining = [await process(folder, "drain"), await process(folder, "some", "c"), await process(folder, "drain")]
    results = [await finished(each) for each in draining]
    left = {key for key, _ in await kept(spool)}
    handled = {*results[0][1], *results[2][1]}
    assert [code for code, _ in results] == [0, 0, 0]
    assert handled | left == expected | {f"c-{number}" for number in range(100)}
    assert not handled & left


async def process(folder: Path, *arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.spool_process", str(folder), KEY, *arguments),
        cwd=SCRIPTS.parents[1],
        stdout=asyncio.subprocess.PIPE,
    )


async def finished(started: asyncio.subprocess.Process) -> tuple[int | None, list[str]]:
    """Its exit code, and the whole lines it said."""
    output, _ = await started.communicate()
    return started.returncode, output.decode().rpartition("\n")[0].split()
