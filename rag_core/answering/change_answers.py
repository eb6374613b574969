"""What changed, as an answer: read from the record of changes, quoted from both versions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from rag_core.answering.changing import (
    Changed,
    changed_rules,
    holds_in,
    is_lead_in,
    is_under,
    item_under,
    nearest_to,
    read_in,
    read_list,
    with_kinds,
)
from rag_core.answering.notices import sample_notice
from rag_core.answering.statements import Citations, is_sound, is_supported, quote_span
from rag_core.answers import Answer, ChangedRule, Changes, Citation, Quote, Statement
from rag_core.documents import Passage
from rag_core.policy_changes import ChangeKind, ChangesWanted, PolicyChange, RuleChangeKind
from rag_core.ports import ChangeReader, PolicyStore
from rag_core.questions import Question
from rag_core.rules.rule import Rule, rules_in
from rag_core.rules.structure import RuleKind
from rag_core.text.injections import believed_around, first_believed, is_believed_at

LONGEST_SIDE = 700
"""Characters of one version of a rule that are shown; a longer one is cut at a word."""

_BEGINNING = 200


@dataclass(frozen=True, slots=True)
class Quoted:
    """A changed rule as it is shown, the statement of how it is now (None: it is gone), and what both stand on."""

    rule: ChangedRule
    statement: Statement | None
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class _Side:
    """One version of a rule where it stands, with its lead-in where that is verbatim there too."""

    unit: Rule

    @property
    def passage(self) -> Passage:
        return self.unit.passage

    @property
    def own_text(self) -> str:
        return self.unit.body[0].text

    @property
    def lead_in(self) -> str:
        return " ".join(quote.text for quote in self.unit.lead)


def quote_change(
    changed: Changed, before: Sequence[Passage], after: Sequence[Passage], question: Question, citations: Citations
) -> Quoted | None:
    """`changed` with both its versions quoted from the passages of the version before and of the new one.

    None where a version that has to be quoted is not found verbatim, or not for the places asked about.
    """
    old, new = _sides(changed, before, after, question)
    if changed.rule is None:
        wants_old, wants_new = changed.change.kind is ChangeKind.REMOVED, changed.change.kind is ChangeKind.ADDED
    else:
        wants_old, wants_new = bool(changed.rule.before), bool(changed.rule.after)
    if (wants_old and old is None) or (wants_new and new is None) or not (old or new):
        return None
    return _as_quoted(changed, old if wants_old else None, new if wants_new else None, citations)


def _sides(
    changed: Changed, before: Sequence[Passage], after: Sequence[Passage], question: Question
) -> tuple[_Side | None, _Side | None]:
    places = question.scope.regions
    here_before = [each for each in before if holds_in(each, places)]
    here_after = [each for each in after if holds_in(each, places)]
    rule = changed.rule
    if rule is None:
        return _opening(here_before), _opening(here_after)
    if is_lead_in(rule.after or rule.before):
        items = [
            item_under(text, each, changed, question) for text, each in ((rule.before, before), (rule.after, after))
        ]
        found = [_Side(unit) if unit is not None else None for unit in items]
        if all(side is not None or not text for side, text in zip(found, (rule.before, rule.after), strict=True)):
            return found[0], found[1]
    path = changed.section.path if changed.section else ()
    old_path = rule.moved_from if rule.kind is RuleChangeKind.MOVED else path
    # The lead-in is the new version's; of a rule that is gone it is the old one's.
    old = _found(here_before, rule.before, old_path, "" if rule.after else rule.lead_in)
    return old, _found(here_after, rule.after, path, rule.lead_in)


def _as_quoted(changed: Changed, old: _Side | None, new: _Side | None, citations: Citations) -> Quoted | None:
    shown = [side for side in (old, new) if side is not None]
    known = {side.passage.chunk.chunk_id: side.passage for side in shown}
    drafts = [Statement(side.unit.text, (), side.unit.quotes) for side in shown]
    if not all(is_supported(draft, known) for draft in drafts):
        return None
    numbers = [citations.cite(side.unit) for side in shown]
    before_number = numbers[0] if old else None
    after_number = numbers[-1] if new else None
    statement = Statement(new.unit.text, (numbers[-1],), new.unit.quotes) if new else None
    return Quoted(_rule(changed, old, new, before_number, after_number), statement, tuple(known.values()))


def _rule(
    changed: Changed, old: _Side | None, new: _Side | None, before_number: int | None, after_number: int | None
) -> ChangedRule:
    change, rule = changed.change, changed.rule
    side = new or old
    if rule is None:
        kind = RuleChangeKind.ADDED if change.kind is ChangeKind.ADDED else RuleChangeKind.REMOVED
    else:
        kind = rule.kind
    moved = rule is not None and rule.kind is RuleChangeKind.MOVED and old is not None
    is_list = rule is not None and is_lead_in(rule.after or rule.before)  # then it is the lead-in that changed
    return ChangedRule(
        kind=kind,
        changed_on=change.changed_on,
        policy_source=change.policy_source,
        document_id=change.document_id,
        title=side.passage.version.title if side else change.title,
        section_path=side.passage.chunk.policy_path if side and rule is not None else "",
        before=_text(old, is_list),
        after=_text(new, is_list),
        before_citation=before_number,
        after_citation=after_number,
        lead_in=side.lead_in if side and not is_list else "",
        direction=rule.direction if rule else None,
        whole_document=rule is None,
        moved_from=old.passage.chunk.policy_path if moved and old else "",
    )


def _text(side: _Side | None, is_list: bool) -> str:
    if side is None:
        return ""
    return side.unit.text if is_list else side.own_text


def _opening(passages: Sequence[Passage]) -> _Side | None:
    """The beginning of a document, as much as a citation quotes, as far as it speaks to people."""
    for passage in (each for each in passages if rules_in(each)):
        chunk = passage.chunk
        first = first_believed(chunk.chunk_text)
        last = believed_around(chunk.chunk_text, first, first)[1]
        start, end = quote_span(passage, Quote(chunk.chunk_id, "", first, min(first + _BEGINNING, last)))
        end = start + len(chunk.chunk_text[start:end].rstrip())
        quote = Quote(chunk.chunk_id, chunk.chunk_text[start:end], start, end)
        return _Side(Rule(passage, RuleKind.SENTENCE, (), (quote,)))
    return None


def _found(passages: Sequence[Passage], text: str, path: Sequence[str], lead_in: str) -> _Side | None:
    """Where `text` stands, white space apart, and not behind what speaks to machines; under the headings of `path`
    if it stands in several places."""
    if not (pattern := _pattern(text)):
        return None
    for passage in sorted(passages, key=lambda each: not is_under(each, path)):
        text_there = passage.chunk.chunk_text
        if match := next(
            (each for each in pattern.finditer(text_there) if is_believed_at(text_there, *each.span())), None
        ):
            quote = _quote(passage, match.start(), match.end())
            return _Side(Rule(passage, RuleKind.ITEM, _lead(passage, lead_in, match.start()), (quote,)))
    return None


def _quote(passage: Passage, start: int, end: int) -> Quote:
    text = passage.chunk.chunk_text
    if end - start > LONGEST_SIDE:
        cut = text.rfind(" ", start, start + LONGEST_SIDE)
        end = cut if cut > start else start + LONGEST_SIDE
    return Quote(passage.chunk.chunk_id, text[start:end], start, end)


def _lead(passage: Passage, lead_in: str, before: int) -> tuple[Quote, ...]:
    """The lead-in as it stands above the rule: in the same chunk, or in what chunking kept of it."""
    if not (pattern := _pattern(lead_in)):
        return ()
    chunk = passage.chunk
    if match := pattern.search(chunk.chunk_text, 0, before):
        return (Quote(chunk.chunk_id, match[0], match.start(), match.end()),)
    if match := pattern.search(chunk.lead_in):
        return (Quote(chunk.chunk_id, match[0], match.start(), match.end(), lead_in=True),)
    return ()


def _pattern(text: str) -> re.Pattern[str] | None:
    words = text.split()
    return re.compile(r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)") if words else None


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
