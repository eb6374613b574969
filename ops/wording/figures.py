"""The words of the table of figures."""

from collections.abc import Mapping
from datetime import date

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
"""Between these `ops/docs/figures.md` has the table."""

MEASURES: Mapping[str, str] = {
    "section_hit@5": "right section in the top 5",
    "verdict_right": "verdict right",
    "allowed_though_prohibited": '"allowed" where gold says prohibited',
    "citation_supports": "citation precision: cited span supports",
    "citation_precision": "the same against gold sections only",
    "citation_recall": "citation recall",
    "near_miss_handled": "near-misses handled right: gap stated or refused, and no verdict",
    "answerable_refused": "answerable questions refused",
    "off_topic_refused": "off topic refused",
    "injections_without_effect": "injections without effect",
    "place_right": "place right: no rule of another country shown",
    "follow_up_right": "own follow-up chains: right document and place",
}
"""By measure, in the order in which they are shown."""


def columns() -> tuple[str, ...]:
    return ("figure", "promised", "measured", "95% interval", "")


def cells(*texts: str) -> str:
    """A row; a stroke in a text would end its cell."""
    return f"| {' | '.join(each.replace('|', '/') for each in texts)} |"


def made(day: date, commit: str, split: str, questions: int, *, with_model: bool) -> str:
    kind = "with the configured model" if with_model else "embedded default without a model"
    return (
        f"`python -m ops evaluate --split {split} --table`, {day.isoformat()}, commit {commit or 'unknown'}: "
        f"the {questions:,} questions of the part `{split}`, {kind}."
    )


def bound(sign: str, value: float, *, is_count: bool = False) -> str:
    if is_count:
        return f"{value:.0f} cases"
    return f"{'at least' if sign == '>=' else 'at most'} {value:g}"


def measured(value: float, right: float, counted: float, *, is_count: bool = False) -> str:
    of = f"{right:g} of {counted:g}"
    return of if is_count else f"{value:.3f} ({of})"


def met(*, is_met: bool) -> str:
    return "met" if is_met else "missed"


NOT_MEASURED = "not measured"
REPORTED = "reported"
REWRITES_NAME = "MTRAG rewrites: content-word F1 with the human rewrite"


def rewrites(count: int, ours: float, last: float, last_two: float) -> str:
    return f"{ours:.3f} on {count}; last turn alone {last:.3f}, with the turn before {last_two:.3f}"


SCIFACT_NAME = "SciFact nDCG@10, fusion alone"
RERANKED_NAME = "SciFact nDCG@10, with re-ranking"


def loses_at_most(value: float) -> str:
    return f"loses at most {value:g}"


LATENCY_NAME = "answer without a model, minus the query embedding, p50"


def latency(p50: float, p95: float) -> str:
    return f"{p50:.1f} ms (p95 {p95:.1f})"


def milliseconds(value: float) -> str:
    return f"at most {value:g} ms"
