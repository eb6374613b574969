"""Which state of the tables this code was written for. Imports no Alembic: that costs a start-up half a second."""

from sqlalchemy import inspect, text
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.engine import reading

HEAD_REVISION = "0001"
"""The newest migration; a test compares it with the scripts."""


async def needs_upgrade(engine: AsyncEngine) -> bool:
    """Whether `migrate.upgrade` has something to do, or to complain about."""
    async with reading(engine) as connection:
        if not await connection.run_sync(lambda sync: inspect(sync).has_table("alembic_version")):
            return True
        current = await connection.scalar(text("SELECT version_num FROM alembic_version"))
    return bool(current != HEAD_REVISION)
