"""An engine on an SQLite file."""

import asyncio
import os
import sqlite3
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import aiosqlite
from sqlalchemy import URL, Connection, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from adapters.sql.database import one_trip
from adapters.sql.database.dialect import MIGRATES, SINGLE, WRITES
from adapters.sql.database.errors import DATABASE_SETTING, FOLDER_SETTING
from rag_core.errors import Misconfigured

_BUSY_SECONDS = 10.0


def open_sqlite(url: URL) -> AsyncEngine:
    """Raises Misconfigured for a file that cannot be: none named, folder missing or not writable."""
    _check_file(url.database)
    options = {"timeout": _BUSY_SECONDS, "async_creator_fn": one_trip.connect}
    engine = create_async_engine(url, connect_args=options, hide_parameters=True)
    event.listen(engine.sync_engine, "connect", _prepare)
    event.listen(engine.sync_engine, "begin", _begin)
    event.listen(engine.sync_engine, "invalidate", _let_go)
    return engine


def _check_file(database: str | None) -> None:
    if not database or database == ":memory:":
        # every process and every connection would see a store of its own
        raise Misconfigured("database_without_file", setting=DATABASE_SETTING)
    file = Path(database).absolute()
    writable = os.access(file.parent, os.W_OK | os.X_OK) and not file.is_dir()
    if not database.startswith("file:") and not writable:
        raise Misconfigured("data_dir_unwritable", path=str(file), setting=FOLDER_SETTING)


def _prepare(dbapi_connection: Any, _record: object) -> None:
    # the driver would begin transactions when it sees fit; None leaves them to `_begin`
    with ExitStack() as unless_ready:
        unless_ready.callback(dbapi_connection.close)  # the pool forgets a connection that fails here
        dbapi_connection.isolation_level = None
        dbapi_connection.run_async(_set_pragmas)
        unless_ready.pop_all()


async def _set_pragmas(connection: aiosqlite.Connection) -> None:
    await connection.execute("PRAGMA foreign_keys=ON")
    await connection.execute("PRAGMA secure_delete=ON")  # what is deleted is overwritten, not only left out
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


def _begin(connection: Connection) -> None:
    # a transaction that reads first and writes later fails at once when somebody wrote in between
    # (SQLITE_BUSY_SNAPSHOT, no waiting helps), so writers queue up from their first statement on
    options = connection.get_execution_options()
    if options.get(SINGLE):
        return  # one statement is one state of the database anyway
    if options.get(MIGRATES):
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")  # inside a transaction it would do nothing
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(WRITES) else "BEGIN")


def _let_go(dbapi_connection: Any, _record: object, _exception: object) -> None:
    # somebody was cancelled within a statement: closing alone would keep the lock for as long as a traceback
    # holds that statement's cursor
    with suppress(sqlite3.Error):
        dbapi_connection.rollback()
