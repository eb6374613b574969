"""One question of a conversation at a time, with its history from a fast and a durable store."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.answers.recorded import answered_for
from bot.model.memory import LONGEST_TEXT, CitedChunk, RememberedTurn, conversation_key
from bot.model.messages import Conversation
from bot.model.posted import PostedMessages, Subject
from bot.ports import ConversationMemory, GivenAnswers, Locks, RecordedAnswer
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


class ThreadBeginnings:
    """The first turn of a thread that nobody remembers, from the answers on record: nothing has to be written down when
    a command is answered, so nothing is lost when a process dies there."""

    def __init__(self, posted: PostedMessages, answers: GivenAnswers) -> None:
        self._posted = posted
        self._answers = answers

    async def first_turn(self, conversation: Conversation) -> RememberedTurn | None:
        """None: the thread does not begin with an answer of ours, it is not on record any more, or the store is down.
        The turn is for nobody who is not in all groups that the answer was given for."""
        place = (conversation.platform, conversation.workspace, conversation.channel, conversation.thread)
        if not conversation.thread:
            return None
        try:
            posted = await self._posted.in_thread(*place)
            first = next((each for each in posted if each.place.message == conversation.thread), None)
            if first is None or first.subject is not Subject.ANSWER:
                return None
            record = await self._answers.answer(first.subject_id)
        except Unavailable:
            return None
        return None if record is None else turn_of(record)


def turn_of(record: RecordedAnswer) -> RememberedTurn | None:
    """The turn that the answer would have been remembered as; None for one that does not say enough."""
    try:
        return _turn(record, (record.trace or {})["question"])
    except (AttributeError, KeyError, TypeError, ValueError):  # of a version that recorded something else
        return None


def _turn(record: RecordedAnswer, question: Any) -> RememberedTurn:
    scope: Any = record.reply["scope"]
    types = scope["content_type"] or ()  # null, a value or a list
    cited: Any = record.reply.get("citations") or []
    assumed = question["scope"].get("assumed", ())  # what nobody has named, nobody asks on from
    datetime.fromisoformat(scope["as_of"])  # ValueError for what is no day
    return RememberedTurn(
        answer_id=record.answer_id,
        person=record.person,
        asked=record.question_text[:LONGEST_TEXT],
        understood=(question.get("rewritten") or question["text"])[:LONGEST_TEXT],
        kind=str(record.reply["kind"]),
        at=record.answered_at,
        as_of=scope["as_of"],
        regions=() if "regions" in assumed else _texts(scope["regions"]),
        policy_sources=() if "policy_sources" in assumed else _texts(scope["policy_sources"]),
        content_types=(types,) if isinstance(types, str) else _texts(types),
        topics=_texts([each["text"] for each in question["terms"]]),
        citations=tuple(map(_cited, cited)) if record.reply["kind"] == "answer" else (),
        needed=tuple(sorted(answered_for(record))),
    )


def _cited(citation: Mapping[str, Any]) -> CitedChunk:
    return CitedChunk(
        chunk_id=str(citation["chunk_id"]),
        doc_id=str(citation["doc_id"]),
        document_id=str(citation["document_id"]),
        policy_source=str(citation["policy_source"]),
        section_path=str(citation.get("section_path") or ""),
    )


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(str(each) for each in values)


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
