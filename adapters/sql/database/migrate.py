"""Bringing the tables to the state this code was written for, and back. Slow to import: see `revision`."""

from collections.abc import Callable
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.dialect import broken_references, lock_for_migration
from adapters.sql.database.transactions import migrating
from rag_core.errors import Misconfigured

Step = Callable[[Config, str], None]


async def upgrade(engine: AsyncEngine, scripts: Path, revision: str = "head") -> None:
    """Migrate forwards to `revision`; `scripts` is the folder with `env.py`. All of it or nothing.

    Several processes may call it at once: one works, the others find it done. Raises
    Misconfigured("store_revision_unknown") for a database that newer code has migrated.
    """
    await _run(engine, scripts, revision, command.upgrade)


async def downgrade(engine: AsyncEngine, scripts: Path, revision: str) -> None:
    """Migrate backwards to `revision` ("base": no tables at all). What the tables held is lost."""
    await _run(engine, scripts, revision, command.downgrade)


async def _run(engine: AsyncEngine, scripts: Path, revision: str, step: Step) -> None:
    async with migrating(engine) as connection:
        await lock_for_migration(connection)
        try:
            await connection.run_sync(_step, scripts, revision, step)
        except CommandError as exc:
            raise Misconfigured("store_revision_unknown", reason=str(exc)) from exc
        if broken := await broken_references(connection):
            raise Misconfigured("store_references_broken", tables=broken)


def _step(connection: Connection, scripts: Path, revision: str, step: Step) -> None:
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.attributes["connection"] = connection
    step(config, revision)
