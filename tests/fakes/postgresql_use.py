"""Short ways to use a database on a server, and to look into it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.engine import open_engine
from adapters.sql.database.transactions import fetch
from adapters.sql.policies.store import SqlPolicyStore
from adapters.sql.policies.versions import SqlVersionStore
from rag_core.errors import PolicyBotError
from tests.fakes.documents import ACME


@asynccontextmanager
async def opened(address: str, statement_seconds: float = 10.0) -> AsyncIterator[AsyncEngine]:
    engine = open_engine(address, pool_size=4, statement_seconds=statement_seconds)
    try:
        yield engine
    finally:
        await engine.dispose()


async def use(engine: AsyncEngine) -> PolicyBotError | None:
    """Read and write once; what was raised."""
    try:
        await SqlPolicyStore(engine).sources(frozenset())
        await SqlVersionStore(engine).declare(ACME)
    except PolicyBotError as exc:
        return exc
    return None


async def count(engine: AsyncEngine, table: object) -> int:
    return int((await fetch(engine, select(func.count()).select_from(table)))[0][0])  # type: ignore[arg-type]
