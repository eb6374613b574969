"""The report as one HTML page, without scripts and without anything from elsewhere."""

from collections.abc import Iterable, Sequence, Set
from html import escape
from itertools import chain

from ops import wording_evaluation as wording
from ops.evaluation.plots import intervals_plot
from ops.evaluation.report import Figures, Report, SplitReport
from ops.evaluation.terminal import figure_row

_BESIDE = frozenset({"correct", "mentioned", "day_right"})
"""Shown by corpus and tag beside the measures that have a target: all of them would not fit on a page."""

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c; }
table { border-collapse: collapse; margin: 1rem 0; } th, td { text-align: left; padding: .2rem .8rem .2rem 0; }
th { border-bottom: 1px solid #888; } td { vertical-align: top; } tr.missed td:last-child { color: #a40000; }
svg text { font: 13px system-ui, sans-serif; } figcaption { color: #555; } figure { margin: 1rem 0; }
"""


def html_page(report: Report) -> str:
    """Figures with targets, plots with intervals, by corpus and tag, causes, and the failures that the report has."""
    made = wording.made(report.bot, report.commit, report.today.isoformat(), report.made_on.isoformat())
    parts = [f"<h1>{escape(wording.page_title())}</h1>", f"<p>{escape(made)}</p>"]
    if report.judge:
        parts.append(f"<p>{escape(wording.judge(report.judge, report.ungraded))}</p>")
    for split, part in report.splits.items():
        parts += _split(split, part, report)
    failed = [each for each in report.questions if not each.right]
    if failed:
        rows = [
            (
                each.id,
                each.question,
                wording.diagnosis(each.diagnosis or ""),
                wording.outcome(each.expected_kind, each.expected_verdict),
                wording.outcome(each.kind, each.verdict),
                "; ".join(each.cited),
                str(each.rank or ""),
            )
            for each in failed
        ]
        parts += [f"<h2>{escape(wording.failures_heading())}</h2>", _table(wording.failure_columns(), rows)]
    head = f'<meta charset="utf-8"><title>{escape(wording.page_title())}</title><style>{_STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(parts) + "\n</body></html>\n"


def _split(split: str, part: SplitReport, report: Report) -> list[str]:
    targets = {each.measure: each for each in report.targets}
    rows = [figure_row(measure, figure, targets.get(measure)) for measure, figure in part.figures.items()]
    if part.latency is not None:
        met = wording.met(is_met=part.latency.p50 <= report.most_milliseconds)
        value = wording.latency_value(part.latency.p50, part.latency.p95)
        bound = wording.milliseconds(report.most_milliseconds)
        rows.append((wording.latency(), value, "", str(part.latency.questions), bound, met))
    causes = [(str(count), wording.diagnosis(code)) for code, count in part.diagnoses.items()]
    return [
        f"<h2>{escape(wording.title(split, part.questions, part.right))}</h2>",
        _table(wording.columns(), rows),
        *([f"<p>{escape(wording.unjudged(part.unjudged))}</p>"] if part.unjudged else []),
        f"<figure>{intervals_plot(part.figures, {each.measure: each.bound for each in report.targets})}"
        f"<figcaption>{escape(wording.plot_caption())}</figcaption></figure>",
        f"<h3>{escape(wording.causes_heading())}</h3>",
        _table((), causes),
        *_parts(wording.by_corpus(), part.by_corpus, targets.keys() | _BESIDE),
        *_parts(wording.by_tag(), part.by_tag, targets.keys() | _BESIDE),
    ]


def _parts(heading: str, parts: dict[str, Figures], wanted: Set[str]) -> list[str]:
    """A row for each corpus or tag, a column for each of the wanted measures that one of them has."""
    measures = [each for each in dict.fromkeys(chain.from_iterable(parts.values())) if each in wanted]
    rows = [
        (name, *(f"{figures[each].value:.2f}" if each in figures else "" for each in measures))
        for name, figures in parts.items()
    ]
    return [f"<h3>{escape(heading)}</h3>", _table(("", *map(wording.measure_name, measures)), rows)]


def _table(columns: Sequence[str], rows: Iterable[tuple[str, ...]]) -> str:
    head = "".join(f"<th>{escape(each)}</th>" for each in columns)
    body = "".join(map(_row, rows))
    return f"<table>{f'<tr>{head}</tr>' if head else ''}{body}</table>"


def _row(cells: tuple[str, ...]) -> str:
    marked = ' class="missed"' if cells[-1] == wording.met(is_met=False) else ""
    return f"<tr{marked}>" + "".join(f"<td>{escape(each)}</td>" for each in cells) + "</tr>"
