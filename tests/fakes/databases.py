"""Databases for tests: a file each, or a database of its own on a real PostgreSQL server."""

import asyncio
import atexit
import itertools
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.engine import open_engine
from adapters.sql.database.migrate import upgrade
from tests.fakes.services import address_of

SCRIPTS = Path(__file__).resolve().parents[2] / "ops" / "migrations"
KINDS = ["sqlite", pytest.param("postgresql", marks=pytest.mark.services)]
"""For `parametrize` and `params`: what every test of a store runs on."""

_PREFIX = f"adpolicy_test_{os.getpid()}"
_TEMPLATE = f"{_PREFIX}_template"
_numbers = itertools.count()
_templates: set[str] = set()
_files: list[Path] = []


@asynccontextmanager
async def _sqlite(folder: Path, *, migrated: bool) -> AsyncIterator[str]:
    file = folder / "store.sqlite3"
    if migrated:
        await asyncio.to_thread(shutil.copyfile, await _template_file(), file)
    yield f"sqlite:///{file}"


async def _template_file() -> Path:
    """A file with all tables, made once: copying it takes a fraction of migrating."""
    if not _files:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        atexit.register(shutil.rmtree, folder)
        file = folder / "store.sqlite3"
        await _migrate(f"sqlite:///{file}")  # with its last connection the files that SQLite keeps beside it are gone
        _files.append(file)
    return _files[0]


@asynccontextmanager
async def _postgresql(folder: Path, *, migrated: bool) -> AsyncIterator[str]:
    del folder
    server, name = address_of("postgresql"), f"{_PREFIX}_{next(_numbers)}"
    template = await _template(server) if migrated else "template0"
    await _administer(server, f"CREATE DATABASE {name} TEMPLATE {template}")
    try:
        yield _beside(server, name)
    finally:
        await _administer(server, f"DROP DATABASE {name} WITH (FORCE)")


async def _template(server: str) -> str:
    """A database with all tables, made once: copying it takes a fraction of migrating."""
    if server not in _templates:
        await _administer(server, f"CREATE DATABASE {_TEMPLATE} TEMPLATE template0")
        _templates.add(server)
        atexit.register(lambda: asyncio.run(_administer(server, f"DROP DATABASE {_TEMPLATE} WITH (FORCE)")))
        await _migrate(_beside(server, _TEMPLATE))
    return _TEMPLATE


def _beside(server: str, name: str) -> str:
    return make_url(server).set(database=name).render_as_string(hide_password=False)


async def _administer(server: str, statement: str) -> None:
    engine = open_engine(server, pool_size=1, statement_seconds=60.0)
    try:
        async with engine.connect() as connection:
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            await connection.execute(text(statement))
    finally:
        await engine.dispose()


async def _migrate(address: str) -> None:
    engine = open_engine(address)
    try:
        await upgrade(engine, SCRIPTS)
    finally:
        await engine.dispose()


_MAKERS: dict[str, Callable[..., AbstractAsyncContextManager[str]]] = {"sqlite": _sqlite, "postgresql": _postgresql}


def empty_database(folder: Path, kind: str) -> AbstractAsyncContextManager[str]:
    """The address of a database without tables."""
    return _MAKERS[kind](folder, migrated=False)


def migrated_database(folder: Path, kind: str) -> AbstractAsyncContextManager[str]:
    """The address of an empty database with all tables."""
    return _MAKERS[kind](folder, migrated=True)


@asynccontextmanager
async def migrated_engine(folder: Path, kind: str = "sqlite") -> AsyncIterator[AsyncEngine]:
    """An engine on a fresh database with all tables."""
    async with migrated_database(folder, kind) as address:
        engine = open_engine(address)
        try:
            yield engine
        finally:
            await engine.dispose()
