"""What decides while a shared service does not answer: the process alone."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TypeVar

from bot.layered_memory import FAST
from bot.messages import Actor, Conversation
from bot.ports import Claims, RateLimits
from rag_core.errors import Unavailable

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
