"""Escalations: questions handed to a person, and what the people asked see of the answer.

open -> claimed (somebody says that he will answer) -> answered; or open -> answered at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from bot.access.groups import Access
from bot.answers.recorded import answered_for, named_in
from bot.audit.entries import AuditEntry
from bot.model.messages import Actor, Conversation
from bot.ports import GivenAnswers, RecordedAnswer
from rag_core.ports import PolicyStore


class EscalationState(StrEnum):
    OPEN = "open"
    CLAIMED = "claimed"
    ANSWERED = "answered"


class ActKind(StrEnum):
    """What somebody who was asked did."""

    CLAIMED = "claimed"
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class AskedPlace:
    """Where it was asked and where people are asked, by the platform's own ids.

    `private`: nobody but the asker may see what comes back. `people_in`: the channel where people are asked; `group`: a
    user group that is called there, "" for none.
    """

    platform: str
    workspace: str
    channel: str
    person: str
    thread: str = ""
    private: bool = False
    people_in: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class EscalationAct:
    """`act_id` is the same however often it is heard of. `person`: a pseudonym; `named`: the platform's own id."""

    act_id: str
    escalation_id: str
    kind: ActKind
    person: str
    named: str
    at: datetime
    text: str = ""


@dataclass(frozen=True, slots=True)
class Escalation:
    """`person`: who asks, a pseudonym. `acts`: the oldest first; those of forgotten people are gone."""

    escalation_id: str
    answer_id: str
    person: str
    state: EscalationState
    place: AskedPlace
    note: str
    asked_at: datetime
    acts: tuple[EscalationAct, ...] = ()

    @property
    def claim(self) -> EscalationAct | None:
        return next((each for each in self.acts if each.kind is ActKind.CLAIMED), None)

    @property
    def replies(self) -> tuple[EscalationAct, ...]:
        return tuple(each for each in self.acts if each.kind is ActKind.ANSWERED)


class Escalations(Protocol):
    """Raises Unavailable. What changes is on record in the same transaction; what changes nothing is not."""

    async def begin(self, escalation: Escalation, entry: AuditEntry) -> Escalation:
        """As it is kept: the one that this person has for this answer already, if there is one."""
        ...

    async def of(self, escalation_id: str) -> Escalation | None: ...

    async def claim(self, act: EscalationAct, entry: AuditEntry) -> bool:
        """Whether it is this person's now: the first one has it; claiming again what is one's own is true."""
        ...

    async def reply(self, act: EscalationAct, entry: AuditEntry) -> bool:
        """Whether it is (by now, or already) one of the replies: the first reply of an escalation that nobody or its
        author claimed, and further ones of the same author."""
        ...


@dataclass(frozen=True, slots=True)
class SeenSource:
    """A citation that may be seen, as it was answered."""

    number: int
    title: str
    section_path: str
    url: str
    quote: str
    chunk_id: str


@dataclass(frozen=True, slots=True)
class EscalationView:
    """`kind`: answer, refusal or clarification. `verdict` and `text` of it only where all of it may be seen; of the
    statements and sources those that may. `left_out`: there is more. `is_approved`: the statements are those of an
    approved answer, a person's words. Nothing of the answer: it is not kept any more."""

    question: str
    kind: str = ""
    regions: tuple[str, ...] = ()
    policy_sources: tuple[str, ...] = ()
    as_of: str = ""
    verdict: str = ""
    statements: tuple[str, ...] = ()
    sources: tuple[SeenSource, ...] = ()
    left_out: bool = False
    is_approved: bool = False


class EscalationViews:
    """Reads an escalated answer for others than it was given to. Raises Unavailable."""

    def __init__(self, answers: GivenAnswers, store: PolicyStore, access: Access) -> None:
        self._answers = answers
        self._store = store
        self._access = access

    async def where_asked(self, escalation: Escalation) -> EscalationView:
        """For everybody who reads the channel where people are asked, as far as the asker may see it himself."""
        place = escalation.place
        asker = Actor(place.platform, place.workspace, place.person)
        there = Conversation(place.platform, place.workspace, place.people_in)
        audience = await self._access.audience(asker, there, private=False)
        return await self.for_groups(escalation, audience.groups)

    async def to_person(self, escalation: Escalation, actor: Actor) -> EscalationView:
        """For one person alone."""
        audience = await self._access.audience(actor, None, private=True)
        return await self.for_groups(escalation, audience.groups)

    async def question_of(self, escalation: Escalation) -> str:
        """What the asker asked, for himself; "" where it is not kept any more."""
        answer = await self._answers.answer(escalation.answer_id)
        return answer.question_text if answer is not None else ""

    async def for_groups(self, escalation: Escalation, groups: frozenset[str]) -> EscalationView:
        """For those who are all in these groups."""
        answer = await self._answers.answer(escalation.answer_id)
        if answer is None:
            return EscalationView("")
        reply: Mapping[str, Any] = answer.reply
        citations = reply.get("citations") or ()
        seen = await self._seen([each["chunk_id"] for each in citations], groups)
        sources = tuple(_source(each) for each in citations if each["chunk_id"] in seen)
        numbers = {each.number for each in sources}
        statements = reply.get("statements") or ()
        told = tuple(str(each["text"]) for each in statements if _stands_on(each, numbers))
        whole = await self._whole(answer, groups) and len(told) == len(statements)
        scope: Mapping[str, Any] = reply.get("scope") or {}
        return EscalationView(
            question=answer.question_text,
            kind=str(reply.get("kind", "")),
            regions=tuple(scope.get("regions") or ()),
            policy_sources=tuple(scope.get("policy_sources") or ()) if whole else (),
            as_of=str(scope.get("as_of", "")),
            verdict=str(reply.get("verdict") or "") if whole else "",
            statements=told,
            sources=sources,
            left_out=not whole,
            is_approved="approved" in reply,
        )

    async def _seen(self, chunk_ids: Sequence[str], groups: frozenset[str]) -> set[str]:
        passages = await self._store.passages(chunk_ids, groups, None) if chunk_ids else []
        return {each.chunk.chunk_id for each in passages}

    async def _whole(self, answer: RecordedAnswer, groups: frozenset[str]) -> bool:
        """Whether nothing behind it is hidden from them: a verdict may come from a rule that is not cited."""
        behind = named_in(answer)
        if behind is None or not groups >= answered_for(answer):
            return False
        return behind.chunks <= await self._seen(sorted(behind.chunks), groups)


def _stands_on(statement: Mapping[str, Any], numbers: set[int]) -> bool:
    cited = set(statement.get("citations") or ())
    return bool(cited) and cited <= numbers


def _source(citation: Mapping[str, Any]) -> SeenSource:
    return SeenSource(
        int(citation["number"]),
        str(citation["title"]),
        str(citation["section_path"]),
        str(citation["url"]),
        str(citation["quote"]),
        str(citation["chunk_id"]),
    )
