"""Evidence and decisions -> an Answer, in which every statement and citation was checked against its source."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rag_core.answering.evidence import Target
from rag_core.answering.notices import choices_for, notices_for
from rag_core.answering.statements import (
    MOST_STATEMENTS,
    Citations,
    as_one,
    choose_rules,
    conditions_of,
    is_sound,
    is_supported,
    joined,
    shown_quotes,
    statement_text,
)
from rag_core.answers import (
    Answer,
    AskTrace,
    Candidate,
    Comparison,
    ComparisonRow,
    Condition,
    PlaceVerdict,
    Statement,
    Verdict,
)
from rag_core.documents import Passage
from rag_core.questions import Question, Scope
from rag_core.retrieval.found import Found
from rag_core.rules.judging import JudgedRule

MOST_ROWS = 6


def spread(targets: Sequence[Target], most: int = MOST_ROWS) -> list[Target]:
    """At most `most` of the targets, in their order: the first one of every place goes before the second of any, so
    that no place is lost to the platforms of another."""
    places = dict.fromkeys(target.place for target in targets)
    columns = [[target for target in targets if target.place == place] for place in places]
    rounds = [target for each in zip_longest(*columns) for target in each if target is not None]
    kept = rounds[:most]
    return [target for target in targets if any(target is each for each in kept)]


def row_of(target: Target, shown: Iterable[Statement], verdict: PlaceVerdict | None) -> ComparisonRow:
    """What is shown for one target: `shown` are its statements, `verdict` the one that is read from them."""
    numbers = tuple(dict.fromkeys(number for statement in shown for number in statement.citations))
    return ComparisonRow(
        region=target.place,
        policy_source=target.policy_source,
        verdict=verdict.verdict if verdict else None,
        conditions=verdict.conditions if verdict else (),
        not_stated=target.not_stated,
        citations=_first(verdict.citations, numbers) if verdict else numbers,
    )


def _first(first: tuple[int, ...], then: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys((*first, *then)))


def comparison_of(question: Question, rows: Sequence[ComparisonRow]) -> Comparison | None:
    """The table for what was asked, place by place; None where the question names only one place and one platform.

    A pair for which no rule is shown has a row without citations. Of more pairs than `MOST_ROWS`, those with rules are
    shown and the others counted: they may not have been looked at.
    """
    if len(question.scope.regions) < 2 and len(question.scope.policy_sources) < 2:
        return None
    found = {(row.region, row.policy_source): row for row in rows if row.citations}
    silent = tuple(term.text for term in question.terms)
    pairs = _pairs(question.scope, found)
    shown = pairs if len(pairs) <= MOST_ROWS else [pair for pair in pairs if pair in found][:MOST_ROWS]
    table = [found.get(pair) or ComparisonRow(*pair, None, not_stated=silent) for pair in shown]
    return Comparison(tuple(table), len(pairs) - len(table)) if len(pairs) > 1 else None


def _pairs(scope: Scope, found: Iterable[tuple[str | None, str | None]]) -> list[tuple[str | None, str | None]]:
    """Every pair asked about; where no platform was named, those that have a rule for the place, or None."""
    pairs: list[tuple[str | None, str | None]] = []
    known = list(found)
    for place in scope.regions or (None,):
        answering = [slug for region, slug in known if region == place] or [None]
        pairs += [(place, slug) for slug in scope.policy_sources or answering]
    return pairs


def stated_by_none(comparison: Comparison) -> tuple[str, ...]:
    """The words of the question that no row covers: what one side leaves open stands in its row alone."""
    quoted = [row for row in comparison.rows if row.citations]
    words = dict.fromkeys(word for row in quoted for word in row.not_stated)
    return tuple(word for word in words if all(word in row.not_stated for row in quoted))


MOST_WITH_TARGETS = 9
"""Statements of an answer about several places or platforms."""


@dataclass(frozen=True, slots=True)
class Composed:
    """An answer (None: nothing survived the check), the chunks it cites, and what the check dropped."""

    answer: Answer | None
    cited: frozenset[str]
    dropped: tuple[str, ...]


def compose(question: Question, targets: Sequence[Target], degraded: tuple[str, ...]) -> Composed:
    """The answer for `targets`, from verbatim quotes only."""
    passages = _passages(targets)
    citations = Citations()
    statements: list[Statement] = []
    verdicts: list[PlaceVerdict] = []
    rows: list[ComparisonRow] = []
    dropped: list[str] = []
    each = MOST_STATEMENTS if len(targets) == 1 else max(2, MOST_WITH_TARGETS // len(targets))
    for target in targets:
        shown = _statements(question, target, each, citations, passages, dropped)
        told = {each.text for each in statements}
        statements += [each for each in dict.fromkeys(each for _, each in shown) if each.text not in told]
        if (verdict := _verdict(target, shown)) is not None:
            verdicts.append(verdict)
        rows.append(row_of(target, (statement for _, statement in shown), verdict))
    made = tuple(citation for citation in citations.made() if is_sound(citation, passages))
    if not statements or len(made) < len(citations.made()):
        return Composed(None, frozenset(), tuple(dropped))
    comparison = comparison_of(question, rows)
    answer = Answer(
        scope=question.scope,
        statements=tuple(statements),
        citations=made,
        verdicts=tuple(verdicts),
        not_stated=_not_stated(targets) if comparison is None else stated_by_none(comparison),
        warnings=notices_for(question, targets, [passages[citation.chunk_id] for citation in made]),
        choices=choices_for(question, targets),
        degraded=degraded,
        rewritten_question=question.rewritten,
        comparison=comparison,
    )
    cited = frozenset(quote.chunk_id for statement in statements for quote in statement.quotes)
    return Composed(answer, cited, tuple(dropped))


def _statements(
    question: Question,
    target: Target,
    most: int,
    citations: Citations,
    passages: Mapping[str, Passage],
    dropped: list[str],
) -> list[tuple[JudgedRule, Statement]]:
    shown = []
    for parts in joined(choose_rules(target, most)):
        rule = as_one(parts)
        quotes, shortened = shown_quotes(rule, question.terms, target.place)
        text = statement_text(rule, quotes, shortened=shortened)
        draft = Statement(text, (), quotes)
        if not is_supported(draft, passages):
            dropped.append(text)
            continue
        statement = Statement(text, (citations.cite(rule),), quotes)
        shown += [(each, statement) for each in parts if _holds(statement, each)]
    return shown


def _verdict(target: Target, shown: Sequence[tuple[JudgedRule, Statement]]) -> PlaceVerdict | None:
    """The target's verdict, if a rule that it is read from is really shown."""
    decision = target.decision
    deciding = [statement for _, statement in shown if any(_holds(statement, rule) for rule in decision.deciding)]
    if decision.verdict is None or not deciding:
        return None
    conditions: list[Condition] = []
    if decision.verdict is Verdict.RESTRICTED:
        limits = (*decision.deciding, *decision.conditions)
        conditions = [each for rule, statement in shown if rule in limits for each in conditions_of(rule, statement)]
    numbers = tuple(dict.fromkeys(number for statement in deciding for number in statement.citations))
    return PlaceVerdict(target.place, target.policy_source, decision.verdict, tuple(conditions), numbers)


