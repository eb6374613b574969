"""Opening a database."""

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.errors import DATABASE_SETTING
from adapters.sql.database.postgresql import ServerLimits, open_postgresql
from adapters.sql.database.sqlite import open_sqlite
from rag_core.errors import Misconfigured
from rag_core.ports import Breaker

_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}


def open_engine(
    database_url: str,
    *,
    pool_size: int = 10,
    statement_seconds: float = 10.0,
    application_name: str = "adpolicy",
    breaker: Breaker | None = None,
) -> AsyncEngine:
    """An engine on SQLite or PostgreSQL. Connects to nothing yet; its builder disposes of it.

    What is given besides the address holds for PostgreSQL alone: connections at most, the longest time for one
    statement, the name that the server shows, and the breaker around all reading and writing.
    Its errors never show the values of a statement: they are what people asked.
    Raises Misconfigured for an address that cannot work: unknown kind, missing driver, a folder that is
    missing or cannot be written.
    """
    url = _parsed(database_url)
    if url.get_backend_name() == "sqlite":
        return open_sqlite(url)
    limits = ServerLimits(pool_size, statement_seconds, statement_seconds / 2, application_name)
    try:
        return open_postgresql(url, limits, breaker)
    except ImportError as exc:
        raise Misconfigured("database_driver_missing", driver=url.drivername, setting=DATABASE_SETTING) from exc


def _parsed(database_url: str) -> URL:
    try:
        url = make_url(database_url)
        return url.set(drivername=_DRIVERS[url.drivername])
    except (ArgumentError, NoSuchModuleError, KeyError, ValueError) as exc:
        known = ("sqlite:///path/to/file", "postgresql://user@host/database")
        raise Misconfigured("database_url_invalid", setting=DATABASE_SETTING, known=known) from exc
