"""The report in the terminal."""

from collections.abc import Iterable

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ops.evaluation.report import Comparison, FigureLine, QuestionLine, Report, SplitReport, TargetLine, Turned
from ops.wording import evaluation as wording

TEST = "test"

BY_TAG = (
    "correct",
    "section_hit@5",
    "verdict_right",
    "citation_supports",
    "near_miss_handled",
    "answerable_refused",
)
"""The measures by which tags are compared: all of them would not fit on a page."""
_TAGS_SHOWN = 15


def print_report(report: Report, console: Console, *, failures: int) -> None:
    """Figures beside their targets, split by split, then what failed and why; of test no single questions unless
    the report has them."""
    console.print(wording.made(report.bot, report.commit, report.today.isoformat(), report.made_on.isoformat()))
    if report.judge:
        console.print(wording.judge(report.judge, report.ungraded), markup=False)
    for split, part in report.splits.items():
        console.print()
        console.print(f"[bold]{escape(wording.title(split, part.questions, part.right))}[/bold]")
        console.print(_table(part, report))
        if part.unjudged:
            console.print(wording.unjudged(part.unjudged), markup=False)
        _print_parts(part, console)
        _print_tags(part, console)
        failed = [each for each in report.questions if each.split == split and not each.right]
        _print_failures(split, part, failed, console, failures)


def print_comparison(comparison: Comparison, path: str, console: Console) -> None:
    console.print()
    console.print(f"[bold]{escape(wording.compared_title(path))}[/bold]")
    for each in comparison.moved:
        line = wording.moved(each.split, each.measure, each.before.value, each.after.value, surely=each.surely)
        console.print(line, markup=False)
    if not comparison.moved:
        console.print(wording.NOTHING_MOVED)
    _print_turned(wording.mended(len(comparison.mended)), comparison.mended, console)
    _print_turned(wording.broken(len(comparison.broken)), comparison.broken, console)


def _print_turned(heading: str, turned: Iterable[Turned], console: Console) -> None:
    console.print(heading, markup=False)
    for each in turned:
        shown = each.after if each.after.diagnosis else each.before
        console.print("  " + _failure(shown), markup=False)


def _table(part: SplitReport, report: Report) -> Table:
    table = Table(*wording.columns(), box=None, pad_edge=False)
    targets = {each.measure: each for each in report.targets}
    for measure, figure in part.figures.items():
        table.add_row(*map(escape, figure_row(measure, figure, targets.get(measure))))
    if part.latency is not None:
        target = report.most_milliseconds
        value = wording.latency_value(part.latency.p50, part.latency.p95)
        met = wording.met(is_met=part.latency.p50 <= target)
        table.add_row(wording.LATENCY, value, "", str(part.latency.questions), wording.milliseconds(target), met)
    return table


def figure_row(measure: str, figure: FigureLine, target: TargetLine | None) -> tuple[str, ...]:
    """Name, figure, interval, on how much, target, met or missed; the last two "" without a target."""
    counts = f"{figure.right:g}/{figure.counted:g}"
    if figure.right != int(figure.right):
        counts = f"{figure.questions}"
    bound = f"{target.sign} {target.bound:.2f}" if target else ""
    met = wording.met(is_met=is_met(figure, target)) if target else ""
    interval = f"{figure.low:.3f} to {figure.high:.3f}"
    return wording.measure_name(measure), f"{figure.value:.3f}", interval, counts, bound, met


def is_met(figure: FigureLine, target: TargetLine) -> bool:
    return figure.value >= target.bound if target.sign == ">=" else figure.value <= target.bound


def _print_parts(part: SplitReport, console: Console) -> None:
    """The measures, the corpora beside each other."""
    if len(part.by_corpus) < 2:
        return
    table = Table(wording.BY_CORPUS, *part.by_corpus, box=None, pad_edge=False)
    for measure in part.figures:
        values = [corpus.get(measure) for corpus in part.by_corpus.values()]
        if any(values):
            table.add_row(wording.measure_name(measure), *(f"{each.value:.3f}" if each else "" for each in values))
    console.print()
    console.print(table)


def _print_tags(part: SplitReport, console: Console) -> None:
    """The tags with most questions, with intervals; the JSON report and the page have all."""
    measures = [each for each in BY_TAG if any(each in figures for figures in part.by_tag.values())][:3]
    if not measures:
        return
    table = Table(wording.BY_TAG, *map(wording.measure_name, measures), box=None, pad_edge=False)
    for tag, figures in list(part.by_tag.items())[:_TAGS_SHOWN]:
        table.add_row(escape(tag), *(_with_interval(figures.get(each)) for each in measures))
    console.print()
    console.print(table)
    if len(part.by_tag) > _TAGS_SHOWN:
        console.print(wording.more_tags(len(part.by_tag) - _TAGS_SHOWN), markup=False)


def _with_interval(figure: FigureLine | None) -> str:
    return f"{figure.value:.2f}  {figure.low:.2f} to {figure.high:.2f}" if figure else ""


def _print_failures(split: str, part: SplitReport, failed: list[QuestionLine], console: Console, most: int) -> None:
    console.print()
    console.print(wording.failures_title(split, sum(part.diagnoses.values())), markup=False)
    for code, count in part.diagnoses.items():
        console.print(f"  {count:>4}  {code}: {wording.diagnosis(code)}", markup=False)
    if split == TEST and not failed:
        console.print(wording.TEST_HIDDEN, markup=False)
    for each in failed[:most]:
        console.print("  " + _failure(each), markup=False)
    if len(failed) > most:
        console.print(wording.more_failures(len(failed) - most), markup=False)


def _failure(line: QuestionLine) -> str:
    expected = wording.outcome(line.expected_kind, line.expected_verdict)
    return wording.failure(
        line.id, line.question[:160], line.diagnosis or "", expected, wording.outcome(line.kind, line.verdict)
    )
