"""Evidence and decisions -> an Answer, in which every statement and citation was checked against its source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag_core.answering.comparing import comparison_of, row_of, stated_by_none
from rag_core.answering.evidence import Target
from rag_core.answering.notices import choices_for, notices_for
from rag_core.answering.statements import (
    MOST_STATEMENTS,
    Citations,
    as_one,
    choose_rules,
    conditions_of,
    joined,
    shown_quotes,
    statement_text,
)
from rag_core.answering.verify import is_sound, is_supported
from rag_core.answers import Answer, ComparisonRow, Condition, PlaceVerdict, Statement, Verdict
from rag_core.documents import Passage
from rag_core.questions import Question
from rag_core.rules.judging import JudgedRule

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
