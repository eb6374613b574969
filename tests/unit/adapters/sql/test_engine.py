"""Opening databases: what cannot work is refused by name; transactions wait, roll back and let go."""

import asyncio
import gc
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import URL, event, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database import sqlite as engine_module
from adapters.sql.database.engine import open_engine
from adapters.sql.database.transactions import reading, writing
from adapters.sql.policies.store import SqlPolicyStore
from adapters.sql.policies.versions import SqlVersionStore
from adapters.sql.tables.policies import policy_sources
from rag_core.documents import PolicySource
from rag_core.errors import Misconfigured, PolicyBotError, Unavailable
from tests.fakes.databases import migrated_engine
from tests.fakes.documents import ACME, make_version, make_write

NOBODY: frozenset[str] = frozenset()


@pytest.fixture(scope="module", autouse=True)
def _only_what_is_new_is_collected() -> Iterator[None]:
    """To look through all that the tests before have left takes a second each time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _nothing_left_open() -> Iterator[None]:
    """A connection that was not closed says so when it is collected, which fails its test."""
    yield
    gc.collect()


async def first_use(address: str) -> None:
    engine = open_engine(address)
    try:
        await SqlPolicyStore(engine).sources(NOBODY)
    finally:
        await engine.dispose()


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("", "database_url_invalid"),
        ("store.sqlite3", "database_url_invalid"),
        ("mysql://user@host/db", "database_url_invalid"),
        ("sqlite+pysqlite:///store.sqlite3", "database_url_invalid"),
        ("postgresql://user@host:port/db", "database_url_invalid"),
        ("sqlite://", "database_without_file"),
        ("sqlite:///:memory:", "database_without_file"),
    ],
)
def test_an_address_that_cannot_work_is_refused_at_once(address: str, code: str) -> None:
    with pytest.raises(Misconfigured, match=code) as caught:
        open_engine(address)
    assert str(caught.value.details["setting"]).startswith("ADPOLICY_")


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(Misconfigured, match="database_driver_missing") as caught:
        open_engine(URL.create("postgresql", "user", "secret", "host").render_as_string(hide_password=False))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("place", [".", "no-such-folder/store.sqlite3", "a-file/store.sqlite3"])
def test_a_file_that_cannot_be_made(tmp_path: Path, place: str) -> None:
    (tmp_path / "a-file").touch()
    with pytest.raises(Misconfigured, match="data_dir_unwritable") as caught:
        open_engine(f"sqlite:///{tmp_path / place}")
    assert caught.value.details == {"path": str(tmp_path / place), "setting": "ADPOLICY_DATA_DIR"}


def test_a_folder_that_cannot_be_written() -> None:
    before = os.getuid()
    with tempfile.TemporaryDirectory() as folder:  # `tmp_path` is in a folder that only its owner may enter
        Path(folder).chmod(0o555)
        os.setreuid(before or 65534, -1)  # root may write everywhere; asked is what the real user may
        try:
            with pytest.raises(Misconfigured, match="data_dir_unwritable"):
                open_engine(f"sqlite:///{folder}/store.sqlite3")
        finally:
            os.setreuid(before, -1)


async def test_a_folder_that_vanished_since(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    engine = open_engine(f"sqlite:///{folder / 'store.sqlite3'}")
    folder.rmdir()
    with pytest.raises(Misconfigured, match="data_dir_unwritable"):
        await SqlPolicyStore(engine).sources(NOBODY)
    await asyncio.sleep(0.2)  # the driver's thread ends a little after its error


async def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite3"
    file.write_bytes(b"not a database " * 100)
    with pytest.raises(Misconfigured, match="store_unreadable") as caught:
        await first_use(f"sqlite:///{file}")
    assert caught.value.details["path"] == str(file)


async def test_a_disk_that_cannot_be_written(tmp_path: Path) -> None:
    async with migrated_engine(tmp_path) as engine:
        await SqlVersionStore(engine).declare(ACME)
    readonly = open_engine(f"sqlite:///file:{tmp_path / 'store.sqlite3'}?mode=ro&uri=true")
    try:
        assert await SqlPolicyStore(readonly).sources(NOBODY) == []
        with pytest.raises(Misconfigured, match="data_dir_unwritable"):
            await SqlVersionStore(readonly).declare(ACME)
    finally:
        await readonly.dispose()


async def test_a_disk_that_is_full(tmp_path: Path) -> None:
    async with migrated_engine(tmp_path) as engine:
        pass
    engine = open_engine(engine.url.render_as_string())
    event.listen(engine.sync_engine, "connect", lambda raw, _: raw.execute("PRAGMA max_page_count=1"))
    try:
        store = SqlVersionStore(engine)
        with pytest.raises(Unavailable, match="store_full"):
            await store.declare(PolicySource("acme", "A" * 1_000_000))
    finally:
        await engine.dispose()


async def test_a_database_without_tables(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="store_not_migrated"):
        await first_use(f"sqlite:///{tmp_path / 'store.sqlite3'}")


async def test_a_database_that_somebody_else_keeps_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "_BUSY_SECONDS", 0.05)
    async with migrated_engine(tmp_path) as engine:
        other = sqlite3.connect(tmp_path / "store.sqlite3")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="store_busy"):
            await SqlVersionStore(engine).declare(ACME)
        assert await SqlPolicyStore(engine).sources(NOBODY) == []  # readers do not wait for writers
        other.close()
        await SqlVersionStore(engine).declare(ACME)


async def test_a_new_file_that_others_are_just_opening(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite3"
    other = sqlite3.connect(file)
    other.executescript("BEGIN IMMEDIATE")
    opening = asyncio.create_task(first_use(f"sqlite:///{file}"))
    await asyncio.sleep(0.2)
    assert not opening.done()
    other.close()
    with pytest.raises(Misconfigured, match="store_not_migrated"):  # open, and empty
        await opening


async def test_a_new_file_that_others_never_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "_BUSY_SECONDS", 0.05)
    file = tmp_path / "store.sqlite3"
    other = sqlite3.connect(file)
    other.executescript("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable, match="store_busy"):
        await first_use(f"sqlite:///{file}")
    other.close()


async def test_sqlite_is_set_up_on_every_connection(tmp_path: Path) -> None:
    async with migrated_engine(tmp_path) as engine, reading(engine) as first, reading(engine) as second:
        for connection in (first, second):
            pragmas = [
                await connection.scalar(text(f"PRAGMA {name}"))
                for name in ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
            ]
            assert pragmas == ["wal", 1, 1, 10_000]


async def test_who_reads_first_and_writes_then_does_not_fail(engine: AsyncEngine) -> None:
    await SqlVersionStore(engine).declare(ACME)

    async def lengthen() -> None:
        async with writing(engine) as connection:
            name = await connection.scalar(select(policy_sources.c.display_name).with_for_update())
            await asyncio.sleep(0)
            await connection.execute(policy_sources.update().values(display_name=f"{name}!"))

    await asyncio.gather(*(lengthen() for _ in range(20)))
    async with reading(engine) as connection:
        assert await connection.scalar(select(policy_sources.c.display_name)) == ACME.display_name + "!" * 20


async def write_and_fail(engine: AsyncEngine) -> None:
    async with writing(engine) as connection:
        await connection.execute(policy_sources.insert().values(slug="acme", display_name="Acme", aliases=[]))
        raise LookupError


async def test_an_error_takes_everything_back(engine: AsyncEngine) -> None:
    with pytest.raises(LookupError):
        await write_and_fail(engine)
    async with reading(engine) as connection:
        assert (await connection.execute(select(policy_sources))).all() == []


async def test_who_is_cancelled_leaves_nothing_half_done_and_nothing_locked(engine: AsyncEngine) -> None:
    store = SqlVersionStore(engine)
    await store.declare(ACME)
    ended: list[object] = []  # keeps the tracebacks, and what they hold
    for step in range(80):
        write = make_write(make_version(f"acme_{step}"))
        saving = asyncio.create_task(store.save([write], []))
        await asyncio.sleep(step * 0.0001)
        saving.cancel()
        ended += await asyncio.gather(saving, return_exceptions=True)
        found = await SqlPolicyStore(engine).section(write.version.doc_id, 0, 99, NOBODY)
        assert len(found) in (0, 3)
        await store.save([write], [])
    assert any(isinstance(each, asyncio.CancelledError) for each in ended)
    assert len(await store.stored("acme-folder")) == 80


async def test_errors_do_not_show_what_people_wrote(engine: AsyncEngine) -> None:
    with pytest.raises(PolicyBotError) as caught:
        await SqlVersionStore(engine).declare(PolicySource("Not a slug", "somebody's words"))
    shown: BaseException | None = caught.value
    while shown is not None:
        assert "somebody's words" not in str(shown)
        shown = shown.__cause__
