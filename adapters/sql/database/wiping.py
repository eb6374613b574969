"""Getting deleted text out of the database's files, too."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.database.dialect import SINGLE
from adapters.sql.database.errors import translated
from adapters.sql.database.server import server_of
from rag_core.errors import Unavailable

_PATIENCE_SECONDS = 20.0
_POLL_SECONDS = 0.2


async def wipe(engine: AsyncEngine, *, clock: Callable[[], float] = time.monotonic) -> None:
    """SQLite: the file is written anew and its log emptied, so that no byte of what was deleted is left in either.
    Writers wait meanwhile: about a second for each 100 MB. A server does this by itself, in its own time (autovacuum).

    Raises Unavailable("store_busy") while somebody reads without an end.
    """
    if server_of(engine) is not None:
        return
    async with _alone(engine) as connection:
        await connection.exec_driver_sql("VACUUM")
    await empty_log(engine, clock=clock)


async def empty_log(
    engine: AsyncEngine, *, clock: Callable[[], float] = time.monotonic, patience: float = _PATIENCE_SECONDS
) -> None:
    """SQLite: what its log held goes into the file, the log is emptied. Raises Unavailable("store_busy")."""
    if server_of(engine) is not None:
        return
    give_up = clock() + patience
    async with _alone(engine) as connection:
        while not await _emptied(connection):
            if clock() > give_up:
                raise Unavailable("store_busy")
            await asyncio.sleep(_POLL_SECONDS)


@asynccontextmanager
async def _alone(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection outside of any transaction."""
    with translated(engine):
        async with engine.connect() as connection:
            await connection.execution_options(**{SINGLE: True})
            yield connection


async def _emptied(connection: AsyncConnection) -> bool:
    row = (await connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")).one()
    return not row[0]
