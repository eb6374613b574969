"""Column types that mean the same on SQLite and on PostgreSQL."""

import re
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, Text
from sqlalchemy.dialects.postgresql import JSONB, TEXT
from sqlalchemy.types import TypeDecorator, TypeEngine

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def utc_now() -> datetime:
    """The clock of those who are given no other."""
    return datetime.now(UTC)


def storable(text: str) -> str:
    """`text` with what no database takes (NUL, lone surrogates) replaced one for one: offsets stay true."""
    return _UNSTORABLE.sub("\ufffd", text)


class PlainText(TypeDecorator[str]):
    """Text of any length."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


class Encrypted(PlainText):
    """What `adapters.sql.database.vault` made of a text. Every column of it is in `adapters.sql.people.encrypted`, so
    that a new key reaches it."""

    cache_ok = True


class Key(PlainText):
    """An identifier: compared and sorted byte by byte on every database."""

    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return TEXT(collation="C") if dialect.name == "postgresql" else Text()


class UtcDateTime(TypeDecorator[datetime]):
    """A moment. Only aware datetimes go in; what comes out is in UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a datetime without time zone means a different moment on every machine")
        moment = value.astimezone(UTC)
        # SQLite has no time zones: there a moment is written as UTC, in a form that sorts
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def storable_json(value: Any) -> Any:
    """Plain JSON values with every text in them `storable`."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(key): storable_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [storable_json(each) for each in value]
    return value


class Json(TypeDecorator[Any]):
    """Plain JSON values (see `bot.model.jsonable`); JSONB on PostgreSQL. None is NULL."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        return storable_json(value)

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return JSONB(none_as_null=True) if dialect.name == "postgresql" else JSON(none_as_null=True)
