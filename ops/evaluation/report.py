"""The report of an evaluation, as it is written and read again: JSON of a versioned shape; two beside each other."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from rag_core.errors import Misconfigured, Rejected

SHAPE = "adpolicy-evaluation/1"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FigureLine(_Part):
    """`value` = right / counted, with its 95% interval, over `questions`."""

    value: float
    low: float
    high: float
    right: float
    counted: float
    questions: int


class LatencyLine(_Part):
    """Milliseconds of an answer, without the query embedding."""

    p50: float
    p95: float
    p99: float
    questions: int


class TargetLine(_Part):
    measure: str
    bound: float
    sign: Literal[">=", "<="]


Figures = dict[str, FigureLine]


class SplitReport(_Part):
    """`by_tag` and `by_corpus`: the same measures over a part of the questions. `diagnoses`: failures by cause.
    `unjudged`: citations that are not gold and that nobody judged."""

    questions: int
    right: int
    figures: Figures
    by_corpus: dict[str, Figures]
    by_tag: dict[str, Figures]
    diagnoses: dict[str, int]
    latency: LatencyLine | None = None
    unjudged: int = 0


class QuestionLine(_Part):
    """One question with what came of it. `diagnosis`: None where it is right."""

    id: str
    split: str
    corpus: str
    question: str
    tags: tuple[str, ...]
    right: bool
    diagnosis: str | None
    expected_kind: str
    kind: str
    expected_verdict: str | None
    verdict: str | None
    expected_sections: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    rank: int | None = None
    words_missing: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()


class Report(_Part):
    """`judge`: the judge model's name; `ungraded`: answers that it did not grade. `questions` holds those of the test
    part only if they were asked for: nobody must tune to them."""

    shape: Literal["adpolicy-evaluation/1"] = "adpolicy-evaluation/1"
    made_on: date
    commit: str
    bot: str
    today: date
    top_k: int
    datasets: tuple[str, ...]
    judge: str = ""
    ungraded: int = 0
    splits: dict[str, SplitReport]
    targets: tuple[TargetLine, ...]
    most_milliseconds: float
    questions: tuple[QuestionLine, ...]


def report_text(report: Report) -> str:
    return report.model_dump_json(indent=1)


def read_report(path: Path) -> Report:
    """A report written before. Raises Misconfigured("evaluation_report_unreadable"), Rejected("..._malformed")."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise Misconfigured("evaluation_report_unreadable", path=str(path)) from exc
    try:
        return Report.model_validate(_with_shape(json.loads(text)))
    except (ValidationError, ValueError) as exc:
        raise Rejected("evaluation_report_malformed", path=str(path), shape=SHAPE) from exc


def _with_shape(value: object) -> object:
    """A report of another shape must not be taken for one of this: its measures may mean something else."""
    if not isinstance(value, Mapping) or value.get("shape") != SHAPE:
        raise ValueError("no report of this shape")
    return value


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


@dataclass(frozen=True, slots=True)
class Moved:
    """`surely`: the intervals do not even touch."""

    split: str
    measure: str
    before: FigureLine
    after: FigureLine

    @property
    def difference(self) -> float:
        return self.after.value - self.before.value

    @property
    def surely(self) -> bool:
        return self.after.low > self.before.high or self.after.high < self.before.low


@dataclass(frozen=True, slots=True)
class Turned:
    """A question that was wrong and is right now, or the other way round."""

    before: QuestionLine
    after: QuestionLine


@dataclass(frozen=True, slots=True)
class Comparison:
    """`mended` were wrong before, `broken` were right; only of questions that both reports name."""

    moved: tuple[Moved, ...]
    mended: tuple[Turned, ...]
    broken: tuple[Turned, ...]


def compare(old: Report, new: Report) -> Comparison:
    """What is different in `new`; measures and questions that only one of them has are left out."""
    moved = [
        Moved(split, measure, before, part.figures[measure])
        for split, part in new.splits.items()
        if split in old.splits
        for measure, before in old.splits[split].figures.items()
        if measure in part.figures and part.figures[measure].value != before.value
    ]
    known = {each.id: each for each in old.questions}
    turned = [
        Turned(known[each.id], each)
        for each in new.questions
        if each.id in known and each.right != known[each.id].right
    ]
    return Comparison(
        tuple(moved),
        mended=tuple(each for each in turned if each.after.right),
        broken=tuple(each for each in turned if not each.after.right),
    )
