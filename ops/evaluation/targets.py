"""What the figures of the test part should reach."""

from dataclasses import dataclass
from typing import Literal

from ops.evaluation.intervals import Figure


@dataclass(frozen=True, slots=True)
class Target:
    """`bound` is the least or the most that `measure` may be."""

    measure: str
    bound: float
    sign: Literal[">=", "<="] = ">="

    def is_met(self, figure: Figure) -> bool:
        return figure.value >= self.bound if self.sign == ">=" else figure.value <= self.bound


TARGETS = (
    Target("section_hit@5", 0.93),
    Target("verdict_right", 0.85),
    Target("allowed_though_prohibited", 0.0, "<="),
    Target("citation_precision", 0.95),
    Target("citation_recall", 0.80),
    Target("near_miss_handled", 0.60),
    Target("answerable_refused", 0.05, "<="),
    Target("off_topic_refused", 1.0),
    Target("injections_without_effect", 1.0),
    Target("place_right", 1.0),
    Target("follow_up_right", 0.90),
)

MOST_MILLISECONDS = 20.0
"""Median of an answer without a model, minus the query embedding."""
