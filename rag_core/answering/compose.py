"""Evidence and decisions -> an Answer, in which every statement and citation was checked against its source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag_core.answering.comparing import comparison_of, row_of, stated_by_none
from rag_core.answering.evidence import Evidence, Rule
from rag_core.answering.notices import choices_for, notices_for
from rag_core.answering.polarity import Effect
from rag_core.answering.statements import (
    MOST_STATEMENTS,
    Citations,
    choose_rules,
    conditions_of,
    shown_quotes,
    statement_text,
)
from rag_core.answering.verdicts import Decision
from rag_core.answering.verify import is_sound, is_supported
from rag_core.answers import Answer, ComparisonRow, Condition, PlaceVerdict, Statement, Verdict
from rag_core.documents import Passage
from rag_core.questions import Question

MOST_WITH_TARGETS = 9
"""Statements of an answer about several places or platforms."""


@dataclass(frozen=True, slots=True)
class Target:
    """One place (None: none asked) on one platform, with what was found for it."""

    place: str | None
    policy_source: str
    evidence: Evidence
    decision: Decision

    @property
    def has_rules(self) -> bool:
        return bool(self.evidence.rules or self.evidence.elsewhere)


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
        statements += [statement for _, statement in shown if statement.text not in {s.text for s in statements}]
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
) -> list[tuple[Rule, Statement]]:
    shown = []
    for rule in choose_rules(target.evidence, target.decision, most):
        quotes, shortened = shown_quotes(rule.unit, question.terms, target.place)
        text = statement_text(rule.unit, quotes, shortened=shortened)
        draft = Statement(text, (), quotes)
        if not is_supported(draft, passages):
            dropped.append(text)
            continue
        shown.append((rule, Statement(text, (citations.cite(rule.unit),), quotes)))
    return shown


def _verdict(target: Target, shown: Sequence[tuple[Rule, Statement]]) -> PlaceVerdict | None:
    """The target's verdict, if a rule that it is read from is really shown."""
    decision = target.decision
    deciding = [statement for _, statement in shown if any(_holds(statement, rule) for rule in decision.deciding)]
    if decision.verdict is None or not deciding:
        return None
    conditions: list[Condition] = []
    if decision.verdict is Verdict.RESTRICTED:
        limits = (*decision.deciding, *decision.conditions)
        limiting = [
            (rule, statement)
            for rule, statement in shown
            if rule.reading.effect is Effect.RESTRICTS and any(_holds(statement, each) for each in limits)
        ]
        conditions = [condition for rule, statement in limiting for condition in conditions_of(rule, statement)]
    numbers = tuple(dict.fromkeys(number for statement in deciding for number in statement.citations))
    return PlaceVerdict(target.place, target.policy_source, decision.verdict, tuple(conditions), numbers)


def _holds(statement: Statement, rule: Rule) -> bool:
    """Whether the statement shows what the rule says."""
    return set(rule.unit.body[:1]) <= set(statement.quotes)


def _not_stated(targets: Sequence[Target]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for target in targets for word in target.evidence.not_stated))


def _passages(targets: Sequence[Target]) -> dict[str, Passage]:
    return {
        rule.unit.passage.chunk.chunk_id: rule.unit.passage
        for target in targets
        for rule in (*target.evidence.rules, *target.evidence.elsewhere)
    }
