"""Measures of a ranking. `relevant` are ids; `depth` is how far down the ranking is read.

Checked against ir-measures by the tests; written out here because the light install does without it.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from math import log2


def hit(ranked: Sequence[str], relevant: AbstractSet[str], depth: int) -> float:
    """1 if one of the first `depth` is relevant, else 0 (Success@depth)."""
    return float(any(each in relevant for each in ranked[:depth]))


def reciprocal_rank(ranked: Sequence[str], relevant: AbstractSet[str]) -> float:
    """1 / rank of the first relevant one; 0 without one. Its mean over questions is MRR."""
    return next((1 / rank for rank, each in enumerate(ranked, start=1) if each in relevant), 0.0)


def ndcg(ranked: Sequence[str], relevant: AbstractSet[str], depth: int) -> float:
    """Normalised discounted cumulative gain with grades 0 and 1 (Jarvelin and Kekalainen, 2002), as trec_eval:
    sum of 1 / log2(rank + 1) over the relevant ones, divided by that of the best possible ranking."""
    gained = sum(1 / log2(rank + 1) for rank, each in enumerate(ranked[:depth], start=1) if each in relevant)
    best = sum(1 / log2(rank + 1) for rank in range(1, min(len(relevant), depth) + 1))
    return gained / best if best else 0.0


def recall(ranked: Sequence[str], relevant: AbstractSet[str], depth: int) -> float:
    """The share of what is relevant among the first `depth`."""
    return len(relevant & set(ranked[:depth])) / len(relevant) if relevant else 0.0
