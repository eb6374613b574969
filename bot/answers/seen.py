"""Answers as a person who sees one may act on it, and the ports that clicks on answers need."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.access.groups import Access
from bot.answers.feedback import GivingFeedback
from bot.answers.recorded import KnownAs, answer_from, answered_for, belongs_to, by_own_id, sees_all, was_shown_to
from bot.model.links import Links
from bot.model.messages import Actor, Conversation
from bot.ports import GivenAnswers, RecordedAnswer
from rag_core.answers import Answer
from rag_core.documents import Passage
from rag_core.ports import PolicyStore
from rag_core.questions import Scope


@dataclass(frozen=True, slots=True)
class SeenAnswer:
    """`is_own`: the person asked. `is_whole`: everything behind it may be seen
    and is on file. `passages`: what is cited and may be seen, by chunk. `gone`: how many cited chunks are not on file
    any more; told only to who could see all of them, so that it tells of nothing hidden."""

    record: RecordedAnswer
    is_own: bool
    is_whole: bool = False
    passages: Mapping[str, Passage] = field(default_factory=dict)
    gone: int = 0

    @property
    def cited(self) -> tuple[str, ...]:
        """Ids of the chunks that it quotes."""
        return cited_chunks(self.record.reply)


@dataclass(frozen=True, slots=True)
class InContext:
    """A quote with the text that stands around it in its document."""

    before: str
    quote: str
    after: str


class SeenAnswers:
    """Finds answers for those who may act on them. Raises Unavailable."""

    def __init__(self, answers: GivenAnswers, store: PolicyStore, known_as: KnownAs = by_own_id) -> None:
        self._answers = answers
        self._store = store
        self._known_as = known_as

    async def find(self, answer_id: str, actor: Actor, seen_in: Conversation | None) -> SeenAnswer | None:
        """The answer, without passages. None: there is none, or it was neither his own nor shown where he is. The id
        alone, out of a button, proves nothing."""
        answer = await self._answers.answer(answer_id)
        if answer is None:
            return None
        is_own = belongs_to(answer, actor, self._known_as)
        return SeenAnswer(answer, is_own) if is_own or was_shown_to(answer, actor, seen_in) else None

    async def read(self, seen: SeenAnswer, groups: frozenset[str]) -> SeenAnswer:
        """The same with what these groups may see of it now."""
        wanted = seen.cited
        found = {each.chunk.chunk_id: each for each in await self._store.passages(wanted, groups, None)}
        could_see_all = groups >= answered_for(seen.record)
        return SeenAnswer(
            record=seen.record,
            is_own=seen.is_own,
            is_whole=await sees_all(seen.record, self._store, groups),
            passages=found,
            gone=len(set(wanted) - found.keys()) if could_see_all else 0,
        )


@dataclass(frozen=True, slots=True)
class AnswerPorts:
    """`seen` finds answers by who clicks; `access` says what he may see of them."""

    seen: SeenAnswers
    access: Access
    feedback: GivingFeedback
    store: PolicyStore
    links: Links


def cited_chunks(reply: Mapping[str, object]) -> tuple[str, ...]:
    """Ids of the chunks that a reply in the REST shape cites, in order, each once."""
    citations = reply.get("citations")
    listed = citations if isinstance(citations, list) else []
    ids = [each.get("chunk_id") for each in listed if isinstance(each, Mapping)]
    return tuple(dict.fromkeys(each for each in ids if isinstance(each, str)))


def readable_answer(seen: SeenAnswer) -> Answer:
    """All of it, or the statements and sources alone that may be seen: a verdict, a table, a warning, and what the
    scope says beside place and day (labels, platforms), may come from the others.

    Raises Rejected("answer_unreadable").
    """
    answer = answer_from(seen.record.reply, seen.record.trace)
    if seen.is_whole:
        return answer
    citations = tuple(each for each in answer.citations if each.chunk_id in seen.passages)
    numbers = {each.number for each in citations}
    statements = tuple(each for each in answer.statements if each.citations and numbers.issuperset(each.citations))
    asked = answer.scope
    scope = Scope(asked.as_of, regions=asked.regions, inferred=asked.inferred, assumed=asked.assumed, since=asked.since)
    return Answer(scope, statements, citations, approved=answer.approved)
