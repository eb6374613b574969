"""A language model's sentences, each held against the rules that it names: shown is only what those rules support.

They go before the quotes. The verdict and what it is read from stay as they are.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from rag_core.answering.compose import Composed
from rag_core.answering.evidence import Target, asks_whether
from rag_core.answering.model_reading import ModelJudged
from rag_core.answering.notices import notices_for
from rag_core.answering.statements import Citations, is_supported
from rag_core.answers import (
    Answer,
    Citation,
    Clarification,
    Comparison,
    ComparisonRow,
    Condition,
    Notice,
    PlaceVerdict,
    Quote,
    QuoteType,
    Refusal,
    Statement,
    Verdict,
    WarningCode,
)
from rag_core.claims.doubts import Doubt
from rag_core.claims.facts import clauses_of, effect_of
from rag_core.claims.support import Support, SupportVerdict, support
from rag_core.documents import Passage
from rag_core.generation.parsing import ModelSentence, Unfit
from rag_core.questions import Question
from rag_core.regions import GLOBAL, find_regions, seen_from
from rag_core.rules.decide import STRICTNESS
from rag_core.rules.judging import JudgedRule
from rag_core.rules.reader import Effect
from rag_core.rules.rule import Rule
from rag_core.understanding.terms import covered

_WEAKNESS = (QuoteType.QUOTE, QuoteType.PARAPHRASE, QuoteType.INFERENCE)
_CLAIMED = {
    Effect.PROHIBITS: Verdict.PROHIBITED,
    Effect.LIMITS: Verdict.RESTRICTED,
    Effect.REQUIRES: Verdict.RESTRICTED,
    Effect.ALLOWS: Verdict.ALLOWED,
}

_Section = tuple[str, str]
_R = TypeVar("_R", bound=Answer | Refusal | Clarification)


class Reason(StrEnum):
    """Why a sentence is not shown, beside the doubts of the support check and what makes it unfit for anything."""

    NO_ANSWER = "no_answer"
    OFF_QUESTION = "off_question"
    OTHER_PLACE = "other_place"
    LOOSER = "looser_than_decision"
    NOT_VERBATIM = "not_verbatim"


@dataclass(frozen=True, slots=True)
class Dropped:
    """A sentence that is not shown, and why."""

    text: str
    reason: Reason | Doubt | Unfit


@dataclass(frozen=True, slots=True)
class Checked:
    """A sentence that its rules support. `statement.citations` is empty until the answer is put together; `rules` are
    those it rests on, `confidence` that of its weakest part."""

    statement: Statement
    rules: tuple[Rule, ...]
    quote_type: QuoteType
    confidence: float


@dataclass(frozen=True, slots=True)
class Written:
    """The answer with a model's sentences before its quotes, and what became of each sentence."""

    composed: Composed
    shown: tuple[Checked, ...]
    dropped: tuple[Dropped, ...]

    @property
    def notes(self) -> dict[str, object]:
        """For the trace."""
        return {
            "statements": [
                {"text": each.statement.text, "type": each.quote_type.value, "confidence": each.confidence}
                for each in self.shown
            ],
            "dropped": [{"text": each.text, "reason": each.reason.value} for each in self.dropped],
        }


def with_sentences(
    question: Question,
    targets: Sequence[Target],
    composed: Composed,
    model: ModelJudged,
    tell: Callable[[Statement], None],
) -> Written:
    """`composed` with the sentences that hold. `tell` is called with each as soon as it was checked: these are the
    first statements of the answer, and their citations have the numbers that they have in it."""
    shown: list[Checked] = []
    dropped: list[Dropped] = []
    numbers = _RunningNumbers()
    for found in _checks(question, targets, composed.answer, model):
        if isinstance(found, Dropped):
            dropped.append(found)
        else:
            shown.append(found)
            tell(numbers.numbered(found))
    if composed.answer is not None and shown:
        composed = _assembled(question, targets, composed, composed.answer, shown)
    if composed.answer is not None:
        composed = replace(composed, answer=noted(composed.answer, len(dropped)))
    said = tuple(f"{each.reason}: {each.text}" for each in dropped)
    return Written(replace(composed, dropped=(*composed.dropped, *said)), tuple(shown), tuple(dropped))


def noted(reply: _R, dropped: int) -> _R:
    """`reply` with a notice that sentences of the model were left out, if any were."""
    if not dropped:
        return reply
    return replace(reply, warnings=(*reply.warnings, Notice(WarningCode.LEFT_OUT, (str(dropped),))))


def _checks(
    question: Question, targets: Sequence[Target], answer: Answer | None, model: ModelJudged
) -> Iterator[Checked | Dropped]:
    """Each sentence, checked when it is asked for."""
    reading = model.outcome.reading
    if reading is None:
        return
    yield from (Dropped(each.text, each.reason) for each in reading.unfit)
    telling = model.telling | {each.rule.quotes for target in targets for each in _shown(target)}
    for sentence in reading.sentences:
        if answer is None:
            yield Dropped(sentence.text, Reason.NO_ANSWER)
            continue
        rules = [model.numbered[number - 1] for number in sentence.rules]
        yield _check(question, targets, sentence, [each for each in rules if each.quotes in telling])


