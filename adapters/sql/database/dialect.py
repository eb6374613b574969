"""The few statements that SQLite and PostgreSQL word differently. Nothing else here asks which one it is."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Dialect, Table, Text, any_, func, literal, select, text, type_coerce
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

Item = TypeVar("Item")

# options of connections
WRITES = "adpolicy_writes"
MIGRATES = "adpolicy_migrates"
SINGLE = "adpolicy_single"

BATCH = 1_000
"""Values in one IN list: far below what the databases take (32,766 parameters a statement)."""

_MIGRATION_LOCK = 4_721_001
_CHANGES_LOCK = 4_721_002


def batches(items: Iterable[Item], size: int = BATCH) -> Iterator[Sequence[Item]]:
    """`items` in their order, at most `size` at a time."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch


def for_one_statement(dialect: Dialect) -> Mapping[str, Any]:
    """Options of a connection that reads once."""
    return {"isolation_level": "AUTOCOMMIT"} if dialect.name == "postgresql" else {SINGLE: True}


def for_one_state(dialect: Dialect) -> Mapping[str, Any]:
    """Options of a connection that reads several times and sees the same each time."""
    if dialect.name == "postgresql":
        return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    return {}


def insert_into(connection: AsyncConnection | AsyncEngine, table: Table) -> sqlite.Insert | postgresql.Insert:
    """An INSERT that can be given ON CONFLICT."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def shares_any(dialect: Dialect, column: ColumnElement[Any], values: Collection[str]) -> ColumnElement[bool]:
    """Whether the JSON list in `column` has one of `values`."""
    if dialect.name == "postgresql":
        return column.bool_op("?|")(_array(values))
    each = func.json_each(column).table_valued("value")
    return select(literal(1)).select_from(each).where(among(dialect, each.c.value, values)).exists()


def utc_day(dialect: Dialect, column: ColumnElement[Any]) -> ColumnElement[str]:
    """The day of a moment, in UTC, as YYYY-MM-DD."""
    if dialect.name == "postgresql":
        return func.to_char(func.timezone("UTC", column), "YYYY-MM-DD")
    return func.strftime("%Y-%m-%d", column)


def among(dialect: Dialect, column: ColumnElement[str], values: Collection[str]) -> ColumnElement[bool]:
    """Whether `column` is one of `values`. The statement is the same however many there are, so it is prepared once."""
    if dialect.name == "postgresql":
        return column == any_(_array(values))
    each = func.json_each(literal(json.dumps(sorted(values)))).table_valued("value")
    return column.in_(select(each.c.value))


def _array(values: Collection[str]) -> ColumnElement[Any]:
    return literal(sorted(values), postgresql.ARRAY(postgresql.TEXT))


async def lock_for_migration(connection: AsyncConnection) -> None:
    """One process at a time migrates; SQLite's writers queue up anyway."""
    if connection.dialect.name == "postgresql":
        await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})


async def lock_for_changes(connection: AsyncConnection) -> None:
    """One transaction at a time records changes, until its end; SQLite's writers queue up anyway."""
    if connection.dialect.name == "postgresql":
        await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _CHANGES_LOCK})


def as_stored(dialect: Dialect, column: ColumnElement[Any]) -> ColumnElement[Any]:
    """SQLite keeps whatever it is given: there the column as text, for who must expect anything."""
    return type_coerce(column, Text) if dialect.name == "sqlite" else column


def chains_itself(dialect: Dialect) -> bool:
    """Whether the database has the function `audit_append`: on a server every round trip counts while others wait."""
    return dialect.name == "postgresql"


async def broken_references(connection: AsyncConnection) -> list[str]:
    """Tables whose foreign keys point to nothing; PostgreSQL lets none come about."""
    if connection.dialect.name == "postgresql":
        return []
    rows = await connection.exec_driver_sql("PRAGMA foreign_key_check")
    return sorted({str(row[0]) for row in rows.all()})
