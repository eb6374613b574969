"""Redis behind a sentinel: the master dies, its replica takes over, and the client follows."""

import asyncio
import time
from pathlib import Path

import pytest

from adapters.redis.claims import RedisClaims
from adapters.redis.client import RedisClient, RedisSettings
from ops.servers.free_ports import ANY, free_port
from rag_core.errors import Unavailable
from tests.fakes.redis_server import redis_server, sentinel_of, watched_servers

pytestmark = pytest.mark.services


async def claim_when_back(claims: RedisClaims, key: str, seconds: float = 60.0) -> float:
    """How long it took until claims worked again; until then they say that Redis is down."""
    started = time.monotonic()
    while True:
        try:
            assert await claims.claim(key)
        except Unavailable as exc:
            assert exc.code in ("redis_down", "redis_read_only")  # noqa: PT017 - in between it is one or the other
            if time.monotonic() - started > seconds:
                raise
            await asyncio.sleep(0.05)
        else:
            return time.monotonic() - started


async def test_after_the_master_died_the_replica_is_used(tmp_path: Path) -> None:
    async with watched_servers(tmp_path) as (master, replica, sentinel):
        # the first sentinel of the address is not there: the second one is asked
        url = f"redis+sentinel://127.0.0.1:{free_port(ANY)},127.0.0.1:{sentinel.port}/{sentinel.service}/0"
        client = RedisClient(RedisSettings(url, "test"))
        try:
            claims = RedisClaims(client)
            assert await claims.claim("before")
            assert await master.command("DBSIZE") == 1
            await master.command("WAIT", "1", "2000")
            master.kill()
            assert await claim_when_back(claims, "after") > 0
            assert not await claims.claim("before")
            assert await replica.command("DBSIZE") == 2
        finally:
            await client.aclose()


async def test_a_service_that_no_sentinel_knows_is_unavailable(tmp_path: Path) -> None:
    async with redis_server(tmp_path) as master, sentinel_of(tmp_path, master) as sentinel:
        client = RedisClient(RedisSettings(f"redis+sentinel://127.0.0.1:{sentinel.port}/unknown", "test"))
        try:
            with pytest.raises(Unavailable, match="redis_down"):
                await client.check()
        finally:
            await client.aclose()
