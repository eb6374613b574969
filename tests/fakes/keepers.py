"""Memory, claims, locks and limits to test, in the process and on Redis.

A further kind joins all tests by its lines in `MAKERS` and `KINDS`.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol
from uuid import uuid4

import pytest
from redis.asyncio import Redis

from adapters.local.claims import LocalClaims
from adapters.local.limits import LocalRateLimits
from adapters.local.locks import LocalLocks
from adapters.local.memory import LocalConversationMemory
from adapters.redis.claims import RedisClaims
from adapters.redis.client import RedisClient, RedisSettings
from adapters.redis.limits import RedisRateLimits
from adapters.redis.locks import RedisLocks
from adapters.redis.memory import RedisConversationMemory
from bot.model.memory import MOST_BYTES, RememberedTurn
from bot.ports import Claims, ConversationMemory, FastMemory, Locks, RateLimits
from bot.questions.limits import Allowances
from rag_core.questions import Background
from tests.fakes.clock import FakeClock
from tests.fakes.questions import NOON
from tests.fakes.services import address_of

HOSTILE = ["", " ", "a\nb\r\nc", "{tag}{other}", "*?[a-z]", "a:b:c", "\x00\x1f", "日本語 🍺", "\ud83d", "x" * 10_000]
"""Ids that would break a key, if they were ever in one."""


class Remembering(ConversationMemory, FastMemory, Protocol):
    """The memory at hand."""


class Keepers(Protocol):
    """Where a test gets its keepers from. Those of one kind see the same things, as processes side by side would,
    where the kind can do that."""

    def memory(self, *, seconds: float = 3600, most_bytes: int = MOST_BYTES) -> Remembering: ...

    def claims(self, *, seconds: float = 3600) -> Claims: ...

    def locks(self) -> Locks: ...

    def limits(self, allowances: Allowances) -> RateLimits: ...

    async def wait(self, seconds: float) -> None:
        """Until that time has passed."""


class LocalKeepers:
    """On a clock that moves at once."""

    def __init__(self) -> None:
        self._clock = FakeClock()

    def memory(self, *, seconds: float = 3600, most_bytes: int = MOST_BYTES) -> Remembering:
        return LocalConversationMemory(seconds=seconds, most_bytes=most_bytes, clock=self.now)

    def claims(self, *, seconds: float = 3600) -> Claims:
        return LocalClaims(seconds=seconds, clock=self.now)

    def locks(self) -> Locks:
        return LocalLocks(clock=self.now)

    def limits(self, allowances: Allowances) -> RateLimits:
        return LocalRateLimits(allowances, clock=self.now)

    def now(self) -> float:
        return (self._clock() - NOON).total_seconds()

    async def wait(self, seconds: float) -> None:
        self._clock.move(seconds=seconds)


@dataclass(frozen=True, slots=True)
class RedisKeepers:
    """On keys of their own. `raw` is a plain client, to look behind the adapters."""

    client: RedisClient
    raw: Any
    prefix: str

    def memory(self, *, seconds: float = 3600, most_bytes: int = MOST_BYTES) -> Remembering:
        return RedisConversationMemory(self.client, seconds=seconds, most_bytes=most_bytes)

    def claims(self, *, seconds: float = 3600) -> Claims:
        return RedisClaims(self.client, seconds=seconds)

    def locks(self) -> Locks:
        return RedisLocks(self.client)

    def limits(self, allowances: Allowances) -> RateLimits:
        return RedisRateLimits(self.client, allowances)

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds + 0.02)

    async def keys(self) -> list[str]:
        return sorted([key.decode() async for key in self.raw.scan_iter(match=f"{self.prefix}:*", count=1000)])

    async def empty(self) -> None:
        """As if the server had lost its memory."""
        if keys := await self.keys():
            await self.raw.delete(*keys)


@asynccontextmanager
async def local_keepers() -> AsyncIterator[LocalKeepers]:
    yield LocalKeepers()


@asynccontextmanager
async def redis_keepers(url: str | None = None) -> AsyncIterator[RedisKeepers]:
    """On the server of the tests, or on another one; the keys are deleted at the end."""
    url = url or address_of("redis")
    prefix = f"test-{uuid4().hex}"
    client = RedisClient(RedisSettings(url, prefix, seconds=5))
    raw = Redis.from_url(url)
    keepers = RedisKeepers(client, raw, prefix)
    try:
        yield keepers
        await keepers.empty()
    finally:
        await client.aclose()
        await raw.aclose()


MAKERS: dict[str, Callable[[], AbstractAsyncContextManager[Keepers]]] = {
    "local": local_keepers,
    "redis": redis_keepers,
}

KINDS = ["local", pytest.param("redis", marks=pytest.mark.services)]


def make_turn(number: int = 1, **changes: Any) -> RememberedTurn:
    """Turn `number` of a conversation; `changes` are fields of RememberedTurn."""
    fields: dict[str, Any] = {
        "answer_id": f"a{number}",
        "person": "U1",
        "asked": f"question {number}",
        "understood": f"question {number} in the UK",
        "kind": "answer",
        "at": NOON + timedelta(minutes=number),
        "as_of": "2026-06-01",
        "regions": ("uk",),
        "topics": ("alcohol", "beer"),
        "before": Background(topics=("wine",), regions=("fr",), document_ids=("acme_wine",)),
    }
    return RememberedTurn(**(fields | changes))


async def all_of(calls: list[Awaitable[Any]]) -> list[Any]:
    """What they return, all at once."""
    return list(await asyncio.gather(*calls))
