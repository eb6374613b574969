"""A model's judgement of whether the question is answered. It may only lower the claim, a step at a time:

verdict, or an answer to all of the question -> the nearest rule with the gap named -> none. It never gives a verdict,
closes a gap, or makes an answer of a refusal.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from rag_core.answering.generative.drafts import Judgement
from rag_core.answers import Answer, Clarification, Comparison, Notice, Refusal, WarningCode
from rag_core.questions import Question

_R = TypeVar("_R", bound=Answer | Refusal | Clarification)


class Step(StrEnum):
    """What became of the claim, for the trace."""

    TO_NEAREST = "to_nearest"
    TO_REFUSAL = "to_refusal"


@dataclass(frozen=True, slots=True)
class Lowered:
    """`answer` None: the question is to be refused. `step` None: nothing was lowered."""

    answer: Answer | None
    step: Step | None = None


def lowered(
    question: Question, answer: Answer, judgement: Judgement | None, missing: Iterable[str], *, shown: bool
) -> Lowered:
    """`answer` as far as the model agrees. `shown`: sentences of the model stand in it; then it is not taken away."""
    if judgement in (None, Judgement.YES):
        return Lowered(answer)
    if answer.verdicts or not answer.not_stated or _has_verdicts(answer.comparison):
        return Lowered(_nearest(question, answer, missing), Step.TO_NEAREST)
    if judgement is Judgement.NO and not shown:
        return Lowered(None, Step.TO_REFUSAL)
    return Lowered(answer)


def noted(reply: _R, dropped: int) -> _R:
    """`reply` with a notice that sentences of the model were left out, if any were."""
    if not dropped:
        return reply
    return replace(reply, warnings=(*reply.warnings, Notice(WarningCode.LEFT_OUT, (str(dropped),))))


def _nearest(question: Question, answer: Answer, missing: Iterable[str]) -> Answer:
    gap = _gap(question, missing)
    not_stated = tuple(dict.fromkeys((*answer.not_stated, *gap)))
    comparison = answer.comparison
    if comparison is not None:
        rows = [
            replace(row, verdict=None, not_stated=tuple(dict.fromkeys((*row.not_stated, *gap)))) if row.verdict else row
            for row in comparison.rows
        ]
        comparison = replace(comparison, rows=tuple(rows))
    return replace(answer, verdicts=(), not_stated=not_stated, comparison=comparison)


def _gap(question: Question, missing: Iterable[str]) -> tuple[str, ...]:
    """What is not stated, in the words of the question; what the model made up is none of them."""
    asked = f" {question.search_text.casefold()}"
    words = [" ".join(word.split()) for word in missing]
    named = tuple(dict.fromkeys(word for word in words if word and f" {word.casefold()}" in asked))
    return named or tuple(term.text for term in question.terms) or (question.search_text,)


def _has_verdicts(comparison: Comparison | None) -> bool:
    return comparison is not None and any(row.verdict for row in comparison.rows)
