"""The report as one HTML page, without scripts and without anything from elsewhere."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

from ops import wording_evaluation as wording
from ops.evaluation.plots import bars_plot, intervals_plot
from ops.evaluation.report import FigureLine, Figures, QuestionLine, Report, SplitReport
from ops.evaluation.terminal import BY_TAG, figure_row

_STYLE = (Path(__file__).resolve().parent / "page.css").read_text(encoding="utf-8")
_FEWEST_IN_PLOT, _MOST_IN_PLOT = 10, 25
"""Tags of fewer questions have intervals as wide as the plot."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """`beside`: in small letters below. A number stands on the right. `title`: what is shown on hovering."""

    text: str
    beside: str = ""
    is_number: bool = False
    title: str = ""


def html_page(report: Report) -> str:
    """Figures with targets, plots with intervals, by corpus and tag, causes, and the failures that the report has."""
    made = wording.made(report.bot, report.commit, report.today.isoformat(), report.made_on.isoformat())
    parts = [f"<h1>{escape(wording.page_title())}</h1>", _paragraph(made)]
    if report.judge:
        parts.append(_paragraph(wording.judge(report.judge, report.ungraded)))
    for split, part in report.splits.items():
        parts += _split(split, part, report)
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(wording.page_title())}</title><style>{_STYLE}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(parts) + "\n</body></html>\n"


def _split(split: str, part: SplitReport, report: Report) -> list[str]:
    bounds = {each.measure: each.bound for each in report.targets}
    plot = intervals_plot(part.figures, bounds, wording.measure_name, wording.plot_title(split))
    failed = [each for each in report.questions if each.split == split and not each.right]
    return [
        f"<h2>{escape(wording.title(split, part.questions, part.right))}</h2>",
        _figures(part, report),
        *([_paragraph(wording.unjudged(part.unjudged))] if part.unjudged else []),
        _figure(plot, wording.plot_caption()),
        *_corpora(part),
        *_tags(part),
        *_failures(part, failed),
    ]


def _figures(part: SplitReport, report: Report) -> str:
    targets = {each.measure: each for each in report.targets}
    rows = [figure_row(measure, figure, targets.get(measure)) for measure, figure in part.figures.items()]
    if part.latency is not None:
        met = wording.met(is_met=part.latency.p50 <= report.most_milliseconds)
        value = wording.latency_value(part.latency.p50, part.latency.p95)
        bound = wording.milliseconds(report.most_milliseconds)
        rows.append((wording.latency(), value, "", str(part.latency.questions), bound, met))
    shown = [[_Cell(text, is_number=0 < at < len(row) - 1) for at, text in enumerate(row)] for row in rows]
    return _table(wording.columns(), shown)


def _corpora(part: SplitReport) -> list[str]:
    """All measures, the corpora beside each other; nothing where there is one only."""
    if len(part.by_corpus) < 2:
        return []
    rows = [
        [_Cell(wording.measure_name(measure)), *(_value(each.get(measure)) for each in part.by_corpus.values())]
        for measure in part.figures
        if any(measure in each for each in part.by_corpus.values())
    ]
    return [f"<h3>{escape(wording.by_corpus())}</h3>", _table(("", *part.by_corpus), rows)]


def _tags(part: SplitReport) -> list[str]:
    """The measures that a reader compares tags by, with intervals; and a plot of the first of them."""
    measures = [each for each in BY_TAG if any(each in figures for figures in part.by_tag.values())]
    if not measures:
        return []
    rows = [
        [_Cell(tag), _Cell(f"{_questions(figures)}", is_number=True), *(_value(figures.get(each)) for each in measures)]
        for tag, figures in part.by_tag.items()
    ]
    main = measures[0]
    plotted = {
        tag: figures[main]
        for tag, figures in part.by_tag.items()
        if main in figures and figures[main].questions >= _FEWEST_IN_PLOT
    }
    plotted = dict(sorted(plotted.items(), key=lambda item: item[1].value)[:_MOST_IN_PLOT])
    title = wording.by_tag_plot(wording.measure_name(main))
    plot = [_figure(intervals_plot(plotted, {}, str, title), title)] if plotted else []
    columns = (*wording.tag_columns(), *map(wording.measure_name, measures))
    return [f"<h3>{escape(wording.by_tag())}</h3>", *plot, _table(columns, rows)]


def _questions(figures: Figures) -> int:
    return max((each.questions for each in figures.values()), default=0)


def _failures(part: SplitReport, failed: Sequence[QuestionLine]) -> list[str]:
    """How many of each cause; below, those that the report has, cause by cause."""
    if not part.diagnoses:
        return []
    title = wording.causes_heading()
    parts = [f"<h3>{escape(title)}</h3>", _figure(bars_plot(part.diagnoses, wording.diagnosis, title), "")]
    order = {code: at for at, code in enumerate(part.diagnoses)}
    ordered = sorted(failed, key=lambda each: order.get(each.diagnosis or "", len(order)))
    for code, group in groupby(ordered, key=lambda each: each.diagnosis or ""):
        rows = [_failure(each) for each in group]
        heading = escape(wording.failures_of(code, len(rows)))
        table = _table(wording.failure_columns(), rows, "questions")
        parts.append(f"<details><summary>{heading}</summary>{table}</details>")
    return parts


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


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _figure(plot: str, caption: str) -> str:
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<figure tabindex="0">{plot}{below}</figure>'


def _table(columns: Sequence[str], rows: Iterable[Sequence[_Cell]], kind: str = "") -> str:
    """Wide ones scroll by themselves, not the page."""
    body = list(rows)
    numbers = {at for row in body for at, cell in enumerate(row) if cell.is_number}
    head = "".join(
        f'<th scope="col"{_class("number") if at in numbers else ""}>{escape(each)}</th>'
        for at, each in enumerate(columns)
    )
    shown = "".join(map(_row, body))
    table = f"<table{_class(kind)}><thead><tr>{head}</tr></thead><tbody>{shown}</tbody></table>"
    return f'<div class="scroll" tabindex="0">{table}</div>'


def _row(cells: Sequence[_Cell]) -> str:
    marks: Mapping[str, str] = {wording.met(is_met=met): mark for met, mark in ((True, "met"), (False, "missed"))}
    return f"<tr{_class(marks.get(cells[-1].text, ''))}>" + "".join(map(_cell, cells)) + "</tr>"


def _cell(cell: _Cell) -> str:
    title = f' title="{escape(cell.title)}"' if cell.title else ""
    beside = f"<small>{escape(cell.beside)}</small>" if cell.beside else ""
    return f"<td{_class('number' if cell.is_number else '')}{title}>{escape(cell.text)}{beside}</td>"


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""
