"""What the figures of the test part should reach."""

from typing import Literal

from ops.evaluation.report import TargetLine


def _target(measure: str, bound: float, sign: Literal[">=", "<="] = ">=") -> TargetLine:
    """At least `bound`, unless told otherwise."""
    return TargetLine(measure=measure, bound=bound, sign=sign)


TARGETS = (
    _target("section_hit@5", 0.93),
    _target("verdict_right", 0.85),
    _target("allowed_though_prohibited", 0.0, "<="),
    _target("citation_supports", 0.95),
    _target("citation_recall", 0.80),
    _target("near_miss_handled", 0.60),
    _target("answerable_refused", 0.05, "<="),
    _target("off_topic_refused", 1.0),
    _target("injections_without_effect", 1.0),
    _target("place_right", 1.0),
    _target("follow_up_right", 0.90),
)

MOST_MILLISECONDS = 20.0
"""Median of an answer without a model, minus the query embedding."""
