"""Reading and writing: whole or not at all, and once more where a conflict or a lost connection was in the way.

What is given as `work` may run several times, each time in a transaction of its own of which all others left nothing;
so it does nothing but use its connection. A commit whose answer was lost may have happened all the same: writes are
worded so that a second time changes nothing (unique keys with ON CONFLICT, or a condition on what the first time
changed).
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar

import stamina
from sqlalchemy import Row, Select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.database.dialect import MIGRATES, WRITES, for_one_state, for_one_statement
from adapters.sql.database.errors import passes_by_itself, translated
from adapters.sql.database.server import guard, server_of

Result = TypeVar("Result")
Rows = Sequence[Row[*tuple[Any, ...]]]
Work = Callable[[AsyncConnection], Awaitable[Result]]
Block = AbstractAsyncContextManager[AsyncConnection]

# a server that restarts is back within a second or two
_PERSEVERING = stamina.AsyncRetryingCaller(
    attempts=6, timeout=3.0, wait_initial=0.05, wait_max=1.0, wait_jitter=0.1
).on(passes_by_itself)


async def fetch(engine: AsyncEngine, statement: Select[Any]) -> Rows:
    """All rows of one statement. No transaction around it: that would be two more round trips."""

    async def run(connection: AsyncConnection) -> Rows:
        rows: Rows = (await connection.execute(statement)).all()
        return rows

    return await _persevere(engine, lambda: _connected(engine, for_one_statement(engine.dialect)), run)


async def read(engine: AsyncEngine, work: Work[Result]) -> Result:
    """What `work` gives back; all that it reads is one state of the database."""
    return await _persevere(engine, lambda: reading(engine), work)


async def write(engine: AsyncEngine, work: Work[Result]) -> Result:
    """What `work` gives back; all that it changes is there, or after an exception nothing of it."""
    return await _persevere(engine, lambda: writing(engine), work)


async def write_at_once(engine: AsyncEngine, statement: Select[Any]) -> None:
    """One statement that changes something, on a server: a transaction of its own that ends where it is done, so that
    nobody waits for what it locked while our next word is on its way."""

    async def run(connection: AsyncConnection) -> None:
        await connection.execute(statement)

    await _persevere(engine, lambda: _connected(engine, for_one_statement(engine.dialect)), run)


async def _persevere(engine: AsyncEngine, begin: Callable[[], Block], work: Work[Result]) -> Result:
    async def attempt() -> Result:
        async with begin() as connection:
            return await work(connection)

    if server_of(engine) is None:
        return await attempt()
    async with guard(engine):  # around all attempts: a failure that passes is none
        return await _PERSEVERING(attempt)


@asynccontextmanager
async def reading(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection to read with, one attempt: one state of the database throughout."""
    async with _connected(engine, for_one_state(engine.dialect)) as connection:
        yield connection


@asynccontextmanager
async def writing(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A transaction, one attempt: all of it or, after an exception, nothing."""
    async with _connected(engine, {WRITES: True}) as connection, connection.begin():
        yield connection


@asynccontextmanager
async def migrating(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """Like `writing`, but patient, and SQLite does not enforce foreign keys: it changes a table by replacing it
    with a copy."""
    server = server_of(engine)
    patient = engine if server is None else server.patient()
    try:
        async with _connected(patient, {WRITES: True, MIGRATES: True}) as connection:
            try:
                async with connection.begin():
                    yield connection
            finally:
                await connection.invalidate()  # back in the pool it would go on without foreign keys
    finally:
        if patient is not engine:
            await patient.dispose()


@asynccontextmanager
async def _connected(engine: AsyncEngine, options: Mapping[str, Any]) -> AsyncIterator[AsyncConnection]:
    async with guard(engine):
        with translated(engine):
            async with engine.connect() as connection:
                await connection.execution_options(**options)
                yield connection
