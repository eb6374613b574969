"""Redis that hangs, dies, refuses, is full or loses answers: a clear error in time, and the way back needs no hand."""

import asyncio
import logging
import time
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from adapters.redis.claims import RedisClaims
from adapters.redis.client import RedisClient, RedisSettings
from adapters.redis.limits import RedisRateLimits
from adapters.redis.locks import RedisLocks
from adapters.redis.memory import RedisConversationMemory
from bot.model.messages import Actor, Conversation
from bot.questions.limits import allowances_from
from rag_core.deadlines import within
from rag_core.errors import Misconfigured, PolicyBotError, Unavailable
from tests.fakes.certificates import certificates
from tests.fakes.keepers import all_of, make_turn
from tests.fakes.redis_server import RedisServer, answering, cutting_proxy, redis_server

pytestmark = pytest.mark.services

HERE = Conversation("slack", "T1", "C1", "1.1")
ANN = Actor("slack", "T1", "U1")


@asynccontextmanager
async def client_of(url: str, *, seconds: float = 2.0, connections: int = 16) -> AsyncIterator[RedisClient]:
    client = RedisClient(RedisSettings(url, "test", seconds, connections))
    try:
        yield client
    finally:
        await client.aclose()


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RedisServer]:
    async with redis_server(tmp_path) as started:
        yield started


async def refusal(client: RedisClient) -> PolicyBotError:
    with pytest.raises((Unavailable, Misconfigured)) as caught:
        await RedisClaims(client).claim("a")
    return caught.value


async def test_nobody_there_is_unavailable(server: RedisServer) -> None:
    server.kill()
    async with client_of(server.url) as client:
        assert (await refusal(client)).code == "redis_down"
        with pytest.raises(Unavailable, match="redis_down"):
            await client.check()


async def test_a_server_that_hangs_is_unavailable_in_time_and_is_used_again(server: RedisServer) -> None:
    async with client_of(server.url, seconds=1) as client:
        claims = RedisClaims(client)
        assert await claims.claim("a")
        server.stop_answering()
        for _ in range(2):  # on a connection that was open, and on a new one
            started = time.monotonic()
            assert (await refusal(client)).code == "redis_down"
            assert time.monotonic() - started < 10
        server.answer_again()
        assert await claims.is_claimed("a")
        assert not await claims.is_claimed("b")


async def test_many_that_hang_neither_wait_for_ever_nor_leave_connections_taken(server: RedisServer) -> None:
    async with client_of(server.url, seconds=1, connections=4) as client:
        locks = RedisLocks(client)
        server.stop_answering()
        started = time.monotonic()
        codes = await asyncio.gather(*(locks.acquire(str(n), 60) for n in range(200)), return_exceptions=True)
        assert time.monotonic() - started < 20  # one after the other, four at a time: 50 s
        assert {getattr(each, "code", None) for each in codes} == {"redis_down", "redis_busy"}
        server.answer_again()
        await client.check()
        assert all(await all_of([locks.acquire(f"again {n}", 60) for n in range(200)]))
        listed = await server.command("CLIENT", "LIST")
        assert 0 < listed.count(b"name=test ") <= 4


async def test_many_slow_answers_take_no_longer_than_one_command_may(server: RedisServer) -> None:
    async with answering(b":1\r\n", delay=9.0) as url, client_of(url, seconds=10.0) as client:
        started = time.monotonic()
        assert (await refusal(client)).code == "redis_down"
        assert time.monotonic() - started < 17  # greeting and answer together take 18 s


async def test_who_gives_up_leaves_a_clean_connection(server: RedisServer) -> None:
    async with client_of(server.url, connections=1) as client:
        claims = RedisClaims(client)
        await claims.claim("known")
        server.stop_answering()
        waiting = asyncio.create_task(claims.is_claimed("known"))
        await asyncio.sleep(0.1)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        server.answer_again()
        for _ in range(3):
            assert not await claims.is_claimed("unknown")
            assert await claims.is_claimed("known")


async def test_the_deadline_of_the_request_is_kept(server: RedisServer) -> None:
    async with client_of(server.url, seconds=30) as client:
        await client.check()
        server.stop_answering()
        started = time.monotonic()
        with pytest.raises((Unavailable, TimeoutError)):
            async with within(0.3):
                await RedisClaims(client).claim("a")
        assert time.monotonic() - started < 10
        server.answer_again()


