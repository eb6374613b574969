"""Conversation memory in the process."""

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.model.memory import MOST_BYTES, RememberedTurn, conversation_key, entries_of, entry_of, last_that_fit, turn_of
from bot.model.messages import Conversation


@dataclass(slots=True)
class _Remembered:
    entries: list[tuple[str, str]]
    until: float

    @property
    def size(self) -> int:
        return sum(len(entry) for _, entry in self.entries)


class LocalConversationMemory:
    """What this process heard, until `seconds` without use.

    Bounded: `most_conversations`, and `most_bytes_together` of all of them; those used longest ago go first. A new
    process remembers nothing: the caller refills it from the store. A turn too large for `most_bytes` loses its
    citations and topics.
    """

    def __init__(
        self,
        *,
        seconds: float,
        most_bytes: int = MOST_BYTES,
        most_conversations: int = 10_000,
        most_bytes_together: int = 67_108_864,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds = seconds
        self._most_bytes = most_bytes
        self._most_conversations = most_conversations
        self._most_bytes_together = most_bytes_together
        self._clock = clock
        self._kept: OrderedDict[str, _Remembered] = OrderedDict()  # by last use: by the end of its time as well
        self._size = 0

    async def recall(self, conversation: Conversation) -> tuple[RememberedTurn, ...]:
        key = conversation_key(conversation)
        entries = self._take_out(key)
        self._put(key, entries)
        return tuple(turn for _, entry in entries if (turn := turn_of(entry)))

    async def remember(self, conversation: Conversation, turn: RememberedTurn) -> None:
        key = conversation_key(conversation)
        entries = self._take_out(key)
        entry = entry_of(turn, self._most_bytes)
        if entry is not None and turn.answer_id not in dict(entries):
            entries = last_that_fit([*entries, (turn.answer_id, entry)], self._most_bytes)
        self._put(key, entries)

    async def refill(self, conversation: Conversation, turns: Sequence[RememberedTurn]) -> None:
        key = conversation_key(conversation)
        self._put(key, self._take_out(key) or entries_of(turns, self._most_bytes))

    async def forget(self, conversation: Conversation) -> None:
        self._take_out(conversation_key(conversation))

    async def forget_all(self) -> int:
        forgotten = len(self._kept)
        self._kept.clear()
        self._size = 0
        return forgotten

    def _take_out(self, key: str) -> list[tuple[str, str]]:
        """The entries of a conversation, which is forgotten unless they are put back."""
        found = self._kept.pop(key, None)
        if found is None:
            return []
        self._size -= found.size
        return found.entries if found.until > self._clock() else []

    def _put(self, key: str, entries: list[tuple[str, str]]) -> None:
        if entries:
            remembered = _Remembered(entries, self._clock() + self._seconds)
            self._kept[key] = remembered
            self._size += remembered.size
        while self._kept and self._is_too_much():
            self._size -= self._kept.popitem(last=False)[1].size

    def _is_too_much(self) -> bool:
        crowded = len(self._kept) > self._most_conversations or self._size > self._most_bytes_together
        return crowded or next(iter(self._kept.values())).until <= self._clock()