def _shown(target: Target) -> Sequence[JudgedRule]:
    """The rules that bear on the answer: those of the decision; where there is none, the nearest ones."""
    decision = target.decision
    if not decision.answers:
        return (*target.rules, *target.elsewhere)
    return (*decision.deciding, *decision.conditions, *decision.conflicts, *decision.overridden)


def _check(
    question: Question, targets: Sequence[Target], sentence: ModelSentence, rules: Sequence[Rule]
) -> Checked | Dropped:
    text = sentence.text
    if not rules:
        return Dropped(text, Reason.OFF_QUESTION)
    if _is_elsewhere(text, question.scope.regions):
        return Dropped(text, Reason.OTHER_PLACE)
    if _is_looser(text, question, _spoken_of(text, rules, targets)):
        return Dropped(text, Reason.LOOSER)
    found = _supported(text, {rule.passage.chunk.chunk_id: rule.passage for rule in rules}, question.scope.regions)
    if isinstance(found, Reason | Doubt):
        return Dropped(text, found)
    return found if _is_about_it(found, question) else Dropped(text, Reason.OFF_QUESTION)


def _is_about_it(found: Checked, question: Question) -> bool:
    """Whether it speaks of anything asked; under a heading that does, whether it says what may or must be."""
    said = " ".join([found.statement.text, *(rule.text for rule in found.rules)])
    if not question.terms or covered(said, question.terms):
        return True
    above = any(covered(rule.headings, question.terms) for rule in found.rules)
    return above and any(map(effect_of, clauses_of(found.statement.text)))


def _is_elsewhere(text: str, places: Collection[str]) -> bool:
    """Whether it names places, and none of them was asked about."""
    seen = {code for place in places for code in seen_from(place)} - {GLOBAL}
    named = _places_in(text)
    return bool(seen and named) and not named & seen


def _spoken_of(text: str, rules: Sequence[Rule], targets: Sequence[Target]) -> Sequence[Target]:
    """The targets that a sentence is on: of the places that it names, on the platforms of its rules."""
    named = _places_in(text)
    here = [each for each in targets if each.place is not None and named & seen_from(each.place)] or targets
    platforms = {rule.passage.chunk.policy_source for rule in rules}
    return [each for each in here if each.policy_source in platforms] or here


def _is_looser(text: str, question: Question, targets: Sequence[Target]) -> bool:
    """Whether it claims an effect that leaves more room than a decision on what it is on. Where nothing decides whether
    something is allowed, no sentence says that it is."""
    claimed = [STRICTNESS[_CLAIMED[effect]] for each in clauses_of(text) if (effect := effect_of(each)) in _CLAIMED]
    return bool(claimed) and min(claimed) < max((_least(question, each) for each in targets), default=0)


def _least(question: Question, target: Target) -> int:
    """The strictness that every claim needs."""
    if target.decision.verdict is not None:
        return STRICTNESS[target.decision.verdict]
    return STRICTNESS[Verdict.RESTRICTED if asks_whether(question) else Verdict.ALLOWED]


def _supported(text: str, passages: dict[str, Passage], places: Sequence[str]) -> Checked | Reason | Doubt:
    """The best support of each part of the sentence among the passages; all of them need it."""
    results = [support(text, passage, None, places) for passage in passages.values()]
    parts = [max(each, key=_strength) for each in zip(*results, strict=True)]
    if not parts:
        return Doubt.SAYS_NOTHING
    weak = next((each for each in parts if each.verdict is not SupportVerdict.SUPPORTED), None)
    if weak is not None:
        return next(iter(weak.doubts), Doubt.WORDS_MISSING)
    rules = tuple({each.quotes: each.unit for each in parts if each.unit is not None}.values())
    statement = Statement(text, (), _quotes(rules))
    if not is_supported(statement, passages):
        return Reason.NOT_VERBATIM
    kind = max((each.quote_type or QuoteType.INFERENCE for each in parts), key=_WEAKNESS.index)
    return Checked(statement, rules, kind, min(each.confidence for each in parts))


def _strength(result: Support) -> tuple[bool, float]:
    return result.verdict is SupportVerdict.SUPPORTED, result.confidence


def _quotes(rules: Iterable[Rule]) -> tuple[Quote, ...]:
    return tuple(dict.fromkeys(quote for rule in rules for quote in rule.quotes))


def _places_in(text: str) -> frozenset[str]:
    return frozenset(mention.code for mention in find_regions(text))


