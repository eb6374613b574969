"""Servers that a test may kill, pause and fill: private ones, beside those that the other tests share.

Each starts with the first test that asks for it and serves all tests of the session. It is put right before every
test, so a test may leave it killed or paused; what a test stores there stays, so use names of your own.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.servers.folders import remove
from ops.servers.local_server import LocalServer
from ops.servers.opensearch import OpenSearchServer
from ops.servers.postgresql import PostgresServer
from ops.servers.redis import RedisServer
from ops.servers.wording import explain
from rag_core.errors import PolicyBotError
from tests.fakes.missing import missing
from tests.fakes.production import Place, furnished, made_place


@pytest.fixture
async def postgres_server(_own_postgres: PostgresServer) -> PostgresServer:
    """A running PostgreSQL."""
    await _put_right(_own_postgres)
    return _own_postgres


@pytest.fixture
async def redis_server(_own_redis: RedisServer) -> RedisServer:
    """A running Redis."""
    await _put_right(_own_redis)
    return _own_redis


@pytest.fixture
async def opensearch_server(_own_opensearch: OpenSearchServer) -> OpenSearchServer:
    """A running OpenSearch, of the small kind."""
    await _put_right(_own_opensearch)
    return _own_opensearch


@pytest.fixture
async def place(
    postgres_server: PostgresServer,
    opensearch_server: OpenSearchServer,
    redis_server: RedisServer,
    _furnished: list[str],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Place:
    """A bot's database (with the samples), index (none yet) and keys, on servers that may be killed."""
    if not _furnished:
        _furnished.append(await furnished(tmp_path_factory.mktemp("furnished"), postgres_server.url))
    urls = (postgres_server.url, opensearch_server.url, redis_server.url)
    return await made_place(tmp_path, *urls, template=_furnished[0])


@pytest.fixture(scope="session")
def _furnished() -> list[str]:
    """The database that places are made from, once there is one."""
    return []


@pytest.fixture(scope="session")
def _own_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    server = PostgresServer(tmp_path_factory.mktemp("postgresql"), volatile=True)
    yield server
    _end(server)


@pytest.fixture(scope="session")
def _own_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    _end(server)


@pytest.fixture(scope="session")
def _own_opensearch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenSearchServer]:
    server = OpenSearchServer(tmp_path_factory.mktemp("opensearch"), small=True)
    yield server
    _end(server)


async def _put_right(server: LocalServer) -> None:
    try:
        await server.start()
    except PolicyBotError as exc:
        missing(explain(exc))


def _end(server: LocalServer) -> None:
    asyncio.run(server.kill())
    remove(server.folder)
