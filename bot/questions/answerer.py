"""Answer a question and record the reply, for REST, web page, terminal and the question service."""

import asyncio
import contextlib
import math
import secrets
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Protocol

from bot.access.groups import Access, Audience
from bot.access.pseudonyms import KEY_BYTES, Pseudonyms, is_pseudonym
from bot.answers.recorded import SHOWN_IN
from bot.audit.exchanges import Exchange, answered_entries, failed_entry
from bot.model.jsonable import jsonable
from bot.model.memory import as_turn, condensed, history_of, open_to
from bot.model.messages import Actor, Conversation
from bot.model.outcomes import kind_of
from bot.ports import AnswerRecords, AuditLog, RecordedAnswer
from bot.questions.conversation import Conversations, Recalled
from bot.questions.limits import SteadyLimits
from rag_core.answers import AskTrace, Reply
from rag_core.deadlines import within
from rag_core.errors import PolicyBotError, Rejected, Unavailable
from rag_core.ports import Watching
from rag_core.questions import AskRequest, Background, Filters, Turn
from rag_core.revealing import AsksPolicies

RECORD_DOWN = "record_down"
"""An Unavailable of AnswerRecords that says: nothing is answered without a record."""

_NOT_RECORDED = frozenset({"rate_limited", RECORD_DOWN})
"""Ends of questions that leave no entry. One too many was not taken: an entry for each would let anybody write to the
record as fast as he can send. Or the record is what is down."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks what, from where ("slack", "rest", "web", "terminal"). `groups` are those that the answer may be shown
    to, where the caller knows them; None: as the directories say, for the asker alone (`private`) or for everybody who
    reads the conversation.

    `answer_id` makes asking again after a crash the same answer in the record. A `conversation` with a thread is
    remembered, and gives the history unless the caller gives one. `counted`: against the rate limits. `defaults`:
    what it means where it names no place or platform. `watching` is told of the answer while it grows.
    """

    text: str
    actor: Actor
    asked_from: str
    filters: Filters = field(default_factory=Filters)
    history: tuple[Turn, ...] = ()
    as_of: date | None = None
    top_k: int = 15
    groups: frozenset[str] | None = None
    private: bool = False
    answer_id: str | None = None
    conversation: Conversation | None = None
    counted: bool = True
    defaults: Filters = field(default_factory=Filters)
    watching: Watching | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply with the id under which it is recorded."""

    answer_id: str
    reply: Reply
    trace: AskTrace


class AskEvents(Protocol):
    """What is counted of questions. `kind`: answer, refusal or clarification; `code` of the error, "internal" for an
    unexpected one, "cancelled" when the caller went away."""

    def answered(self, asked_from: str, kind: str, degraded: tuple[str, ...], seconds: float) -> None: ...

    def failed(self, asked_from: str, code: str) -> None: ...


class NothingCounted:
    """AskEvents of those who count nothing."""

    def answered(self, asked_from: str, kind: str, degraded: tuple[str, ...], seconds: float) -> None: ...

    def failed(self, asked_from: str, code: str) -> None: ...


class Asking:
    """Asks within limits and a deadline, with what was said before, and records what was answered. Times are UTC.

    Limits, conversations and answers know people by `pseudonyms` only. Without them, by some that nobody can repeat.
    """

    def __init__(
        self,
        asker: AsksPolicies,
        records: AnswerRecords,
        *,
        shape: Callable[[str, Reply, AskTrace], dict[str, object]],
        now: Callable[[], datetime],
        new_id: Callable[[], str],
        deadline_seconds: float,
        conversations: Conversations | None = None,
        limits: SteadyLimits | None = None,
        events: AskEvents | None = None,
        audit: AuditLog | None = None,
        access: Access | None = None,
        pseudonyms: Pseudonyms | None = None,
    ) -> None:
        self._asker = asker
        self._records = records
        self._shape = shape
        self._now = now
        self._new_id = new_id
        self._deadline = deadline_seconds
        self._conversations = conversations
        self._limits = limits
        self._events = events or NothingCounted()
        self._audit = audit
        self._access = access
        self._pseudonyms = pseudonyms or Pseudonyms(secrets.token_bytes(KEY_BYTES))

    async def ask(self, asked: Asked) -> Answered:
        """The recorded reply. What did not answer is named in its `degraded`.

        Raises Rejected ("rate_limited" with the `seconds` to wait), and Unavailable ("too_slow" after the deadline).
        """
        began, failed = time.perf_counter(), "internal"
        asked = replace(asked, answer_id=asked.answer_id or self._new_id(), conversation=self._place(asked))
        try:
            answered = await self._asked(asked)
            failed = ""
        except PolicyBotError as exc:
            failed = exc.code
            raise
        except asyncio.CancelledError:
            failed = "cancelled"
            raise
        finally:
            if failed:
                self._events.failed(asked.asked_from, failed)
                await self._failed(asked, failed)
        reply, seconds = answered.reply, time.perf_counter() - began
        self._events.answered(asked.asked_from, kind_of(reply), reply.degraded, seconds)
        return answered

    async def _asked(self, asked: Asked) -> Answered:
        missing = await self._counted(asked)
        answer_id = asked.answer_id or ""
        async with AsyncExitStack() as until_remembered:
            try:
                async with within(self._deadline):
                    audience = await self._audience(asked)
                    asked = replace(asked, groups=audience.groups)
                    recalled = await self._recalled(asked, until_remembered)
                    reply, trace = await self._asker.ask(self._request(asked, answer_id, recalled), asked.watching)
            except TimeoutError as exc:
                raise Unavailable("too_slow", seconds=self._deadline) from exc
            reply = _degraded(reply, *missing, *audience.missing, *recalled.missing)
            answered = Answered(answer_id, reply, trace)
            answered = replace(answered, reply=_degraded(reply, *await self._remembered(asked, answered, recalled)))
        return await self._recorded(asked, answered)

    def _place(self, asked: Asked) -> Conversation | None:
        return self._pseudonyms.place(asked.conversation, asked.actor) if asked.conversation else None

    async def _counted(self, asked: Asked) -> tuple[str, ...]:
        """What did not answer. Raises Rejected for one question too many."""
        if self._limits is None or not asked.counted:
            return ()
        limited = await self._limits.hit(self._pseudonyms.named(asked.actor), asked.conversation)
        if limited.seconds > 0:
            raise Rejected("rate_limited", seconds=math.ceil(limited.seconds))
        return limited.missing

    async def _audience(self, asked: Asked) -> Audience:
        """Who may see the answer; without directories, everybody: public documents only."""
        if asked.groups is not None:
            return Audience(asked.groups)
        if self._access is None:
            return Audience()
        return await self._access.audience(asked.actor, asked.conversation, private=asked.private)

    async def _recalled(self, asked: Asked, until_remembered: AsyncExitStack) -> Recalled:
        if self._conversations is None or asked.conversation is None or not asked.conversation.thread:
            return Recalled()
        recalled = await until_remembered.enter_async_context(self._conversations.turn(asked.conversation))
        return replace(recalled, turns=open_to(asked.groups or frozenset(), recalled.turns))

    def _request(self, asked: Asked, answer_id: str, recalled: Recalled) -> AskRequest:
        # asked again after a crash: its own turn is no history of it
        before = [turn for turn in recalled.turns if turn.answer_id != answer_id]
        return AskRequest(
            text=asked.text,
            today=self._now().date(),
            groups=asked.groups or frozenset(),
            filters=asked.filters,
            history=asked.history or history_of(before),
            background=Background() if asked.history else condensed(before),
            as_of=asked.as_of,
            top_k=asked.top_k,
            defaults=asked.defaults,
        )

    async def _remembered(self, asked: Asked, answered: Answered, recalled: Recalled) -> tuple[str, ...]:
        if self._conversations is None or asked.conversation is None or not asked.conversation.thread:
            return ()
        before = [turn for turn in recalled.turns if turn.answer_id != answered.answer_id]
        person, now = self._pseudonyms.of(asked.actor), self._now()
        groups = asked.groups or frozenset()
        turn = as_turn(answered.answer_id, person, asked.text, now, answered.reply, answered.trace, before, groups)
        return await self._conversations.remember(asked.conversation, turn)

    async def _failed(self, asked: Asked, code: str) -> None:
        """A question without a reply is on record, too."""
        if self._audit is not None and code not in _NOT_RECORDED:
            with contextlib.suppress(PolicyBotError):  # what failed first is what the asker hears of
                await self._audit.append([failed_entry(_exchange(asked, self._now()), code)])

    async def _recorded(self, asked: Asked, answered: Answered) -> Answered:
        now = self._now()
        shape = self._shape(answered.answer_id, answered.reply, answered.trace)
        shown = str(shape.get("text", ""))
        record = RecordedAnswer(
            answer_id=answered.answer_id,
            answered_from=asked.asked_from,
            workspace=asked.actor.workspace,
            person=self._pseudonyms.of(asked.actor),
            question_text=answered.trace.question.text,
            reply=shape,
            trace=jsonable(_with_place(asked, answered.trace)),
            answered_at=now,
            entries=answered_entries(_exchange(asked, now), answered.reply, answered.trace, shown, now),
        )
        try:
            await self._records.save(record)
        except Unavailable as exc:
            if exc.code == RECORD_DOWN:
                raise
            return replace(answered, reply=_degraded(answered.reply, "record"))
        return answered


def _with_place(asked: Asked, trace: AskTrace) -> AskTrace:
    """The trace, and where the answer is seen by others than the asker: they may speak of it."""
    where = asked.conversation
    if asked.private or where is None or is_pseudonym(where.channel):
        return trace
    return replace(trace, notes={**trace.notes, SHOWN_IN: where.channel})


def _exchange(asked: Asked, at: datetime) -> Exchange:
    where = asked.conversation
    return Exchange(
        answer_id=asked.answer_id or "",
        origin=asked.asked_from,
        workspace=asked.actor.workspace,
        person=asked.actor.person,
        asked=asked.text,
        at=at,
        channel=where.channel if where else "",
        thread=where.thread if where else "",
        filters=asked.filters,
        as_of=asked.as_of,
        groups=asked.groups or frozenset(),
        top_k=asked.top_k,
        defaults=asked.defaults,
    )


def _degraded(reply: Reply, *missing: str) -> Reply:
    """The reply with what else did not answer, each once."""
    return replace(reply, degraded=tuple(dict.fromkeys((*reply.degraded, *missing)))) if missing else reply
