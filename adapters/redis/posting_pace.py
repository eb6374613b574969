"""Turns to post, on Redis: of all processes."""

import hashlib

from adapters.redis.client import RedisClient, Script

_TURN = Script(
    """
    local t = redis.call('TIME')
    local now = t[1] * 1000 + math.floor(t[2] / 1000)
    local free = tonumber(redis.call('GET', KEYS[1]) or '0')
    local at = math.max(now, free)
    if at - now <= tonumber(ARGV[2]) then
        local next = at + tonumber(ARGV[1])
        redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', math.max(1, next - now))
    end
    return at - now
    """
)
"""By the server's clock: the same for all who post."""


class RedisPostingPace:
    """One key a name. When Redis is emptied, two may post at once; the platform says so, and one waits. A call whose
    answer was lost has reserved a turn that nobody takes."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client

    async def turn(self, name: str, seconds: float, longest: float) -> float:
        key = self._client.key("post", hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest())
        waiting = await self._client.run(_TURN, [key], round(seconds * 1000), round(longest * 1000))
        return int(waiting) / 1000
