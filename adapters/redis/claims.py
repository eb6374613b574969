"""Claims on Redis."""

import hashlib
import secrets
from collections.abc import Callable

from adapters.redis.client import RedisClient, Script

CLAIM_SECONDS = 3600
"""How long a claim holds: longer than any platform delivers again, and than the 15 minutes of the port."""

SET_ONCE = Script(
    """
    if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
    return redis.call('GET', KEYS[1]) == ARGV[1] and 1 or 0
    """
)
"""1 if the value was set, now or by this same call before its connection was lost."""


def new_token() -> str:
    """Nobody else's."""
    return secrets.token_hex(16)


class RedisClaims:
    """One key a claim: SET NX with an end. When Redis is emptied every claim is forgotten; the Inbox decides."""

    def __init__(
        self, client: RedisClient, *, seconds: float = CLAIM_SECONDS, token: Callable[[], str] = new_token
    ) -> None:
        self._client = client
        self._milliseconds = max(1, round(seconds * 1000))
        self._token = token

    async def claim(self, claim_key: str) -> bool:
        return bool(await self._client.run(SET_ONCE, [self._key(claim_key)], self._token(), self._milliseconds))

    async def is_claimed(self, claim_key: str) -> bool:
        return bool(await self._client.command("EXISTS", self._key(claim_key)))

    async def release(self, claim_key: str) -> None:
        await self._client.command("DEL", self._key(claim_key))

    def _key(self, claim_key: str) -> str:
        return self._client.key("claim", hashlib.sha256(claim_key.encode("utf-8", "surrogatepass")).hexdigest())
