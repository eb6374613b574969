"""The servers behind `ops/services`, each killed, paused and looked at."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import asyncpg
import pytest
from redis.asyncio import Redis

from ops.servers.folders import remove
from ops.servers.local_server import LocalServer
from ops.servers.opensearch import OpenSearchServer
from ops.servers.postgresql import PostgresServer
from ops.servers.redis import RedisServer
from ops.servers.wording import explain
from rag_core.errors import Unavailable
from tests.fakes.services import address_of

pytestmark = pytest.mark.services


def listens(url: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", urlsplit(url).port or 0)) == 0


async def test_a_killed_postgresql_comes_back_with_its_data(postgres_server: PostgresServer) -> None:
    url = postgres_server.url
    connection = await asyncpg.connect(url)
    await connection.execute("DROP TABLE IF EXISTS kept; CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)")
    await postgres_server.kill()
    assert not listens(url)
    with pytest.raises((OSError, asyncpg.PostgresError, asyncpg.InterfaceError)):
        await connection.fetchval("SELECT 1")
    connection.terminate()
    assert await postgres_server.start()
    assert postgres_server.url == url
    connection = await asyncpg.connect(url)
    assert await connection.fetchval("SELECT n FROM kept") == 7
    await connection.close()


async def test_a_killed_redis_comes_back_with_its_data(redis_server: RedisServer) -> None:
    url = redis_server.url
    async with Redis.from_url(url) as client:
        await client.set("kept", "7")
    await redis_server.kill()
    assert not listens(url)
    assert await redis_server.start()
    assert redis_server.url == url
    async with Redis.from_url(url) as client:
        assert await client.get("kept") == b"7"


async def test_a_killed_opensearch_comes_back_with_its_data(opensearch_server: OpenSearchServer) -> None:
    url = opensearch_server.url
    async with aiohttp.ClientSession() as http:
        async with http.put(f"{url}/kept", json={"settings": {"number_of_replicas": 0}}) as made:
            assert made.status == 200
        async with http.put(f"{url}/kept/_doc/1", json={"n": 7}) as stored:
            assert stored.status == 201
        await opensearch_server.kill()
        assert not listens(url)
        assert await opensearch_server.start()
        assert opensearch_server.url == url
        async with http.get(f"{url}/kept/_doc/1") as found:
            assert (await found.json())["_source"] == {"n": 7}
        await http.delete(f"{url}/kept")


async def test_opensearch_has_the_plugins_and_runs_beside_another(opensearch_server: OpenSearchServer) -> None:
    pipeline = {"phase_results_processors": [{"score-ranker-processor": {"combination": {"technique": "rrf"}}}]}
    vector = {"type": "knn_vector", "dimension": 3, "method": {"name": "hnsw", "engine": "lucene"}}
    index = {"settings": {"index.knn": True}, "mappings": {"properties": {"vector": vector}}}
    async with aiohttp.ClientSession() as http:
        for path, body in (("_search/pipeline/plugins", pipeline), ("plugins", index)):
            async with http.put(f"{opensearch_server.url}/{path}", json=body) as answer:
                assert answer.status == 200, await answer.text()
        names = set()
        for url in (opensearch_server.url, address_of("opensearch")):
            async with http.get(url) as answer:
                said = await answer.json()
            assert said["version"]["number"] == "3.6.0"
            names.add(said["cluster_name"])
    assert len(names) == 2


@pytest.mark.parametrize("name", ["postgres_server", "redis_server", "opensearch_server"])
async def test_a_paused_server_accepts_connections_and_says_nothing(
    name: str,
    postgres_server: PostgresServer,
    redis_server: RedisServer,
    opensearch_server: OpenSearchServer,
) -> None:
    servers: dict[str, LocalServer] = {
        "postgres_server": postgres_server,
        "redis_server": redis_server,
        "opensearch_server": opensearch_server,
    }
    server = servers[name]
    async with connected(server) as (reader, writer):
        await server.pause()
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(1), 0.3)
    async with connected(server) as (reader, writer):
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(1), 0.3)
        await server.resume()
        await asyncio.wait_for(reader.read(1), 5)
    await server.pause()
    assert not await server.start(), "it was running all the time"


@asynccontextmanager
async def connected(server: LocalServer) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(server.url).port)
    yield reader, writer
    writer.transport.abort()


async def test_a_server_that_ends_at_once_is_reported_with_its_log(tmp_path: Path) -> None:
    redis = RedisServer(tmp_path / "redis")
    await redis.start()
    async with Redis.from_url(redis.url) as client:
        await client.set("a", "1")
    await redis.stop()
    (next((tmp_path / "redis" / "home" / "appendonlydir").glob("*.incr.aof"))).write_bytes(b"no such thing\n")
    with pytest.raises(Unavailable, match="server_ended") as caught:
        await redis.start()
    assert "Redis ended while it was starting" in explain(caught.value)
    assert "Bad file format" in explain(caught.value)


async def test_an_opensearch_that_ends_at_once_is_reported_with_its_log(tmp_path: Path) -> None:
    server = OpenSearchServer(tmp_path, small=True)
    (tmp_path / "home").write_text("no folder")
    with pytest.raises(Unavailable, match="server_ended") as caught:
        await server.start()
    assert "Creating home/node_1" in explain(caught.value)


async def test_a_port_that_another_program_took_is_left_to_it(tmp_path: Path) -> None:
    server = RedisServer(tmp_path / "redis")
    before = server.url
    with socket.create_server(("127.0.0.1", urlsplit(before).port or 0)):
        await server.start()
        assert server.url != before
        assert listens(server.url)
    await server.stop()
    remove(server.folder)


async def test_two_sets_side_by_side(tmp_path: Path, postgres_server: PostgresServer) -> None:
    other = PostgresServer(tmp_path / "postgresql")
    assert await other.start()
    try:
        seen, waits = set(), {}
        for url in (other.url, postgres_server.url, address_of("postgresql")):
            connection = await asyncpg.connect(url)
            seen.add(await connection.fetchval("SHOW data_directory"))
            waits[url] = await connection.fetchval("SHOW fsync")
            await connection.close()
        assert len(seen) == 3
        assert (waits[other.url], waits[postgres_server.url]) == ("on", "off")
    finally:
        await other.stop()
        remove(other.folder)
    assert listens(postgres_server.url)


def test_ports_lie_where_no_outgoing_connection_takes_them(tmp_path: Path) -> None:
    servers: list[LocalServer] = [
        PostgresServer(tmp_path / "p"),
        RedisServer(tmp_path / "r"),
        OpenSearchServer(tmp_path / "o"),
    ]
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        outgoing = any_port.getsockname()[1]
    assert all((urlsplit(server.url).port or 0) < min(outgoing, 32_000) for server in servers)
