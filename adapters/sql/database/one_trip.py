"""SQLite statements in one trip to their connection's thread each.

aiosqlite makes four: a cursor, the statement, its rows, the cursor's end. Each is two changes of threads, which for
most statements take longer than the statement, and with a busy thread beside them far longer.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import aiosqlite

_ROWS_AT_A_TIME = 64


def connect(database: str, **options: Any) -> "OneTripConnection":
    """A connection once it is awaited; arguments as of `sqlite3.connect`."""
    return OneTripConnection(lambda: sqlite3.connect(database, **options), _ROWS_AT_A_TIME)


class OneTripConnection(aiosqlite.Connection):
    """Its thread does not keep the process alive."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._thread.daemon = True

    def cursor(self) -> "OneTripCursor":  # type: ignore[override]  # SQLAlchemy asks for no more than this one can
        return OneTripCursor(self)

    async def run(self, sql: str, parameters: Sequence[Any]) -> "Ran":
        """One statement, from its parameters to its last row."""
        return await self._in_thread(_run, sql, parameters)

    async def run_many(self, sql: str, parameters: Iterable[Sequence[Any]]) -> "Ran":
        """One statement for each of `parameters`."""
        return await self._in_thread(_run_many, sql, parameters)

    async def _in_thread(self, work: Any, sql: str, parameters: Any) -> "Ran":
        ran: Ran = await self._execute(work, self._conn, sql, parameters)  # type: ignore[no-untyped-call]
        return ran


@dataclass(frozen=True, slots=True)
class Ran:
    """What is left of a cursor. `description`: None where a statement has no rows."""

    description: Any = None
    rowcount: int = -1
    lastrowid: int | None = None
    rows: Sequence[Any] = ()


class OneTripCursor:
    """As much of a cursor as SQLAlchemy asks for: it takes all rows right after the statement anyway."""

    arraysize = 1

    def __init__(self, connection: OneTripConnection) -> None:
        self._connection = connection
        self._ran = Ran()

    async def __aenter__(self) -> Self:
        return self

    @property
    def description(self) -> Any:
        return self._ran.description

    @property
    def rowcount(self) -> int:
        return self._ran.rowcount

    @property
    def lastrowid(self) -> int | None:
        return self._ran.lastrowid

    async def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Self:
        self._ran = await self._connection.run(sql, parameters)
        return self

    async def executemany(self, sql: str, parameters: Iterable[Sequence[Any]]) -> Self:
        self._ran = await self._connection.run_many(sql, parameters)
        return self

    async def fetchall(self) -> Sequence[Any]:
        return self._ran.rows

    async def close(self) -> None:
        """Nothing is open."""


def _run(connection: sqlite3.Connection, sql: str, parameters: Sequence[Any]) -> Ran:
    cursor = connection.execute(sql, parameters)
    try:
        rows = cursor.fetchall() if cursor.description else ()
        return Ran(cursor.description, cursor.rowcount, cursor.lastrowid, rows)
    finally:
        cursor.close()


def _run_many(connection: sqlite3.Connection, sql: str, parameters: Iterable[Sequence[Any]]) -> Ran:
    cursor = connection.executemany(sql, parameters)
    try:
        return Ran(None, cursor.rowcount, cursor.lastrowid)
    finally:
        cursor.close()
