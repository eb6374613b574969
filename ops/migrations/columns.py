"""Columns, constraints and types for migrations. What is here stays as it is: migrations that ran rely on it."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

# identifiers are compared and sorted byte by byte on every database
KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
TEXT = sa.Text()
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
MOMENT = sa.DateTime(timezone=True)
DATE = sa.Date()
BOOL = sa.Boolean()
INT = sa.Integer()
BIG = sa.BigInteger()
SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
REAL: sa.Double[float] = sa.Double()
BYTES = sa.LargeBinary()


def new_tables() -> sa.MetaData:
    """For the tables of one migration; names constraints as the code does."""
    return sa.MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
        }
    )


def primary(kind: Any, names: str) -> Iterator[sa.Column[Any]]:
    return (sa.Column(name, kind, primary_key=True) for name in names.split())


def required(kind: Any, names: str) -> Iterator[sa.Column[Any]]:
    return (sa.Column(name, kind, nullable=False) for name in names.split())


def optional(kind: Any, names: str) -> Iterator[sa.Column[Any]]:
    return (sa.Column(name, kind) for name in names.split())


def one_of(column: str, values: str) -> sa.CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values.split())
    return sa.CheckConstraint(f"{column} IN ({listed})", name=column)


def index(name: str, columns: str, *, unique: bool = False, where: str | None = None) -> sa.Index:
    """`where`: of the rows that fulfil this condition."""
    condition = None if where is None else sa.text(where)
    return sa.Index(name, *columns.split(), unique=unique, sqlite_where=condition, postgresql_where=condition)
