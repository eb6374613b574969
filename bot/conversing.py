"""One question of a conversation at a time, with what was said before."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from bot.layered_memory import ALL, FAST, LayeredMemory, Recalled
from bot.memory import RememberedTurn, conversation_key
from bot.messages import Conversation
from bot.ports import Locks
from bot.thread_beginnings import ThreadBeginnings
from rag_core.errors import Unavailable

ORDER = "order"
"""In a reply's `degraded`: an earlier question of the conversation was still being answered."""

_LOOK_SECONDS = 0.05


class Conversations:
    """What was said before, and whose turn it is. Without locks, or without an answer from them, nobody waits.

    `wait_seconds`: the longest wait for an earlier question. `lock_seconds`: how long the lock of a process that
    died lasts; the living renew it three times as often. `beginnings`: where a thread that nobody remembers may begin.
    """

    def __init__(
        self,
        memory: LayeredMemory,
        locks: Locks | None = None,
        *,
        wait_seconds: float = 5.0,
        lock_seconds: float = 15.0,
        beginnings: ThreadBeginnings | None = None,
    ) -> None:
        self._beginnings = beginnings
        self._memory = memory
        self._locks = locks
        self._wait = wait_seconds
        self._lock = lock_seconds

    @asynccontextmanager
    async def turn(self, conversation: Conversation) -> AsyncIterator[Recalled]:
        """What was said before this question; until the end of the block no other of the conversation is asked."""
        async with self._locked(conversation_key(conversation)) as missing:
            recalled = await self._recalled(conversation)
            yield Recalled(recalled.turns, tuple(dict.fromkeys((*missing, *recalled.missing))))

    async def _recalled(self, conversation: Conversation) -> Recalled:
        recalled = await self._memory.recall(conversation)
        if self._beginnings is None or recalled.turns or ALL in recalled.missing:
            return recalled
        first = await self._beginnings.first_turn(conversation)
        if first is None:
            return recalled
        # from now on it is the first of this thread's turns, for those who ask later as well
        missing = await self._memory.remember(conversation, first)
        return Recalled((first,), tuple(dict.fromkeys((*recalled.missing, *missing))))

    async def remember(self, conversation: Conversation, turn: RememberedTurn) -> tuple[str, ...]:
        """Adds a turn; what did not answer. Inside the block: the next question is to know of it."""
        return await self._memory.remember(conversation, turn)

    @asynccontextmanager
    async def _locked(self, name: str) -> AsyncIterator[tuple[str, ...]]:
        if self._locks is None:
            yield ()
            return
        try:
            token = await self._acquired(self._locks, name)
        except Unavailable:
            yield (FAST,)
            return
        if token is None:
            yield (ORDER,)
            return
        renewing = asyncio.create_task(self._renew(self._locks, name, token))
        try:
            yield ()
        finally:
            renewing.cancel()
            with suppress(Unavailable):  # it ends by itself
                await self._locks.release(name, token)

    async def _acquired(self, locks: Locks, name: str) -> str | None:
        clock = asyncio.get_running_loop().time
        give_up = clock() + self._wait
        while True:
            token = await locks.acquire(name, self._lock)
            if token is not None or clock() >= give_up:
                return token
            await asyncio.sleep(_LOOK_SECONDS)

    async def _renew(self, locks: Locks, name: str, token: str) -> None:
        while True:
            await asyncio.sleep(self._lock / 3)
            with suppress(Unavailable):
                if not await locks.extend(name, token, self._lock):
                    return
