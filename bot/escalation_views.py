"""What people who are asked see of an answer: no more than everybody in their channel may see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.access import Access
from bot.escalations import Escalation
from bot.messages import Actor, Conversation
from bot.own_answers import answered_for, named_in
from bot.ports import GivenAnswers, RecordedAnswer
from rag_core.ports import PolicyStore


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
