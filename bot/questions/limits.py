"""Rate limits as settings write them, and the local fallback while a shared service is down."""

import asyncio
import hashlib
import json
import re
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TypeVar

from bot.model.messages import Actor, Conversation
from bot.ports import Claims, RateLimits
from bot.questions.conversation import FAST
from rag_core.errors import Misconfigured, Unavailable

_LIMIT = re.compile(r"(\d{1,6})\s*(?:/|per\s)\s*(\d{1,4})?\s*(second|minute|hour|day)s?", re.IGNORECASE)
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
_MOST_TIMES = 100_000  # every question within the window is remembered until the window has passed
_LONGEST_SECONDS = 31 * 86_400


@dataclass(frozen=True, slots=True)
class Limit:
    """So many times within any stretch of so many seconds."""

    times: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Counter:
    """What a question is counted against. `name` and `workspace` are hashes: no id of anybody is in them."""

    workspace: str
    name: str
    limit: Limit


@dataclass(frozen=True, slots=True)
class Allowances:
    """The limits of one person, one channel and one workspace; None: as often as they like."""

    person: Limit | None = None
    channel: Limit | None = None
    workspace: Limit | None = None

    def counters(self, actor: Actor, conversation: Conversation | None) -> tuple[Counter, ...]:
        """At most one of each kind, all of the workspace that is asked in: who asks in two is counted in each."""
        place = conversation or actor
        asked_in = (place.platform, place.workspace)
        found = [
            _counter("person", self.person, asked_in, actor.platform, actor.workspace, actor.person),
            _counter("channel", self.channel, asked_in, conversation.channel) if conversation else None,
            _counter("workspace", self.workspace, asked_in),
        ]
        return tuple(counter for counter in found if counter)


def limit_from(value: str, setting: str = "") -> Limit | None:
    """ "20/minute", "5 per second", "100/2 hours"; "" is no limit. Raises Misconfigured("limit_invalid")."""
    if not value.strip():
        return None
    match = _LIMIT.fullmatch(value.strip())
    if match is None:
        raise Misconfigured("limit_invalid", setting=setting, value=value)
    limit = Limit(int(match[1]), int(match[2] or 1) * _SECONDS[match[3].lower()])
    if not (0 < limit.times <= _MOST_TIMES and 0 < limit.seconds <= _LONGEST_SECONDS):
        raise Misconfigured("limit_invalid", setting=setting, value=value)
    return limit


def allowances_from(person: str = "", channel: str = "", workspace: str = "") -> Allowances:
    """From the settings. Raises Misconfigured("limit_invalid", setting, value)."""
    return Allowances(
        limit_from(person, "ADPOLICY_LIMIT_PERSON"),
        limit_from(channel, "ADPOLICY_LIMIT_CHANNEL"),
        limit_from(workspace, "ADPOLICY_LIMIT_WORKSPACE"),
    )


def _counter(kind: str, limit: Limit | None, asked_in: tuple[str, str], *ids: str) -> Counter | None:
    if limit is None:
        return None
    return Counter(_hash(asked_in)[:16], f"{kind}:{_hash((*asked_in, *ids))}", limit)


def _hash(ids: tuple[str, ...]) -> str:
    return hashlib.sha256(json.dumps(ids).encode()).hexdigest()


_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Limited:
    """Seconds to wait (0: go on), and what did not answer."""

    seconds: float
    missing: tuple[str, ...] = ()


class SteadyLimits:
    """Rate limits that always decide: by `shared`, or while that is down by the process's `own`."""

    def __init__(self, shared: RateLimits, own: RateLimits) -> None:
        self._shared = shared
        self._own = own

    async def hit(self, actor: Actor, conversation: Conversation | None) -> Limited:
        try:
            return Limited(await self._shared.hit(actor, conversation))
        except Unavailable:
            return Limited(await self._own.hit(actor, conversation), (FAST,))


class SteadyClaims:
    """Claims that always decide, and soon: platforms do not wait. The process remembers what it claimed, so that it
    knows it when `shared` is down, or emptied. `seconds`: the longest time that `shared` is waited for."""

    def __init__(self, shared: Claims, own: Claims, *, seconds: float = 0.5) -> None:
        self._shared = shared
        self._own = own
        self._seconds = seconds

    async def claim(self, claim_key: str) -> bool:
        """True for the first caller; while the shared claims are down: of this process."""
        if not await self._own.claim(claim_key):
            return False
        return await self._soon(self._shared.claim(claim_key), otherwise=True)

    async def is_claimed(self, claim_key: str) -> bool:
        if await self._own.is_claimed(claim_key):
            return True
        return await self._soon(self._shared.is_claimed(claim_key), otherwise=False)

    async def release(self, claim_key: str) -> None:
        await self._own.release(claim_key)
        await self._soon(self._shared.release(claim_key), otherwise=None)  # it runs out anyway

    async def _soon(self, call: Awaitable[_T], *, otherwise: _T) -> _T:
        try:
            async with asyncio.timeout(self._seconds):
                return await call
        except (Unavailable, TimeoutError):
            return otherwise
