"""Conversations remembered twice: quickly, and for good."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.memory import RememberedTurn
from bot.messages import Conversation
from bot.ports import ConversationMemory
from rag_core.errors import Unavailable

FAST = "redis"
ALL = "memory"
"""What stands in a reply's `degraded`: the fast memory did not answer; there was no history to be had at all."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was said before, oldest first, and what did not answer."""

    turns: tuple[RememberedTurn, ...] = ()
    missing: tuple[str, ...] = ()


class LayeredMemory:
    """The fast memory is asked first; what it does not know comes from the durable one. Never raises Unavailable:
    an answer does not wait for its history."""

    def __init__(self, fast: ConversationMemory, durable: ConversationMemory) -> None:
        self._fast = fast
        self._durable = durable

    async def recall(self, conversation: Conversation) -> Recalled:
        fast = await _recalled(self._fast, conversation)
        if fast:
            return Recalled(fast)
        missing = (FAST,) if fast is None else ()
        durable = await _recalled(self._durable, conversation)
        if durable is None:  # what the fast one does not know may only have run out there
            return Recalled((), (*missing, ALL))
        if durable and fast is not None and not await self._refilled(conversation, durable):
            missing = (FAST,)
        return Recalled(durable, missing)

    async def remember(self, conversation: Conversation, turn: RememberedTurn) -> tuple[str, ...]:
        """Adds the turn to both; what did not answer."""
        fast = await _remembered(self._fast, conversation, turn)
        durable = await _remembered(self._durable, conversation, turn)
        return () if fast else (FAST,) if durable else (FAST, ALL)

    async def forget(self, conversation: Conversation) -> None:
        """Out of both. Raises Unavailable: then it is not forgotten everywhere."""
        await self._durable.forget(conversation)
        await self._fast.forget(conversation)

    async def _refilled(self, conversation: Conversation, turns: Sequence[RememberedTurn]) -> bool:
        try:
            await self._fast.refill(conversation, turns)
        except Unavailable:
            return False
        return True


async def _recalled(memory: ConversationMemory, conversation: Conversation) -> tuple[RememberedTurn, ...] | None:
    try:
        return await memory.recall(conversation)
    except Unavailable:
        return None


async def _remembered(memory: ConversationMemory, conversation: Conversation, turn: RememberedTurn) -> bool:
    try:
        await memory.remember(conversation, turn)
    except Unavailable:
        return False
    return True
