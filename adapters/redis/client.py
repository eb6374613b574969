"""The one client of a process: bounded in time and connections, its errors translated."""

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from redis.exceptions import NoScriptError

from adapters.redis.addresses import open_redis
from adapters.redis.errors import PREFIX_SETTING, translated
from rag_core.deadlines import remaining
from rag_core.errors import Misconfigured, Unavailable
from rag_core.ports import Breaker

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
