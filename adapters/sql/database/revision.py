"""Which state of the tables this code was written for. Imports no Alembic: that costs a start-up half a second."""

from sqlalchemy import inspect, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.database.transactions import read

HEAD_REVISION = "0021"
"""The newest migration; a test compares it with the scripts."""


async def needs_upgrade(engine: AsyncEngine) -> bool:
    """Whether `migrate.upgrade` has something to do, or to complain about."""
    return await revision(engine) != HEAD_REVISION


async def revision(engine: AsyncEngine) -> str | None:
    """The migration that the database has; None: no tables yet."""
    return await read(engine, _revision)


async def _revision(connection: AsyncConnection) -> str | None:
    if not await connection.run_sync(lambda sync: inspect(sync).has_table("alembic_version")):
        return None
    found: str | None = await connection.scalar(text("SELECT version_num FROM alembic_version"))
    return found
