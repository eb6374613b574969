"""What changed, as an answer: read from the record of changes, quoted from both versions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from rag_core.answering.change_quotes import Quoted, quote_change
from rag_core.answering.changing import Changed, changed_rules, is_lead_in, nearest_to, read_in, read_list, with_kinds
from rag_core.answering.notices import sample_notice
from rag_core.answering.statements import Citations
from rag_core.answering.verify import is_sound
from rag_core.answers import Answer, Citation
from rag_core.documents import Passage
from rag_core.listings import Changes
from rag_core.policy_changes import ChangeKind, ChangesWanted, PolicyChange
from rag_core.ports import ChangeReader, PolicyStore
from rag_core.questions import Question

MOST_SHOWN = 8
"""Changed rules of one answer; how many more there are is said."""

_READ = (500, 4_000, 32_000)
"""Changes looked through, the newest: more only where none of them is meant. "Nothing changed" takes all of them."""

_MOST_OPENED = 20
"""Documents that came or went and are read to see what they are about."""

_MOST_TRIED = 40
_LAST_CHUNK = 1_000_000


@dataclass(frozen=True, slots=True)
class ChangesTold:
    """`answer.changes` is there always; without rules nothing changed. `passages`: what is cited."""

    answer: Answer
    passages: tuple[Passage, ...]


class ChangeTeller:
    """Answers what changed. Whoever may not see a version sees neither it nor that it differs from another."""

    def __init__(self, changes: ChangeReader, store: PolicyStore) -> None:
        self._changes = changes
        self._store = store

    async def tell(self, question: Question, groups: frozenset[str]) -> ChangesTold:
        """The changes of [`scope.since`, `scope.as_of`] that `question` is about. Raises Unavailable."""
        question = with_kinds(question)
        scope, shelf = question.scope, _Shelf(self._store, groups)
        slugs = frozenset(scope.policy_sources)
        wanted = ChangesWanted(scope.since, scope.as_of, policy_sources=slugs, newest_first=True)
        near: list[Changed] = []
        for most in _READ:
            recorded = await self._changes.changes(wanted, groups, most)
            near = nearest_to(question, await _about(recorded, question, shelf))
            if near or len(recorded) < most:
                break
        told, citations, left_out = await _quoted(near, question, shelf)
        last = None if near or scope.since is None else await self._last_before(scope.since, wanted, question, groups)
        looked_for = tuple(term.text for term in question.terms)
        changes = Changes(scope.since, scope.as_of, tuple(each.rule for each in told), left_out, last, looked_for)
        passages = tuple({each.chunk.chunk_id: each for quoted in told for each in quoted.passages}.values())
        answer = Answer(
            scope=scope,
            statements=tuple(each.statement for each in told if each.statement is not None),
            citations=citations,
            not_stated=tuple(term.text for term in near[0].missing) if told else (),
            warnings=tuple(sample_notice(passages)),
            rewritten_question=question.rewritten,
            changes=changes,
        )
        return ChangesTold(answer, passages)

    async def _last_before(
        self, since: date, wanted: ChangesWanted, question: Question, groups: frozenset[str]
    ) -> date | None:
        """The day of the newest change before `since` that covers the whole question."""
        earlier = replace(wanted, since=None, until=since - timedelta(days=1))
        for change in await self._changes.changes(earlier, groups, _READ[0]):
            if any(not each.missing for each in changed_rules(change, question)):
                return change.changed_on
        return None


async def _about(recorded: Sequence[PolicyChange], question: Question, shelf: "_Shelf") -> list[Changed]:
    """What changed for the places asked about; of the newest documents that came or went, by what they say."""
    found: list[Changed] = []
    opened: set[str] = set()
    for changed in (each for change in recorded for each in changed_rules(change, question)):
        doc_id = changed.change.doc_id
        if not changed.missing or (doc_id not in opened and len(opened) == _MOST_OPENED):
            found.append(changed)
        elif changed.rule is None:
            opened.add(doc_id)
            read = read_in(changed, await shelf.passages(doc_id), question)
            found += [read] if read is not None else []
        elif is_lead_in(changed.rule.after or changed.rule.before):
            opened.add(doc_id)
            found.append(read_list(changed, *await shelf.both(changed.change), question) or changed)
        else:
            found.append(changed)
    return found


async def _quoted(
    near: Sequence[Changed], question: Question, shelf: "_Shelf"
) -> tuple[list[Quoted], tuple[Citation, ...], int]:
    """The first ones, with both versions quoted, and how many more there are."""
    told: list[Quoted] = []
    elsewhere = 0
    citations = Citations()
    anywhere = replace(question, scope=replace(question.scope, regions=()))
    for changed in near[:_MOST_TRIED]:
        if len(told) == MOST_SHOWN:
            break
        before, after = await shelf.both(changed.change)
        each = quote_change(changed, before, after, question, citations)
        if each is not None and not any(_says_the_same(each, other) for other in told):
            told.append(each)
        elif each is not None or quote_change(changed, before, after, anywhere, Citations()) is not None:
            elsewhere += 1
    made = citations.made()
    known = {each.chunk.chunk_id: each for quoted in told for each in quoted.passages}
    sound = {each.number for each in made if is_sound(each, known)}
    kept = [each for each in told if set(each.rule.citations) <= sound]
    cited = {number for each in kept for number in each.rule.citations}
    return kept, tuple(each for each in made if each.number in cited), len(near) - len(kept) - elsewhere


def _says_the_same(one: Quoted, other: Quoted) -> bool:
    """A row told already: two lists of one section may have the same item."""
    first, second = (
        (rule.document_id, rule.section_path, rule.lead_in, rule.before, rule.after) for rule in (one.rule, other.rule)
    )
    return first == second


class _Shelf:
    """The passages of whole versions, each read once."""

    def __init__(self, store: PolicyStore, groups: frozenset[str]) -> None:
        self._store = store
        self._groups = groups
        self._read: dict[str, list[Passage]] = {}

    async def passages(self, doc_id: str | None) -> list[Passage]:
        if doc_id is None:
            return []
        if doc_id not in self._read:
            self._read[doc_id] = await self._store.section(doc_id, 0, _LAST_CHUNK, self._groups)
        return self._read[doc_id]

    async def both(self, change: PolicyChange) -> tuple[list[Passage], list[Passage]]:
        """The version before and the new one; of a document that went, the last."""
        if change.kind is ChangeKind.REMOVED:
            return await self.passages(change.doc_id), []
        return await self.passages(change.previous_doc_id), await self.passages(change.doc_id)
