"""A question in, a recorded reply out: for callers that wait for it (REST, web page, terminal) and the service."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Protocol

from bot.messages import Actor
from bot.ports import AnswerRecords, RecordedAnswer
from rag_core.answers import AskTrace, Reply
from rag_core.errors import Unavailable
from rag_core.questions import AskRequest, Filters, Turn


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks what, from where ("slack", "rest", "web", "terminal"). `groups` are the asker's, for the audience.

    `answer_id` makes asking again after a crash the same answer in the record.
    """

    text: str
    actor: Actor
    asked_from: str
    filters: Filters = field(default_factory=Filters)
    history: tuple[Turn, ...] = ()
    as_of: date | None = None
    top_k: int = 15
    groups: frozenset[str] = frozenset()
    answer_id: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply with the id under which it is recorded."""

    answer_id: str
    reply: Reply
    trace: AskTrace


class AsksPolicies(Protocol):
    """`rag_core.ask.Asker`, or what stands in for it."""

    async def ask(self, request: AskRequest) -> tuple[Reply, AskTrace]: ...


class Asking:
    """Asks within a deadline and records what was answered. Times are UTC."""

    def __init__(
        self,
        asker: AsksPolicies,
        records: AnswerRecords,
        *,
        shape: Callable[[str, Reply, AskTrace], dict[str, object]],
        now: Callable[[], datetime],
        new_id: Callable[[], str],
        deadline_seconds: float,
    ) -> None:
        self._asker = asker
        self._records = records
        self._shape = shape
        self._now = now
        self._new_id = new_id
        self._deadline = deadline_seconds

    async def ask(self, asked: Asked) -> Answered:
        """The recorded reply. A record that cannot be written is named in the reply's `degraded`.

        Raises Rejected, and Unavailable ("too_slow" after the deadline).
        """
        request = AskRequest(
            text=asked.text,
            today=self._now().date(),
            groups=asked.groups,
            filters=asked.filters,
            history=asked.history,
            as_of=asked.as_of,
            top_k=asked.top_k,
        )
        try:
            async with asyncio.timeout(self._deadline):
                reply, trace = await self._asker.ask(request)
        except TimeoutError as exc:
            raise Unavailable("too_slow", seconds=self._deadline) from exc
        answered = Answered(asked.answer_id or self._new_id(), reply, trace)
        return await self._recorded(asked, answered)

    async def _recorded(self, asked: Asked, answered: Answered) -> Answered:
        record = RecordedAnswer(
            answer_id=answered.answer_id,
            answered_from=asked.asked_from,
            workspace=asked.actor.workspace,
            person=asked.actor.person,
            question_text=answered.trace.question.text,
            reply=self._shape(answered.answer_id, answered.reply, answered.trace),
            trace=answered.trace,
            answered_at=self._now(),
        )
        try:
            await self._records.save(record)
        except Unavailable:
            reply = replace(answered.reply, degraded=(*answered.reply.degraded, "record"))
            return replace(answered, reply=reply)
        return answered
