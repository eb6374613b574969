"""The report of an evaluation, as it is written and read again: JSON of a versioned shape."""

import json
from collections.abc import Mapping
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