async def test_a_restarted_server_is_used_again(server: RedisServer) -> None:
    async with client_of(server.url) as client:
        claims, memory = RedisClaims(client), RedisConversationMemory(client, seconds=60)
        assert all(await all_of([claims.claim(str(number)) for number in range(50)]))
        server.kill()
        assert (await refusal(client)).code == "redis_down"
        await server.start()
        assert all(await all_of([claims.claim(str(number)) for number in range(50)]))  # no script, no key is left
        await memory.remember(HERE, make_turn())
        assert await memory.recall(HERE) == (make_turn(),)


async def test_dropped_connections_are_not_noticed(server: RedisServer) -> None:
    async with client_of(server.url) as client:
        claims = RedisClaims(client)
        for number in range(5):
            assert all(await all_of([claims.claim(f"{number}:{n}") for n in range(20)]))
            await server.command("CLIENT", "KILL", "TYPE", "normal")


async def test_an_answer_that_was_lost_changes_no_outcome(server: RedisServer) -> None:
    async with cutting_proxy(server.port) as (proxy, url), client_of(url, connections=1) as client:
        claims, locks = RedisClaims(client), RedisLocks(client)
        limits = RedisRateLimits(client, allowances_from("1/minute", "2/minute"))
        memory = RedisConversationMemory(client, seconds=60)
        other = await locks.acquire("other", 60)  # the server knows the scripts now: what is cut off has run
        assert other
        await locks.extend("other", other, 60)
        await limits.hit(Actor("slack", "T2", "U1"), None)
        await memory.refill(Conversation("slack", "T2", "C1"), [make_turn()])
        await memory.remember(Conversation("slack", "T2", "C1"), make_turn(2))
        proxy.cut()
        assert await claims.claim("a")
        assert not await claims.claim("a")
        proxy.cut()
        token = await locks.acquire("a", 60)
        assert token
        proxy.cut()
        assert await locks.extend("a", token, 60)
        proxy.cut()
        await memory.remember(HERE, make_turn())
        assert await memory.recall(HERE) == (make_turn(),)
        there = Conversation("slack", "T1", "C1", "other")
        assert await memory.recall(there) == ()
        proxy.cut()
        await memory.refill(there, [make_turn(1), make_turn(2)])
        assert await memory.recall(there) == (make_turn(1), make_turn(2))
        proxy.cut()
        assert await limits.hit(ANN, HERE) == 0
        assert await limits.hit(ANN, HERE) > 0
        assert await limits.hit(Actor("slack", "T1", "U2"), HERE) == 0  # the channel was counted once
        assert proxy.cuts == 6


async def test_emptied_by_its_operator_it_starts_anew(server: RedisServer) -> None:
    async with client_of(server.url) as client:
        claims, locks = RedisClaims(client), RedisLocks(client)
        assert await claims.claim("a")
        token = await locks.acquire("a", 60)
        assert token
        await server.command("FLUSHALL")
        await server.command("SCRIPT", "FLUSH")
        assert await claims.claim("a")
        assert not await locks.extend("a", token, 60)


async def test_a_full_server_says_so_and_is_used_again(server: RedisServer) -> None:
    async with client_of(server.url) as client:
        limits = RedisRateLimits(client, allowances_from("1/minute", "1/minute", "1/minute"))
        await server.command("CONFIG", "SET", "maxmemory", "1")
        assert (await refusal(client)).code == "redis_full"
        with pytest.raises(Unavailable, match="redis_full"):
            await limits.hit(ANN, HERE)
        assert await server.command("DBSIZE") == 0  # counted against none
        await server.command("CONFIG", "SET", "maxmemory", "0")
        assert await limits.hit(ANN, HERE) == 0
        assert await RedisClaims(client).claim("a")


async def test_a_replica_says_so_and_is_asked_for_anew(server: RedisServer) -> None:
    async with client_of(server.url) as client:
        claims = RedisClaims(client)
        assert await claims.claim("a")
        await server.command("REPLICAOF", "127.0.0.1", "1")
        assert (await refusal(client)).code == "redis_read_only"
        assert not client._opened.redis.connection_pool._available_connections[0].is_connected
        await server.command("REPLICAOF", "NO", "ONE")
        assert await claims.claim("b")


