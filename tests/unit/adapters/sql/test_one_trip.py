"""A statement on SQLite takes one trip to the connection's thread."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.database.engine import open_engine
from adapters.sql.database.one_trip import OneTripConnection


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    opened = open_engine(f"sqlite:///{tmp_path}/store.sqlite3")
    async with opened.begin() as connection:
        await connection.execute(text("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE)"))
    yield opened
    await opened.dispose()


async def _driver_of(connection: AsyncConnection) -> OneTripConnection:
    found = (await connection.get_raw_connection()).driver_connection
    assert isinstance(found, OneTripConnection)
    return found


async def test_one_trip_a_statement(engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    trips: list[Any] = []
    execute = OneTripConnection._execute

    async def counted(self: OneTripConnection, work: Any, *args: Any, **options: Any) -> Any:
        trips.append(work)
        return await execute(self, work, *args, **options)  # type: ignore[no-untyped-call]

    async with engine.begin() as connection:
        await connection.execute(text("SELECT 1"))  # begins the transaction
        monkeypatch.setattr(OneTripConnection, "_execute", counted)
        await connection.execute(text("INSERT INTO things (name) VALUES (:name)"), [{"name": "a"}, {"name": "b"}])
        rows = (await connection.execute(text("SELECT id, name FROM things ORDER BY id"))).all()
        monkeypatch.undo()
    assert [tuple(row) for row in rows] == [(1, "a"), (2, "b")]
    assert len(trips) == 2


async def test_what_a_statement_tells_besides_its_rows(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        for name in ("a", "b", "c"):
            await connection.execute(text("INSERT INTO things (name) VALUES (:name)"), {"name": name})
        changed = await connection.execute(text("UPDATE things SET name = name || '!' WHERE id > 1"))
        assert changed.rowcount == 2
        gone = await connection.execute(text("DELETE FROM things WHERE id = 1 RETURNING name"))
        assert [tuple(row) for row in gone.all()] == [("a",)]
        found = await connection.execute(text("SELECT name FROM things WHERE id = 99"))
        assert (list(found.keys()), found.all()) == (["name"], [])


async def test_a_refused_statement_leaves_a_connection_that_works(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        await connection.execute(text("INSERT INTO things (name) VALUES ('a')"))
        with pytest.raises(IntegrityError):
            await connection.execute(text("INSERT INTO things (name) VALUES ('a')"))
        await connection.rollback()
        assert (await connection.scalar(text("SELECT count(*) FROM things"))) == 0


async def test_nothing_of_a_cancelled_statement_stays_open(engine: AsyncEngine, tmp_path: Path) -> None:
    endless = text(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i) FROM n"
    )

    async def ask() -> None:
        async with engine.begin() as connection:
            await connection.execute(text("INSERT INTO things (name) VALUES ('a')"))
            await connection.execute(endless)

    task = asyncio.create_task(ask())
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    def write_elsewhere() -> int:
        other = sqlite3.connect(tmp_path / "store.sqlite3", timeout=10)
        try:
            other.execute("INSERT INTO things (name) VALUES ('b')")
            other.commit()
            return int(other.execute("SELECT count(*) FROM things").fetchone()[0])
        finally:
            other.close()

    assert await asyncio.to_thread(write_elsewhere) == 1


async def test_its_thread_does_not_keep_the_process_alive(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        assert (await _driver_of(connection))._thread.daemon
