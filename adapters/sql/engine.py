"""Opening a database, and its transactions."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiosqlite
from sqlalchemy import URL, Connection, event, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from adapters.sql.errors import DATABASE_SETTING, FOLDER_SETTING, translated
from rag_core.errors import Misconfigured

_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}
_BUSY_SECONDS = 10.0
_WRITES = "adpolicy_writes"
_MIGRATES = "adpolicy_migrates"


def open_engine(database_url: str) -> AsyncEngine:
    """An engine on SQLite or PostgreSQL. Connects to nothing yet; its builder disposes of it.

    Its errors never show the values of a statement: they are what people asked.
    Raises Misconfigured for an address that cannot work: unknown kind, missing driver, a folder that is
    missing or cannot be written.
    """
    url = _parsed(database_url)
    try:
        if url.get_backend_name() == "postgresql":
            return create_async_engine(url, pool_pre_ping=True, hide_parameters=True)
        _check_file(url.database)
        engine = create_async_engine(url, connect_args={"timeout": _BUSY_SECONDS}, hide_parameters=True)
    except ImportError as exc:
        raise Misconfigured("database_driver_missing", driver=url.drivername, setting=DATABASE_SETTING) from exc
    event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    event.listen(engine.sync_engine, "begin", _begin_sqlite)
    event.listen(engine.sync_engine, "invalidate", _let_go_of_sqlite)
    return engine


def _parsed(database_url: str) -> URL:
    try:
        url = make_url(database_url)
        return url.set(drivername=_DRIVERS[url.drivername])
    except (ArgumentError, NoSuchModuleError, KeyError, ValueError) as exc:
        known = ("sqlite:///path/to/file", "postgresql://user@host/database")
        raise Misconfigured("database_url_invalid", setting=DATABASE_SETTING, known=known) from exc


def _check_file(database: str | None) -> None:
    if not database or database == ":memory:":
        # every process and every connection would see a store of its own
        raise Misconfigured("database_without_file", setting=DATABASE_SETTING)
    file = Path(database).absolute()
    writable = os.access(file.parent, os.W_OK | os.X_OK) and not file.is_dir()
    if not database.startswith("file:") and not writable:
        raise Misconfigured("data_dir_unwritable", path=str(file), setting=FOLDER_SETTING)


def _prepare_sqlite(dbapi_connection: Any, _record: object) -> None:
    # the driver would begin transactions when it sees fit; None leaves them to `_begin_sqlite`
    with ExitStack() as unless_ready:
        unless_ready.callback(dbapi_connection.close)  # the pool forgets a connection that fails here
        dbapi_connection.isolation_level = None
        dbapi_connection.run_async(_set_pragmas)
        unless_ready.pop_all()


async def _set_pragmas(connection: aiosqlite.Connection) -> None:
    await connection.execute("PRAGMA foreign_keys=ON")
    loop = asyncio.get_running_loop()
    give_up = loop.time() + _BUSY_SECONDS
    while True:
        try:
            await connection.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError as exc:
            # several open a new file at the same moment: SQLite's own time-out does not hold for this change
            if exc.sqlite_errorcode != sqlite3.SQLITE_BUSY or loop.time() > give_up:
                raise
        await asyncio.sleep(0.01)
    await connection.execute("PRAGMA synchronous=NORMAL")


def _begin_sqlite(connection: Connection) -> None:
    # a transaction that reads first and writes later fails at once when somebody wrote in between
    # (SQLITE_BUSY_SNAPSHOT, no waiting helps), so writers queue up from their first statement on
    options = connection.get_execution_options()
    if options.get(_MIGRATES):
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")  # inside a transaction it would do nothing
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(_WRITES) else "BEGIN")


def _let_go_of_sqlite(dbapi_connection: Any, _record: object, _exception: object) -> None:
    # somebody was cancelled within a statement: closing alone would keep the lock for as long as a traceback
    # holds that statement's cursor
    with suppress(sqlite3.Error):
        dbapi_connection.rollback()


@asynccontextmanager
async def reading(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection to read with: one state of the database throughout."""
    with translated(engine):
        async with engine.connect() as connection:
            yield connection


@asynccontextmanager
async def writing(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A transaction: all of it or, after an exception, nothing."""
    with translated(engine):
        async with engine.connect() as connection:
            await connection.execution_options(**{_WRITES: True})
            async with connection.begin():
                yield connection


@asynccontextmanager
async def migrating(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """Like `writing`, but SQLite does not enforce foreign keys: it changes a table by replacing it with a copy."""
    with translated(engine):
        async with engine.connect() as connection:
            await connection.execution_options(**{_WRITES: True, _MIGRATES: True})
            try:
                async with connection.begin():
                    yield connection
            finally:
                await connection.invalidate()  # back in the pool it would go on without foreign keys
