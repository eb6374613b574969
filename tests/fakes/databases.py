"""Empty, migrated databases for tests. A further kind of database joins all tests by its line in `MAKERS`."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.engine import open_engine
from adapters.sql.migrate import upgrade

SCRIPTS = Path(__file__).resolve().parents[2] / "ops" / "migrations"


@asynccontextmanager
async def sqlite_database(folder: Path) -> AsyncIterator[str]:
    """The address of a database file that does not exist yet."""
    yield f"sqlite:///{folder / 'store.sqlite3'}"


MAKERS: dict[str, Callable[[Path], AbstractAsyncContextManager[str]]] = {"sqlite": sqlite_database}


@asynccontextmanager
async def migrated_engine(folder: Path, kind: str = "sqlite") -> AsyncIterator[AsyncEngine]:
    """An engine on a fresh database with all tables."""
    async with MAKERS[kind](folder) as address:
        engine = open_engine(address)
        try:
            await upgrade(engine, SCRIPTS)
            yield engine
        finally:
            await engine.dispose()