def _assembled(
    question: Question, targets: Sequence[Target], composed: Composed, answer: Answer, checked: Sequence[Checked]
) -> Composed:
    """`answer` with the model's sentences first; of its own statements it keeps those that the verdicts rest on and
    whose quotes no sentence rests on. A section cited twice stays one citation, of the weakest type."""
    book = _Book(answer.citations)
    written = [replace(each.statement, citations=book.cite(each)) for each in checked]
    kept = [statement for statement in answer.statements if _is_needed(statement, answer, written)]
    statements = (*written, *kept)
    rows = answer.comparison.rows if answer.comparison else ()
    citations, numbers = book.renumbered(statements, answer.verdicts, rows)
    cited = [rule.passage for each in checked for rule in each.rules]
    answer = replace(
        answer,
        statements=tuple(_renumbered(statement, numbers) for statement in statements),
        citations=citations,
        verdicts=tuple(_renumbered_verdict(verdict, numbers) for verdict in answer.verdicts),
        comparison=_renumbered_rows(answer.comparison, numbers),
        warnings=_warnings(question, targets, answer, cited),
    )
    shown = frozenset(quote.chunk_id for statement in statements for quote in statement.quotes)
    return Composed(answer, shown, composed.dropped)


def _is_needed(statement: Statement, answer: Answer, written: Sequence[Statement]) -> bool:
    """Without a verdict, all that was found nearest; with one, what it and its conditions rest on."""
    quotes = set(statement.quotes)
    if any(quotes <= set(each.quotes) for each in written):
        return False
    rows = answer.comparison.rows if answer.comparison else ()
    deciding = {number for verdict in answer.verdicts for number in _numbers_of(verdict)}
    deciding |= {number for row in rows for number in _numbers_of(row)}
    return not answer.verdicts or bool(deciding & set(statement.citations))


class _RunningNumbers:
    """The numbers that citations will have, while statements still come: an answer counts its sections as they first
    appear, and begins with what the model wrote."""

    def __init__(self) -> None:
        self._numbers: dict[_Section, int] = {}

    def numbered(self, checked: Checked) -> Statement:
        keys = [_section(rule) for rule in checked.rules]
        numbers = [self._numbers.setdefault(key, len(self._numbers) + 1) for key in keys]
        return replace(checked.statement, citations=tuple(dict.fromkeys(numbers)))


def _section(rule: Rule) -> _Section:
    return rule.passage.chunk.doc_id, rule.passage.chunk.policy_path


class _Book:
    """The citations of an answer, by section, with those of the model added."""

    def __init__(self, citations: Sequence[Citation]) -> None:
        self._by_key: dict[_Section, Citation] = {(each.doc_id, each.section_path): each for each in citations}
        self._next = max((each.number for each in citations), default=0) + 1

    def cite(self, checked: Checked) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self._cite(rule, checked) for rule in checked.rules))

    def _cite(self, rule: Rule, checked: Checked) -> int:
        key = _section(rule)
        known = self._by_key.get(key)
        if known is None:
            fresh = Citations()
            fresh.cite(rule)
            known = replace(fresh.made()[0], number=self._next)
            self._next += 1
        if checked.confidence < known.confidence:
            known = replace(known, quote_type=checked.quote_type, confidence=checked.confidence)
        self._by_key[key] = known
        return known.number

    def renumbered(
        self, statements: Sequence[Statement], verdicts: Sequence[PlaceVerdict], rows: Sequence[ComparisonRow]
    ) -> tuple[tuple[Citation, ...], dict[int, int]]:
        """The citations in use, numbered as they first appear, and their new numbers by the old ones."""
        used = [number for statement in statements for number in statement.citations]
        used += [number for verdict in verdicts for number in _numbers_of(verdict)]
        used += [number for row in rows for number in _numbers_of(row)]
        numbers = {old: new for new, old in enumerate(dict.fromkeys(used), 1)}
        by_number = {each.number: each for each in self._by_key.values()}
        return tuple(replace(by_number[old], number=new) for old, new in numbers.items()), numbers


def _numbers_of(verdict: PlaceVerdict | ComparisonRow) -> list[int]:
    return [*verdict.citations, *(number for each in verdict.conditions for number in each.citations)]


def _renumbered(statement: Statement, numbers: dict[int, int]) -> Statement:
    return replace(statement, citations=tuple(numbers[old] for old in statement.citations))


def _renumbered_verdict(verdict: PlaceVerdict, numbers: dict[int, int]) -> PlaceVerdict:
    conditions = tuple(_renumbered_condition(each, numbers) for each in verdict.conditions)
    return replace(verdict, conditions=conditions, citations=tuple(numbers[old] for old in verdict.citations))


def _renumbered_rows(comparison: Comparison | None, numbers: dict[int, int]) -> Comparison | None:
    if comparison is None:
        return None
    rows = [
        replace(
            row,
            conditions=tuple(_renumbered_condition(each, numbers) for each in row.conditions),
            citations=tuple(numbers[old] for old in row.citations),
        )
        for row in comparison.rows
    ]
    return replace(comparison, rows=tuple(rows))


def _renumbered_condition(condition: Condition, numbers: dict[int, int]) -> Condition:
    return replace(condition, citations=tuple(numbers[old] for old in condition.citations))


def _warnings(
    question: Question, targets: Sequence[Target], answer: Answer, cited: Sequence[Passage]
) -> tuple[Notice, ...]:
    """Those of the answer, with what further documents bring along: that they are samples, or of the past."""
    fresh = notices_for(question, targets, cited)
    known = {notice.code for notice in answer.warnings}
    return (*answer.warnings, *(notice for notice in fresh if notice.code not in known))
