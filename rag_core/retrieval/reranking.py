"""What was found, put in the order in which it helps: signals weighed against each other, copies taken out.

The weights are tuned by `python -m ops evaluate tuning`; `ops/docs/retrieval.md` has the figures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from rag_core.retrieval import signals
from rag_core.retrieval.asked_rules import of_rule
from rag_core.retrieval.duplicates import without_copies
from rag_core.retrieval.found import Found
from rag_core.retrieval.signals import Asked, Signal


@dataclass(frozen=True, slots=True)
class RankWeights:
    """How much each signal counts, relative to the others; 0 leaves it out. None is negative, not all are 0."""

    relevance: float
    likeness: float = 0.0
    wording: float = 0.0
    place: float = 0.0
    recency: float = 0.0
    hierarchy: float = 0.0
    adjacency: float = 0.0


SIGNALS: Mapping[str, Signal] = {
    "relevance": signals.relevance,
    "likeness": signals.likeness,
    "wording": signals.wording,
    "place": signals.place,
    "recency": signals.recency,
    "hierarchy": signals.hierarchy,
    "adjacency": signals.adjacency,
}

FUSION_ALONE = RankWeights(relevance=1.0)
PUBLISHED = RankWeights(relevance=0.5, recency=0.2, hierarchy=0.2, adjacency=0.1)
"""The starting point in the literature on retrieval for policies and regulations."""

TUNED = RankWeights(relevance=0.32, likeness=0.28, wording=0.27, place=0.08, recency=0.02, hierarchy=0.03)
"""Adjacency gained nothing and is left out; recency decides between drafts of one rule only, which no data set here
has."""


def rerank(
    found: Sequence[Found], asked: Asked, weights: RankWeights = TUNED, steps: Mapping[str, Signal] = SIGNALS
) -> list[Found]:
    """`found` without copies, best first, ties by chunk id; a rule that was asked for by its number first of all."""
    ranked = without_copies(weighed(found, asked, weights, steps))
    named = of_rule(ranked, asked.rule_number) if asked.rule_number else []
    if not named or len(named) == len(ranked):
        return ranked
    return [replace(each, score=1.0) for each in named] + [each for each in ranked if each not in named]


def weighed(
    found: Sequence[Found], asked: Asked, weights: RankWeights, steps: Mapping[str, Signal] = SIGNALS
) -> list[Found]:
    """`found` by the weighed sum of its signals, with new scores in [0, 1]."""
    shares = {name: weight for name, weight in asdict(weights).items() if weight > 0}
    columns = [(weight, steps[name](found, asked)) for name, weight in shares.items()]
    sums = [sum(weight * column[row] for weight, column in columns) for row in range(len(found))]
    scores = _stretched(sums, [each.score for each in found])
    scored = [replace(each, score=score) for each, score in zip(found, scores, strict=True)]
    return sorted(scored, key=lambda each: (-each.score, each.passage.chunk.chunk_id))


def _stretched(sums: Sequence[float], scores: Sequence[float]) -> list[float]:
    """`sums` over the range of `scores`: who reads a score further on finds it where fusion put it."""
    if not sums or max(sums) == min(sums):
        return list(scores)
    low, high = min(scores), max(scores)
    return [low + (each - min(sums)) / (max(sums) - min(sums)) * (high - low) for each in sums]
