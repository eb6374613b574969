"""Locks on Redis."""

import hashlib
from collections.abc import Callable

from adapters.redis.claims import SET_ONCE, new_token
from adapters.redis.client import RedisClient, Script

_EXTEND = Script(
    """
    if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
    return redis.call('PEXPIRE', KEYS[1], ARGV[2])
    """
)
_RELEASE = Script(
    """
    if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
    return redis.call('DEL', KEYS[1])
    """
)


class RedisLocks:
    """One key a lock, its value the holder's token.

    When Redis is emptied, or a replica that had not heard of the lock takes over, somebody else may hold it at the
    same time; the former holder learns it by `extend`, which says False. So a lock spares double work, and whatever
    must not happen twice is decided by the SQL store. A `release` whose connection was lost after it worked says False.
    """

    def __init__(self, client: RedisClient, *, token: Callable[[], str] = new_token) -> None:
        self._client = client
        self._token = token

    async def acquire(self, name: str, seconds: float) -> str | None:
        token = self._token()
        taken = await self._client.run(SET_ONCE, [self._key(name)], token, _milliseconds(seconds))
        return token if taken else None

    async def extend(self, name: str, token: str, seconds: float) -> bool:
        return bool(await self._client.run(_EXTEND, [self._key(name)], _given(token), _milliseconds(seconds)))

    async def release(self, name: str, token: str) -> bool:
        return bool(await self._client.run(_RELEASE, [self._key(name)], _given(token)))

    def _key(self, name: str) -> str:
        return self._client.key("lock", hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest())


def _milliseconds(seconds: float) -> int:
    if seconds <= 0:
        raise ValueError("a lock lasts for a time")
    return max(1, round(seconds * 1000))


def _given(token: str) -> str:
    """Whatever was given as a token, in a form that can be sent."""
    return token.encode("utf-8", "backslashreplace").decode()
