"""The few statements that SQLite and PostgreSQL word differently. Nothing else here asks which one it is."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Dialect, Table, func, literal, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

Item = TypeVar("Item")

BATCH = 1_000
"""Values in one IN list: far below what the databases take (32,766 parameters a statement)."""

_MIGRATION_LOCK = 4_721_001


def batches(items: Iterable[Item], size: int = BATCH) -> Iterator[Sequence[Item]]:
    """`items` in their order, at most `size` at a time."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch


def insert_into(connection: AsyncConnection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """An INSERT that can be given ON CONFLICT."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def shares_any(dialect: Dialect, column: ColumnElement[Any], values: Collection[str]) -> ColumnElement[bool]:
    """Whether the JSON list in `column` has one of `values`."""
    unnest = func.jsonb_array_elements_text if dialect.name == "postgresql" else func.json_each
    each = unnest(column).table_valued("value")
    return select(literal(1)).select_from(each).where(each.c.value.in_(sorted(values))).exists()


async def lock_for_migration(connection: AsyncConnection) -> None:
    """One process at a time migrates; SQLite's writers queue up anyway."""
    if connection.dialect.name == "postgresql":
        await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})


async def broken_references(connection: AsyncConnection) -> list[str]:
    """Tables whose foreign keys point to nothing; PostgreSQL lets none come about."""
    if connection.dialect.name == "postgresql":
        return []
    rows = await connection.exec_driver_sql("PRAGMA foreign_key_check")
    return sorted({str(row[0]) for row in rows.all()})
