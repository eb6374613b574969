"""The one client of a process: bounded in time and connections, its errors translated."""

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit, urlunsplit

from redis.asyncio import ConnectionPool, Redis, Sentinel
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as LostConnection
from redis.exceptions import NoScriptError, RedisError

from adapters.redis.errors import PREFIX_SETTING, URL_SETTING, translated
from rag_core.deadlines import remaining
from rag_core.errors import Misconfigured, Unavailable
from rag_core.ports import Breaker

KNOWN_ADDRESSES = (
    "redis://host:6379/0",
    "rediss://user:password@host:6379/0?ssl_ca_certs=/path/to/ca.pem",
    "redis+sentinel://host:26379,host2:26379/service/0",
)

_SENTINEL = {"redis+sentinel": "redis", "rediss+sentinel": "rediss"}
_SENTINEL_QUERY = ("sentinel_username", "sentinel_password")
_HOST = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\[\]:/]+)(?::(?P<port>\d{1,5}))?")
_HEALTH_CHECK_SECONDS = 30
_SENTINEL_PORT = 26379


@dataclass(frozen=True, slots=True)
class Opened:
    """A client, and the sentinels it asks for its server, if there are any. Whoever holds it closes both."""

    redis: Any  # Redis, whose commands have no types
    sentinel: Sentinel | None = None

    async def aclose(self) -> None:
        await self.redis.aclose()
        if self.sentinel is not None:
            await self.sentinel.aclose()


def open_redis(url: str, *, name: str, seconds: float, connections: int) -> Opened:
    """A client for the address; `name` is what CLIENT LIST shows. Raises Misconfigured("redis_url_invalid")."""
    shared: dict[str, Any] = {
        "client_name": name,
        "socket_timeout": seconds,
        "socket_connect_timeout": seconds,
        "health_check_interval": _HEALTH_CHECK_SECONDS,
        "max_connections": connections,
        "protocol": 2,  # RESP3 brings push messages and a longer greeting, and nothing that is used here
        # once more on a fresh connection; after a time-out the next caller tries, nobody waits twice
        "retry": Retry(NoBackoff(), 1, supported_errors=(LostConnection,)),
    }
    try:
        return _opened(url, shared)
    except (ValueError, TypeError, RedisError):
        pass
    # outside of `except`: the messages of those errors quote the address, and with it the password
    raise Misconfigured("redis_url_invalid", setting=URL_SETTING, known=KNOWN_ADDRESSES)


def _opened(url: str, shared: dict[str, Any]) -> Opened:
    scheme = url.partition("://")[0].lower()
    if scheme in _SENTINEL:
        return _by_sentinel(url, _SENTINEL[scheme], shared)
    options = {**shared, **_options(url)}
    return _usable(Opened(Redis.from_pool(ConnectionPool(**options))))


def _usable(opened: Opened) -> Opened:
    opened.redis.connection_pool.make_connection()  # tells now, and not at the first command, what it cannot use
    return opened


def _options(url: str) -> dict[str, Any]:
    """What the client makes of the address, after the mistakes that it would pass over."""
    parts = urlsplit(url)
    if parts.scheme != "unix" and (not parts.hostname or not re.fullmatch(r"/?\d*", parts.path)):
        raise ValueError("no host, or a database that is no number")
    unknown = [name for name in parse_qs(parts.query) if name != "db" and not name.startswith("ssl_")]
    if unknown or parts.fragment:
        raise ValueError("an option that is not for the address")
    return dict(parse_url(url))


def _by_sentinel(url: str, scheme: str, shared: dict[str, Any]) -> Opened:
    parts = urlsplit(url)
    login, at, places = parts.netloc.rpartition("@")
    hosts = [_host_and_port(place) for place in places.split(",")]
    service, _, database = parts.path.removeprefix("/").partition("/")
    if not service:
        raise ValueError("no name of a service")
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    own = {name.removeprefix("sentinel_"): query.pop(name) for name in _SENTINEL_QUERY if name in query}
    options = _options(urlunsplit((scheme, f"{login}{at}sentinel", f"/{database}", urlencode(query), parts.fragment)))
    tls = {name: value for name, value in options.items() if name.startswith("ssl_")} | {"ssl": scheme == "rediss"}
    login_and_db = {name: options[name] for name in ("username", "password", "db") if name in options}
    sentinel = Sentinel(  # type: ignore[no-untyped-call]
        hosts, sentinel_kwargs=_asking(shared, len(hosts)) | tls | own
    )
    return _usable(Opened(sentinel.master_for(unquote(service), **shared, **tls, **login_and_db), sentinel))


