"""Verified statements and the extractive answer -> one answer. The verdict and what it is read from always stay."""

from collections.abc import Sequence
from dataclasses import replace

from rag_core.answering.compose import Composed, Target
from rag_core.answering.generative.drafts import Checked
from rag_core.answering.notices import notices_for
from rag_core.answering.statements import Citations
from rag_core.answering.units import Unit
from rag_core.answers import (
    Answer,
    Citation,
    Comparison,
    ComparisonRow,
    Condition,
    Notice,
    PlaceVerdict,
    Statement,
)
from rag_core.documents import Passage
from rag_core.questions import Question

_Key = tuple[str, str]


def assemble(
    question: Question, targets: Sequence[Target], composed: Composed, answer: Answer, checked: Sequence[Checked]
) -> Composed:
    """`answer` with the model's statements first; of its own it keeps those that the verdicts rest on and that no
    quote of the model's shows already. A section cited twice stays one citation, of the weakest type."""
    book = _Book(answer.citations)
    written = [replace(each.statement, citations=book.cite(each)) for each in checked]
    kept = [statement for statement in answer.statements if _is_needed(statement, answer, written)]
    statements = (*written, *kept)
    rows = answer.comparison.rows if answer.comparison else ()
    citations, numbers = book.renumbered(statements, answer.verdicts, rows)
    cited = [unit.passage for each in checked for unit in each.units]
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


class RunningNumbers:
    """The numbers that citations will have, while statements still come: an answer counts its sections as they first
    appear, and begins with what the model wrote."""

    def __init__(self) -> None:
        self._numbers: dict[_Key, int] = {}

    def numbered(self, checked: Checked) -> Statement:
        keys = [_key(unit) for unit in checked.units]
        numbers = [self._numbers.setdefault(key, len(self._numbers) + 1) for key in keys]
        return replace(checked.statement, citations=tuple(dict.fromkeys(numbers)))


def _key(unit: Unit) -> _Key:
    return unit.passage.chunk.doc_id, unit.passage.chunk.policy_path


class _Book:
    """The citations of an answer, by section, with those of the model added."""

    def __init__(self, citations: Sequence[Citation]) -> None:
        self._by_key: dict[_Key, Citation] = {(each.doc_id, each.section_path): each for each in citations}
        self._next = max((each.number for each in citations), default=0) + 1

    def cite(self, checked: Checked) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self._cite(unit, checked) for unit in checked.units))

    def _cite(self, unit: Unit, checked: Checked) -> int:
        key = _key(unit)
        known = self._by_key.get(key)
        if known is None:
            fresh = Citations()
            fresh.cite(unit)
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
