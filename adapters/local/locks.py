"""Locks in the process."""

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

_SWEPT_FROM = 1_000


@dataclass(frozen=True, slots=True)
class _Held:
    token: str
    until: float


class LocalLocks:
    """Between the tasks of this process. Other processes do not see them: what must not happen twice is decided by
    the SQL store."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        token: Callable[[], str] = lambda: secrets.token_hex(16),
    ) -> None:
        self._clock = clock
        self._token = token
        self._held: dict[bytes, _Held] = {}
        self._sweep_at = _SWEPT_FROM

    async def acquire(self, name: str, seconds: float) -> str | None:
        _check(seconds)
        key, now = _hash(name), self._clock()
        held = self._held.get(key)
        if held is not None and held.until > now:
            return None
        self._sweep(now)
        token = self._token()
        self._held[key] = _Held(token, now + seconds)
        return token

    async def extend(self, name: str, token: str, seconds: float) -> bool:
        _check(seconds)
        if not self._is_ours(name, token):
            return False
        self._held[_hash(name)] = _Held(token, self._clock() + seconds)
        return True

    async def release(self, name: str, token: str) -> bool:
        if not self._is_ours(name, token):
            return False
        del self._held[_hash(name)]
        return True

    def _is_ours(self, name: str, token: str) -> bool:
        held = self._held.get(_hash(name))
        return held is not None and held.token == token and held.until > self._clock()

    def _sweep(self, now: float) -> None:
        """Drop locks that ended by themselves, seldom enough to cost nothing."""
        if len(self._held) >= self._sweep_at:
            self._held = {key: held for key, held in self._held.items() if held.until > now}
            self._sweep_at = max(_SWEPT_FROM, 2 * len(self._held))


def _check(seconds: float) -> None:
    if seconds <= 0:
        raise ValueError("a lock lasts for a time")


def _hash(name: str) -> bytes:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