def _asking(shared: Mapping[str, Any], sentinels: int) -> dict[str, Any]:
    """A sentinel that hangs must leave time to ask the next one, within the time of one command."""
    each = shared["socket_timeout"] / (sentinels + 1)
    return {
        "client_name": shared["client_name"],
        "socket_timeout": each,
        "socket_connect_timeout": each,
        "protocol": shared["protocol"],
        "retry": Retry(NoBackoff(), 0),
    }


def _host_and_port(place: str) -> tuple[str, int]:
    match = _HOST.fullmatch(place)
    if match is None:
        raise ValueError("no host")
    port = int(match["port"] or _SENTINEL_PORT)
    if not 0 < port < 65_536:
        raise ValueError("no port")
    return match["host"].strip("[]"), port


# without spaces for CLIENT SETNAME, without wildcards for SCAN, without braces, which would move keys in a cluster
_PREFIX = re.compile(r"[A-Za-z0-9_.:/-]{1,64}")


@dataclass(frozen=True, slots=True)
class RedisSettings:
    """`url` as in `KNOWN_ADDRESSES`; `prefix` begins every key; `seconds` is the longest time for one command,
    connecting included; `connections` are open at the same time, at most."""

    url: str = field(repr=False)
    prefix: str = "adpolicy"
    seconds: float = 1.0
    connections: int = 16


class Script:
    """Lua that Redis runs as one step. All its keys share a hash tag.

    It is sent once more when a connection was lost, perhaps after it ran: running it twice must change nothing.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


class RedisClient:
    """Connects when first used. Its builder closes it.

    Waits `seconds` at most for a free connection, and as long for the answer; less where the request's deadline is
    nearer. Raises Misconfigured("redis_url_invalid" | "redis_prefix_invalid") at the start; afterwards
    Unavailable("redis_down" | "redis_busy" | "redis_full" | "redis_read_only" | "redis_failed", or what the breaker
    raises) and Misconfigured("redis_refused" | "redis_tls_untrusted" | "redis_cluster_unsupported").
    """

    def __init__(self, settings: RedisSettings, breaker: Breaker | None = None) -> None:
        if not _PREFIX.fullmatch(settings.prefix):
            raise Misconfigured("redis_prefix_invalid", setting=PREFIX_SETTING, value=settings.prefix)
        self._settings = settings
        self._breaker = breaker
        self._slots = asyncio.Semaphore(settings.connections)
        name = settings.prefix.rstrip(":")
        self._opened = open_redis(settings.url, name=name, seconds=settings.seconds, connections=settings.connections)

    def key(self, *parts: str) -> str:
        """The parts behind the prefix. They must not hold anybody's text."""
        return ":".join((self._settings.prefix, *parts))

    async def run(self, script: Script, keys: Sequence[str], *arguments: str | bytes | int) -> Any:
        """What the script returns."""

        async def send() -> Any:
            redis = self._opened.redis
            try:
                return await redis.execute_command("EVALSHA", script.sha, len(keys), *keys, *arguments)
            except NoScriptError:  # a new server, or a restarted one
                return await redis.execute_command("EVAL", script.text, len(keys), *keys, *arguments)

        return await self._call(send)

    async def command(self, *arguments: str | bytes | int) -> Any:
        """What Redis answers to a single command; one that may run twice without harm."""
        return await self._call(lambda: self._opened.redis.execute_command(*arguments))

    async def check(self) -> None:
        """Raises what a command would raise."""
        await self.command("PING")

    async def aclose(self) -> None:
        await self._opened.aclose()

    async def _call(self, send: Callable[[], Awaitable[Any]]) -> Any:
        await self._take_slot()
        try:
            async with self._guarded():
                with translated():
                    async with asyncio.timeout(remaining(self._settings.seconds)):
                        return await send()
        except Unavailable as exc:
            if exc.code == "redis_read_only":
                # the address may lead to another server by now: ask for it again
                await self._opened.redis.connection_pool.disconnect(inuse_connections=False)
            raise
        finally:
            self._slots.release()

    async def _take_slot(self) -> None:
        try:
            async with asyncio.timeout(remaining(self._settings.seconds)):
                await self._slots.acquire()
        except TimeoutError as exc:
            raise Unavailable("redis_busy") from exc

    def _guarded(self) -> AbstractAsyncContextManager[None]:
        return nullcontext() if self._breaker is None else self._breaker.guard()
