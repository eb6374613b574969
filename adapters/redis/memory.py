"""Conversation memory on Redis."""

import hashlib
from collections.abc import Sequence

from adapters.redis.client import RedisClient, Script
from bot.model.memory import MOST_BYTES, MOST_TURNS, RememberedTurn, conversation_key, entries_of, entry_of, turn_of
from bot.model.messages import Conversation

_MARK = 64
"""An entry begins with the SHA-256 (hex) of its answer_id: scripts compare it without reading JSON."""

_RECALL = Script(
    """
    local entries = redis.call('LRANGE', KEYS[1], 0, -1)
    if #entries > 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
    return entries
    """
)
_REMEMBER = Script(
    """
    local entry, most, room = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
    local entries = redis.call('LRANGE', KEYS[1], 0, -1)
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    for _, each in ipairs(entries) do
        if string.sub(each, 1, 64) == string.sub(entry, 1, 64) then return 0 end
    end
    local kept, size = 1, #entry - 64
    for i = #entries, 1, -1 do
        size = size + #entries[i] - 64
        if kept == most or size > room then break end
        kept = kept + 1
    end
    redis.call('RPUSH', KEYS[1], entry)
    redis.call('LTRIM', KEYS[1], -kept, -1)
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    return 1
    """
)
_SCANNED = 500
"""Keys that Redis looks at in one step of a scan."""

_REPLACE = Script(
    """
    local seen = tonumber(ARGV[2])
    local entries = redis.call('LRANGE', KEYS[1], 0, -1)
    if #entries ~= seen then return 0 end
    for i = 1, seen do
        if entries[i] ~= ARGV[2 + i] then return 0 end
    end
    redis.call('DEL', KEYS[1])
    for i = 3 + seen, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[i]) end
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    return 1
    """
)
"""Only what was seen is replaced: who remembers something in between is not overwritten."""


class RedisConversationMemory:
    """One list a conversation, which ends after `seconds` without use.

    When Redis is emptied, or what it holds was written by another version, nothing is remembered: the caller refills
    it from the store. A turn too large for `most_bytes` loses its citations and topics.
    """

    def __init__(self, client: RedisClient, *, seconds: float, most_bytes: int = MOST_BYTES) -> None:
        self._client = client
        self._milliseconds = max(1, round(seconds * 1000))
        self._most_bytes = most_bytes

    async def recall(self, conversation: Conversation) -> tuple[RememberedTurn, ...]:
        return _readable(await self._entries(conversation))

    async def remember(self, conversation: Conversation, turn: RememberedTurn) -> None:
        entry = entry_of(turn, self._most_bytes)
        if entry is not None:
            marked = _mark(turn.answer_id) + entry
            limits = (MOST_TURNS, self._most_bytes)
            await self._client.run(_REMEMBER, [self._key(conversation)], self._milliseconds, marked, *limits)

    async def refill(self, conversation: Conversation, turns: Sequence[RememberedTurn]) -> None:
        entries = [_mark(answer_id) + entry for answer_id, entry in entries_of(turns, self._most_bytes)]
        seen = await self._entries(conversation) if entries else []
        if entries and not _readable(seen):
            await self._client.run(_REPLACE, [self._key(conversation)], self._milliseconds, len(seen), *seen, *entries)

    async def forget(self, conversation: Conversation) -> None:
        await self._client.command("DEL", self._key(conversation))

    async def forget_all(self) -> int:
        forgotten, cursor = 0, b"0"
        while True:
            cursor, keys = await self._client.command(
                "SCAN", cursor, "MATCH", self._client.key("memory", "*"), "COUNT", _SCANNED
            )
            for key in keys:
                forgotten += int(await self._client.command("DEL", key))
            if int(cursor) == 0:
                return forgotten

    async def _entries(self, conversation: Conversation) -> list[bytes]:
        entries: list[bytes] = await self._client.run(_RECALL, [self._key(conversation)], self._milliseconds)
        return entries

    def _key(self, conversation: Conversation) -> str:
        return self._client.key("memory", conversation_key(conversation))


def _mark(answer_id: str) -> str:
    return hashlib.sha256(answer_id.encode("utf-8", "surrogatepass")).hexdigest()


def _readable(entries: Sequence[bytes]) -> tuple[RememberedTurn, ...]:
    turns = (turn_of(entry[_MARK:]) for entry in entries)
    return tuple(turn for turn in turns if turn is not None)[-MOST_TURNS:]