def _holds(statement: Statement, rule: JudgedRule) -> bool:
    """Whether the statement shows what the rule says."""
    return set(rule.rule.body[:1]) <= set(statement.quotes)


def _not_stated(targets: Sequence[Target]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for target in targets for word in target.not_stated))


def _passages(targets: Sequence[Target]) -> dict[str, Passage]:
    return {
        each.rule.passage.chunk.chunk_id: each.rule.passage
        for target in targets
        for each in (*target.rules, *target.elsewhere, *target.decision.deciding, *target.decision.conditions)
    }


_MOST_NOTED = 12


def trace_of(
    question: Question,
    found: Mapping[str, Found],
    composed: Composed,
    notes: Mapping[str, object],
    timings_ms: Mapping[str, float],
    *,
    is_nearest: bool = False,
) -> AskTrace:
    """`found`: all that was looked at, by chunk; `is_nearest`: see `AskTrace`."""
    candidates = tuple(
        Candidate(
            chunk_id=chunk_id,
            doc_id=each.passage.chunk.doc_id,
            content_hash=each.passage.chunk.content_hash,
            score=each.score,
            cosine=each.cosine,
            fate="cited" if chunk_id in composed.cited else "unused",
        )
        for chunk_id, each in found.items()
    )
    return AskTrace(question, candidates, composed.dropped, dict(notes), dict(timings_ms), is_nearest)


def noted_rules(rules: Sequence[JudgedRule], place: str | None) -> list[dict[str, object]]:
    """The likeliest rules with what they were judged by."""
    return [
        {
            "place": place,
            "chunk_id": each.rule.passage.chunk.chunk_id,
            "start": each.rule.body[0].start,
            "decides": round(each.decides, 3),
            "score": round(each.score, 3),
            "effect": each.effect.value,
            "certainty": round(each.effects[each.effect], 3),
            "standing": each.place.standing.value,
        }
        for each in rules[:_MOST_NOTED]
    ]
