"""Addresses of Redis: what is accepted, what is refused, and that passwords stay out of errors."""

import traceback
from typing import Any

import pytest
from redis.asyncio.connection import SSLConnection
from redis.asyncio.sentinel import SentinelConnectionPool

from adapters.redis.client import RedisClient, RedisSettings, open_redis
from rag_core.errors import Misconfigured


def options(url: str) -> dict[str, Any]:
    pool = open_redis(url, name="adpolicy", seconds=2.0, connections=7).redis.connection_pool
    return {"max_connections": pool.max_connections, "class": pool.connection_class, **pool.connection_kwargs}


def test_an_address_gives_host_port_database_and_login() -> None:
    found = options("redis://ann:s%40crt@cache.example:6390/3")
    expected = {"host": "cache.example", "port": 6390, "db": 3, "username": "ann", "password": "s@crt"}
    assert found | expected == found


def test_time_and_connections_are_bounded_and_the_client_has_a_name() -> None:
    found = options("redis://cache.example")
    expected = {"socket_timeout": 2.0, "socket_connect_timeout": 2.0, "max_connections": 7, "client_name": "adpolicy"}
    assert found | expected == found
    assert found["health_check_interval"] > 0


def test_tls_takes_its_certificates_from_the_address() -> None:
    found = options("rediss://cache.example?ssl_ca_certs=/etc/ca.pem&db=2")
    assert (found["class"], found["ssl_ca_certs"], found["db"]) == (SSLConnection, "/etc/ca.pem", 2)


@pytest.mark.parametrize("scheme", ["redis", "rediss"])
def test_sentinels_are_asked_for_the_service(scheme: str) -> None:
    url = f"{scheme}+sentinel://ann:secret@one.example:26400,two.example,[::1]:26402/policies/5?sentinel_password=other"
    opened = open_redis(url, name="adpolicy", seconds=2.0, connections=7)
    pool = opened.redis.connection_pool
    assert isinstance(pool, SentinelConnectionPool)
    expected = {"db": 5, "username": "ann", "password": "secret", "socket_timeout": 2.0, "client_name": "adpolicy"}
    assert pool.connection_kwargs | expected == pool.connection_kwargs
    assert (pool.service_name, pool.is_master, pool.max_connections) == ("policies", True, 7)
    assert issubclass(pool.connection_class, SSLConnection) == (scheme == "rediss")
    assert opened.sentinel is not None
    asked = [each.connection_pool.connection_kwargs for each in opened.sentinel.sentinels]
    assert [(each["host"], each["port"]) for each in asked] == [
        ("one.example", 26400),
        ("two.example", 26379),
        ("::1", 26402),
    ]
    assert {each["password"] for each in asked} == {"other"}
    assert sum(each["socket_timeout"] for each in asked) < 2.0  # all of them within one command


@pytest.mark.parametrize(
    "url",
    [
        "",
        "cache.example:6379",
        "http://s3cret@cache.example",
        "redis://",
        "redis://:s3cret@/0",
        "redis://:s3cret@cache.example:port/0",
        "redis://:s3c/ret@cache.example/0",
        "redis://:s3cret@cache.example:99999/0",
        "redis://:s3cret@cache.example/policies",
        "redis://:s3cret@cache.example/0?max_connections=5000",
        "redis://:s3cret@cache.example/0?decode_responses=1",
        "redis://:s3cret#x@cache.example/0",
        "redis://:s3cret@cache.example/0?ssl_check_hostname=perhaps",
        "rediss://:s3cret@cache.example/0?ssl_nonsense=1",
        "redis+sentinel://:s3cret@one.example:26379",
        "redis+sentinel://:s3cret@one.example:26379//0",
        "redis+sentinel://:s3cret@one.example:0/policies/0",
        "redis+sentinel://:s3cret@one.example:x/policies/0",
        "redis+sentinel://:s3cret@one.example,/policies/0",
        "redis+sentinel://:s3cret@one.example/policies/first",
        "redis+sentinel://:s3cret@one.example/policies/0?ssl_nonsense=1",
    ],
)
def test_what_is_no_address_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(Misconfigured, match="redis_url_invalid") as caught:
        RedisClient(RedisSettings(url))
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value.details)
    assert caught.value.details["setting"] == "ADPOLICY_REDIS_URL"
    assert "s3c" not in shown
    assert caught.value.__context__ is None


def test_settings_do_not_show_the_address() -> None:
    assert "s3cret" not in repr(RedisSettings("redis://:s3cret@cache.example"))


@pytest.mark.parametrize("prefix", ["", "a b", "{a}", "a*", "a\n", "x" * 65, "prä"])
def test_a_prefix_that_would_break_keys_is_refused(prefix: str) -> None:
    with pytest.raises(Misconfigured, match="redis_prefix_invalid"):
        RedisClient(RedisSettings("redis://cache.example", prefix))
