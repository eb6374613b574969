"""Rate limits on Redis."""

from collections.abc import Callable

from adapters.redis.claims import new_token
from adapters.redis.client import RedisClient, Script
from bot.model.messages import Actor, Conversation
from bot.questions.limits import Allowances

_HIT = Script(
    """
    local time = redis.call('TIME')
    local now = time[1] * 1000000 + time[2]
    local function exactly(microseconds) return string.format('%.0f', microseconds) end
    local wait = 0
    for i, key in ipairs(KEYS) do
        local times, window = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
        if redis.call('ZSCORE', key, ARGV[1]) then return 0 end -- sent again: counted already
        local from, to = '(' .. exactly(now - window), exactly(now) -- what is later was counted by another clock
        local count = redis.call('ZCOUNT', key, from, to)
        if count >= times then
            local first = redis.call('ZRANGEBYSCORE', key, from, to, 'WITHSCORES', 'LIMIT', count - times, 1)
            wait = math.max(wait, first[2] + window - now)
        end
    end
    if wait > 0 then return wait end
    for i, key in ipairs(KEYS) do
        redis.call('ZADD', key, exactly(now), ARGV[1]) -- the first to write: a full server refuses here, or nowhere
        redis.call('ZREMRANGEBYSCORE', key, '-inf', exactly(now - ARGV[2 * i + 1]))
        redis.call('ZREMRANGEBYSCORE', key, '(' .. exactly(now), '+inf')
        redis.call('PEXPIRE', key, math.ceil(ARGV[2 * i + 1] / 1000))
    end
    return 0
    """
)


class RedisRateLimits:
    """A moving window: one sorted set a counter, by the server's clock. What is refused is not counted.

    All counters of one question are in one workspace, whose hash is their tag. When Redis is emptied, limits start
    anew.
    """

    def __init__(self, client: RedisClient, allowances: Allowances, *, token: Callable[[], str] = new_token) -> None:
        self._client = client
        self._allowances = allowances
        self._token = token

    async def hit(self, actor: Actor, conversation: Conversation | None) -> float:
        counters = self._allowances.counters(actor, conversation)
        if not counters:
            return 0.0
        keys = [self._client.key("limit", f"{{{each.workspace}}}", each.name) for each in counters]
        windows = [n for each in counters for n in (each.limit.times, each.limit.seconds * 1_000_000)]
        return int(await self._client.run(_HIT, keys, self._token(), *windows)) / 1_000_000
