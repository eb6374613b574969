"""A data folder of an earlier revision: opening it brings it up to date, its history of changes too."""

from datetime import date
from pathlib import Path

import pytest

from adapters.sql.changes import SqlChangeFeed
from adapters.sql.migrate import downgrade
from adapters.sql.version_store import SqlVersionStore
from ops.config import Config
from ops.doctor import migrate
from ops.wiring import open_engine
from rag_core.changes import ChangeKind, ChangesWanted
from tests.fakes.databases import SCRIPTS
from tests.fakes.documents import ACME, make_version, make_write

NOBODY: frozenset[str] = frozenset()


async def folder_before_changes(config: Config) -> None:
    """Two versions, stored by the revision that recorded no changes."""
    async with open_engine(config) as engine:
        store = SqlVersionStore(engine)
        await store.declare(ACME)
        first = make_version(effective_from=date(2025, 1, 1), effective_to=date(2026, 1, 1))
        second = make_version(effective_from=date(2026, 1, 1), supersedes=first.doc_id, title="New")
        await store.save([make_write(first), make_write(second)], [])
        await downgrade(engine, SCRIPTS, "0002")


async def kinds(config: Config) -> list[ChangeKind]:
    async with open_engine(config) as engine:
        return [each.kind for each in await SqlChangeFeed(engine).changes(ChangesWanted(), NOBODY)]


async def test_the_first_to_open_it_tells_what_changed(tmp_path: Path) -> None:
    config = Config(data_dir=tmp_path)
    await folder_before_changes(config)
    assert await kinds(config) == [ChangeKind.ADDED, ChangeKind.FORMATTING]
    assert await kinds(config) == [ChangeKind.ADDED, ChangeKind.FORMATTING]


async def test_migrate_finishes_what_was_broken_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = Config(data_dir=tmp_path)
    await folder_before_changes(config)
    assert await kinds(config)
    async with open_engine(config) as engine, engine.begin() as connection:
        await connection.exec_driver_sql("DELETE FROM policy_changes")
    assert await migrate(config) == 0
    assert "1 document stored before" in capsys.readouterr().out
    assert await kinds(config) == [ChangeKind.ADDED, ChangeKind.FORMATTING]
    assert await migrate(config) == 0
    assert "stored before" not in capsys.readouterr().out
