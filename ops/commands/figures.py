"""`python -m ops evaluate --table`: the promised figures, as the Markdown table of `ops/docs/figures.md`."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ops.bench.rewrites import Scores, scores_of, tasks_of
from ops.config import Config
from ops.evaluation.beir import measure_here, prepare
from ops.evaluation.command import measured_report
from ops.evaluation.report import FigureLine, Report, SplitReport
from ops.wording import figures as wording

_COUNTED = "allowed_though_prohibited"
_HANDLED, _HANDLED_WITH_MODEL = "near_miss_handled", 0.80
_LEAST_SCIFACT, _MOST_LOST = 0.725, 0.005
_DEFAULT_FUSION = "minmax"


@dataclass(frozen=True, slots=True)
class Row:
    """`bound` and `interval` are "" where there is none; `is_met`: None where nothing is promised or measured."""

    name: str
    bound: str
    measured: str
    interval: str = ""
    is_met: bool | None = None


@dataclass(frozen=True, slots=True)
class Beside:
    """What is measured on public data: completed follow-ups, and nDCG@10 by kind of ranking. None: no data."""

    follow_ups: Scores | None = None
    scifact: dict[str, float] | None = None


async def print_figures(args: argparse.Namespace, config: Config) -> int:
    """Always 0. Raises what evaluating and reading the collections raise."""
    report = await measured_report(args, config)
    beside = await measured_beside(args.data)
    for split, part in report.splits.items():
        print(table(report, split, part, beside, with_model=config.model != "none"))
    return 0


async def measured_beside(data: Path) -> Beside:
    """On the data sets that are below `data`. The first run embeds SciFact: some minutes."""
    conversations, collection = data / "mtrag" / "retrieval_tasks", data / "scifact"
    follow_ups = scores_of(list(tasks_of(conversations))) if conversations.is_dir() else None
    if not collection.is_dir():
        return Beside(follow_ups)
    figures = await measure_here(await prepare(collection))
    return Beside(follow_ups, {name: each["nDCG@10"] for name, each in figures.items()})


def table(report: Report, split: str, part: SplitReport, beside: Beside, *, with_model: bool = False) -> str:
    """The table between its markers, with the day and commit that it holds for."""
    made = wording.made(report.made_on, report.commit, split, part.questions, with_model=with_model)
    lines = [wording.cells(*wording.columns()), "|---|---|---|---|---|"]
    for row in rows(report, part, beside, with_model=with_model):
        met = "" if row.is_met is None else wording.met(is_met=row.is_met)
        lines.append(wording.cells(row.name, row.bound, row.measured, row.interval, met))
    return "\n".join([wording.BEGIN, made, "", *lines, wording.END])


def rows(report: Report, part: SplitReport, beside: Beside, *, with_model: bool) -> list[Row]:
    """Every promised figure, also those that were not measured."""
    targets = {each.measure: (each.sign, each.bound) for each in report.targets}
    if with_model:
        targets[_HANDLED] = (">=", _HANDLED_WITH_MODEL)
    found = [_of_measure(name, part.figures.get(name), targets.get(name)) for name in wording.MEASURES]
    return [*found, *_of_public_data(beside), _latency(report, part)]


def _of_measure(name: str, figure: FigureLine | None, target: tuple[str, float] | None) -> Row:
    title = wording.MEASURES[name]
    bound = wording.bound(*target, is_count=name == _COUNTED) if target else ""
    if figure is None:
        return Row(title, bound, wording.NOT_MEASURED)
    measured = wording.measured(figure.value, figure.right, figure.counted, is_count=name == _COUNTED)
    interval = f"{figure.low:.3f} to {figure.high:.3f}"
    return Row(title, bound, measured, interval, _is_met(figure.value, target))


def _is_met(value: float, target: tuple[str, float] | None) -> bool | None:
    if target is None:
        return None
    return value >= target[1] if target[0] == ">=" else value <= target[1]


def _of_public_data(beside: Beside) -> Sequence[Row]:
    scores, ranked = beside.follow_ups, beside.scifact or {}
    fused = ranked.get(_DEFAULT_FUSION)
    again = next((value for name, value in ranked.items() if "rank" in name), None)
    rewrites = wording.rewrites(scores.count, scores.ours, scores.last, scores.last_two) if scores else None
    lost = None if fused is None or again is None else again >= fused - _MOST_LOST
    return (
        Row(wording.REWRITES_NAME, wording.REPORTED, rewrites or wording.NOT_MEASURED),
        Row(
            wording.SCIFACT_NAME,
            wording.bound(">=", _LEAST_SCIFACT),
            f"{fused:.4f}" if fused is not None else wording.NOT_MEASURED,
            is_met=None if fused is None else fused >= _LEAST_SCIFACT,
        ),
        Row(
            wording.RERANKED_NAME,
            wording.loses_at_most(_MOST_LOST),
            f"{again:.4f}" if again is not None else wording.NOT_MEASURED,
            is_met=lost,
        ),
    )


def _latency(report: Report, part: SplitReport) -> Row:
    bound = wording.milliseconds(report.most_milliseconds)
    if part.latency is None:
        return Row(wording.LATENCY_NAME, bound, wording.NOT_MEASURED)
    measured = wording.latency(part.latency.p50, part.latency.p95)
    return Row(wording.LATENCY_NAME, bound, measured, is_met=part.latency.p50 <= report.most_milliseconds)