@pytest.mark.parametrize("login", ["", "ann:s3cret@", ":s3cret@"])
async def test_a_wrong_login_is_for_the_operator(tmp_path: Path, login: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with (
        redis_server(tmp_path, "--requirepass", "the right one") as server,
        client_of(f"redis://{login}127.0.0.1:{server.port}/0") as client,
    ):
        error = await refusal(client)
    assert isinstance(error, Misconfigured)
    assert (error.code, error.details) == ("redis_refused", {"setting": "ADPOLICY_REDIS_URL"})
    shown = "".join(traceback.format_exception(error)) + caplog.text
    assert "s3cret" not in shown
    assert "right one" not in shown


async def test_the_right_login_works(server: RedisServer) -> None:
    await server.command("ACL", "SETUSER", "ann", "on", ">p@ss/word", "~test:*", "+@all")
    async with client_of(f"redis://ann:p%40ss%2Fword@127.0.0.1:{server.port}/0") as client:
        assert await RedisClaims(client).claim("a")


async def test_a_user_without_the_right_is_for_the_operator(server: RedisServer) -> None:
    await server.command("ACL", "SETUSER", "ann", "on", ">secret", "~other:*", "+@all")
    async with client_of(f"redis://ann:secret@127.0.0.1:{server.port}/0") as client:
        assert (await refusal(client)).code == "redis_refused"


async def test_a_database_that_is_not_there_is_for_the_operator(server: RedisServer) -> None:
    async with client_of(f"redis://127.0.0.1:{server.port}/99") as client:
        error = await refusal(client)
    assert isinstance(error, Misconfigured)
    assert error.code == "redis_url_invalid"


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (b"-LOADING Redis is loading the dataset in memory\r\n", "redis_down"),
        (b"-MASTERDOWN Link with MASTER is down\r\n", "redis_down"),
        (b"-CLUSTERDOWN The cluster is down\r\n", "redis_down"),
        (b"-BUSY Redis is busy running a script\r\n", "redis_down"),
        (b"-MISCONF Redis is configured to save RDB snapshots\r\n", "redis_read_only"),
        (b"-NOREPLICAS Not enough good replicas to write.\r\n", "redis_read_only"),
        (b"-OOM command not allowed when used memory > 'maxmemory'.\r\n", "redis_full"),
        (b"-READONLY You can't write against a read only replica.\r\n", "redis_read_only"),
        (b"-MOVED 3999 127.0.0.1:6381\r\n", "redis_cluster_unsupported"),
        (b"-NOPERM this user has no permissions\r\n", "redis_refused"),
        (b"-NOAUTH Authentication required.\r\n", "redis_refused"),
        (b"-ERR max number of clients reached\r\n", "redis_down"),
        (b"-ERR unknown command 'EVALSHA', with args beginning with: 's3cret'\r\n", "redis_failed"),
        (b"-WRONGTYPE s3cret\r\n", "redis_failed"),
        (b"what is this\r\n", "redis_down"),
    ],
)
async def test_every_error_has_a_name_and_no_values(reply: bytes, code: str) -> None:
    async with answering(reply) as url, client_of(url) as client:
        error = await refusal(client)
    assert error.code == code
    assert "s3cret" not in "".join(traceback.format_exception(error)) + repr(error.details)


class CountingBreaker:
    """Lets everything through until it is opened, and writes down what failed."""

    def __init__(self) -> None:
        self.failed: list[str] = []
        self.passed = 0
        self.is_open = False

    @asynccontextmanager
    async def guard(self) -> AsyncIterator[None]:
        if self.is_open:
            raise Unavailable("circuit_open", dependency="redis")
        try:
            yield
        except Unavailable as exc:
            self.failed.append(exc.code)
            raise
        self.passed += 1


async def test_a_breaker_sees_every_command_and_can_refuse_it(server: RedisServer) -> None:
    breaker = CountingBreaker()
    client = RedisClient(RedisSettings(server.url, "test", connections=1), breaker)
    try:
        assert await RedisClaims(client).claim("a")
        await client.check()
        assert breaker.passed == 2
        server.kill()
        await refusal(client)
        assert breaker.failed == ["redis_down"]
        await server.start()
        breaker.is_open = True
        for _ in range(3):  # no connection stays taken
            assert (await refusal(client)).code == "circuit_open"
        breaker.is_open = False
        assert await RedisClaims(client).claim("a")
    finally:
        await client.aclose()


async def test_tls_with_its_own_authority(tmp_path: Path) -> None:
    files = certificates(tmp_path)
    options = ["--tls-cert-file", str(files.certificate), "--tls-key-file", str(files.key)]
    options += ["--tls-ca-cert-file", str(files.authority), "--tls-auth-clients", "no"]
    async with redis_server(tmp_path, *options, tls=True) as server:
        address = f"rediss://127.0.0.1:{server.port}/0"
        async with client_of(f"{address}?ssl_ca_certs={files.authority}") as client:
            assert await RedisClaims(client).claim("a")
        for untrusted in (address, f"{address}?ssl_ca_certs={tmp_path / 'missing.pem'}"):
            async with client_of(untrusted) as client:
                assert (await refusal(client)).code == "redis_tls_untrusted"
        async with client_of(f"redis://127.0.0.1:{server.port}/0") as client:
            assert (await refusal(client)).code == "redis_down"
