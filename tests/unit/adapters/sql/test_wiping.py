"""What was deleted is got out of the file, whoever deleted it and however."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.engine import open_engine
from adapters.sql.database.wiping import empty_log, wipe
from rag_core.errors import Unavailable
from tests.fakes.databases import migrated_engine

SECRET = b"absinthe"


def files(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("store.sqlite3*"))


def delete_carelessly(folder: Path) -> None:
    """As programs did that did not ask for overwriting."""
    connection = sqlite3.connect(folder / "store.sqlite3")
    connection.execute("PRAGMA secure_delete=OFF")
    with connection:
        insert = "INSERT INTO policy_sources (slug, display_name, aliases) VALUES (?, ?, '[]')"
        connection.executemany(insert, [(f"s{number}", f"absinthe {number}" * 50) for number in range(100)])
    with connection:
        connection.execute("DELETE FROM policy_sources")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


async def test_what_was_deleted_without_overwriting_is_gone_afterwards(tmp_path: Path) -> None:
    async with migrated_engine(tmp_path) as engine:
        delete_carelessly(tmp_path)
        assert SECRET in files(tmp_path)
        await wipe(engine)
        assert SECRET not in files(tmp_path)
        assert await row_count(engine) == 0


async def test_who_reads_without_an_end_is_waited_for_and_then_named(tmp_path: Path) -> None:
    async with migrated_engine(tmp_path) as engine:
        reader = open_engine(f"sqlite:///{tmp_path / 'store.sqlite3'}")
        async with reader.connect() as connection:
            await connection.exec_driver_sql("SELECT * FROM policy_sources")
            delete_carelessly(tmp_path)
            moments = iter(range(0, 1000, 15))
            with pytest.raises(Unavailable, match="store_busy"):
                await empty_log(engine, clock=lambda: float(next(moments)))
        await empty_log(engine)
        await reader.dispose()


async def row_count(engine: AsyncEngine) -> int:
    async with engine.connect() as connection:
        return int((await connection.exec_driver_sql("SELECT count(*) FROM policy_sources")).scalar_one())
