"""A figure with the interval in which it lies: bootstrap over questions, chains of follow-ups drawn whole."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from ops.evaluation.measures import Share

SAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` = right / counted; `low` and `high`: its 95% interval. `questions`: how many it was measured on."""

    value: float
    low: float
    high: float
    right: float
    counted: float
    questions: int


def figure(observed: Sequence[tuple[Hashable, Share]], seed: int = 0) -> Figure | None:
    """The figure of (cluster, share) pairs; None of nothing.

    Percentile bootstrap (Efron, 1979): clusters are drawn with replacement, as many as there are, 1,000 times.
    """
    if not observed:
        return None
    groups: dict[Hashable, list[float]] = {}
    for cluster, share in observed:
        sums = groups.setdefault(cluster, [0.0, 0.0])
        sums[0] += share.right
        sums[1] += share.counted
    right, counted = np.array(list(groups.values()), dtype=np.float64).T
    draws = np.random.default_rng(seed).multinomial(len(groups), np.full(len(groups), 1 / len(groups)), size=SAMPLES)
    drawn = (draws @ right) / np.maximum(draws @ counted, 1e-12)
    low, high = np.percentile(drawn, [2.5, 97.5])
    gained, of = float(right.sum()), float(counted.sum())
    value = gained / of
    return Figure(value, min(float(low), value), max(float(high), value), gained, of, len(observed))
