"""The report as one HTML page, without scripts and without anything from elsewhere: `page.html`, `page.css`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from ops.evaluation.report import FigureLine, QuestionLine, Report, SplitReport
from ops.evaluation.terminal import BY_TAG, figure_row
from ops.wording import evaluation as wording

_HERE = Path(__file__).resolve().parent
_STYLE = Markup((_HERE / "page.css").read_text(encoding="utf-8"))  # noqa: S704 - a file of ours
_FEWEST_IN_PLOT, _MOST_IN_PLOT = 10, 25
"""Tags of fewer questions have intervals as wide as the plot."""
_MARKS = {wording.met(is_met=met): mark for met, mark in ((True, "met"), (False, "missed"))}


@dataclass(frozen=True, slots=True)
class _Cell:
    """`beside`: in small letters below. A number stands on the right. `title`: what is shown on hovering."""

    text: str
    beside: str = ""
    is_number: bool = False
    title: str = ""


def html_page(report: Report) -> str:
    """Figures with targets, plots with intervals, by corpus and tag, causes, and the failures that the report has."""
    pages = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    pages.filters |= {"x": _x, "number_places": _number_places}
    pages.globals |= {"say": wording, "marks": _MARKS, "style": _STYLE}
    parts = [_part(split, part, report) for split, part in report.splits.items()]
    return pages.get_template("page.html").render(report=report, parts=parts).lstrip()


def _x(value: float) -> float:
    """Where a share from 0 to 1 stands on the axis of a plot."""
    return round(350 + 440 * min(max(value, 0.0), 1.0), 1)


def _number_places(rows: Iterable[Sequence[_Cell]]) -> set[int]:
    return {at for row in rows for at, cell in enumerate(row) if cell.is_number}


def _part(split: str, part: SplitReport, report: Report) -> dict[str, Any]:
    targets = {each.measure: each for each in report.targets}
    figures = [figure_row(measure, figure, targets.get(measure)) for measure, figure in part.figures.items()]
    if part.latency is not None:
        met = wording.met(is_met=part.latency.p50 <= report.most_milliseconds)
        value = wording.latency_value(part.latency.p50, part.latency.p95)
        bound = wording.milliseconds(report.most_milliseconds)
        figures.append((wording.LATENCY, value, "", str(part.latency.questions), bound, met))
    bounds = {name: target.bound for name, target in targets.items()}
    failed = [each for each in report.questions if each.split == split and not each.right]
    return {
        "split": split,
        "report": part,
        "figures": [[_Cell(text, is_number=0 < at < len(row) - 1) for at, text in enumerate(row)] for row in figures],
        "plotted": [(wording.measure_name(name), each, bounds.get(name)) for name, each in part.figures.items()],
        "corpora": _corpora(part),
        "failures": _failures(part, failed),
        **_tags(part),
    }


def _corpora(part: SplitReport) -> list[list[_Cell]]:
    """All measures, the corpora beside each other; nothing where there is one only."""
    corpora = list(part.by_corpus.values())
    return [
        [_Cell(wording.measure_name(measure)), *(_value(each.get(measure)) for each in corpora)]
        for measure in part.figures
        if len(corpora) > 1 and any(measure in each for each in corpora)
    ]


def _tags(part: SplitReport) -> dict[str, Any]:
    """The measures that a reader compares tags by, with intervals; and a plot of the first of them."""
    measures = [each for each in BY_TAG if any(each in figures for figures in part.by_tag.values())]
    main = measures[0] if measures else ""
    rows = []
    for tag, figures in part.by_tag.items() if measures else ():
        questions = max((each.questions for each in figures.values()), default=0)
        rows.append([_Cell(tag), _Cell(str(questions), is_number=True), *(_value(figures.get(m)) for m in measures)])
    plotted = [
        (tag, figures[main], None)
        for tag, figures in part.by_tag.items()
        if main in figures and figures[main].questions >= _FEWEST_IN_PLOT
    ]
    return {
        "tags": rows,
        "tag_columns": (*wording.tag_columns(), *map(wording.measure_name, measures)),
        "tags_plotted": sorted(plotted, key=lambda each: each[1].value)[:_MOST_IN_PLOT],
        "tags_title": wording.by_tag_plot(wording.measure_name(main)),
    }


def _failures(part: SplitReport, failed: Sequence[QuestionLine]) -> dict[str, list[list[_Cell]]]:
    """Those that the report has, cause by cause."""
    found: dict[str, list[list[_Cell]]] = {code: [] for code in part.diagnoses}
    for each in failed:
        found.setdefault(each.diagnosis or "", []).append(_failure(each))
    return {code: rows for code, rows in found.items() if rows}


def _failure(line: QuestionLine) -> list[_Cell]:
    """Of what is cited the last heading is shown, all of them on hovering."""
    return [
        _Cell(line.id),
        _Cell(line.question),
        _Cell(wording.outcome(line.expected_kind, line.expected_verdict)),
        _Cell(wording.outcome(line.kind, line.verdict)),
        _Cell("; ".join(each.rsplit(" > ", 1)[-1] for each in line.cited), title="\n".join(line.cited)),
        _Cell(str(line.rank or ""), is_number=True),
    ]


def _value(figure: FigureLine | None) -> _Cell:
    if figure is None:
        return _Cell("")
    return _Cell(f"{figure.value:.2f}", f"{figure.low:.2f} to {figure.high:.2f}", is_number=True)
