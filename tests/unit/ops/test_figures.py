"""The table of figures: every row is there, measured or not, and `ops/docs/figures.md` has them all."""

import re
from datetime import date
from pathlib import Path

import pytest

from ops.bench.rewrites import Scores
from ops.cli import parse
from ops.commands.figures import Beside, measured_beside, print_figures, rows, table
from ops.config import Config
from ops.evaluation.report import TARGETS, FigureLine, LatencyLine, Report, SplitReport
from ops.wording import figures as wording

ROOT = Path(__file__).resolve().parents[3]
BESIDE = Beside(Scores(568, 0.601, 0.502, 0.64, 400), {"bm25": 0.69, "minmax": 0.7317, "re-ranked": 0.7261})


def figure(value: float) -> FigureLine:
    return FigureLine(value=value, low=value, high=value, right=value * 100, counted=100, questions=100)


def split(value: float, latency: float | None = 12.5) -> SplitReport:
    line = LatencyLine(p50=latency, p95=30, p99=40, questions=9) if latency is not None else None
    figures = dict.fromkeys(wording.MEASURES, figure(value))
    return SplitReport(questions=9, right=9, figures=figures, by_corpus={}, by_tag={}, diagnoses={}, latency=line)


def report(part: SplitReport) -> Report:
    return Report(
        made_on=date(2026, 6, 1), commit="abc", bot="embedded", today=date(2026, 6, 1), top_k=15, datasets=(),
        splits={"test": part}, targets=TARGETS, most_milliseconds=20, questions=(),
    )  # fmt: skip


def cells(line: str) -> list[str]:
    return [each.strip() for each in line.strip("|").split("|")]


def names_in(text: str) -> list[str]:
    return [cells(line)[0] for line in text.splitlines() if line.startswith("| ")][1:]


def every_name() -> list[str]:
    return [each.name for each in rows(report(split(1.0)), split(1.0), BESIDE, with_model=False)]


def test_every_promise_has_a_row_with_what_was_measured() -> None:
    part = split(0.925)
    shown = table(report(part), "test", part, BESIDE)
    by_name = {cells(line)[0]: cells(line) for line in shown.splitlines() if line.startswith("| ")}
    assert by_name["right section in the top 5"][1:] == [
        "at least 0.93", "0.925 (92.5 of 100)", "0.925 to 0.925", "missed",
    ]  # fmt: skip
    assert by_name['"allowed" where gold says prohibited'][1:3] == ["0 cases", "92.5 of 100"]
    assert by_name["citation recall"][-1] == "met"
    assert by_name["the same against gold sections only"][1::3] == ["", ""], "nothing is promised of it"
    assert by_name[wording.REWRITES_NAME][2].startswith("0.640 on 568; last turn alone 0.601")
    assert by_name[wording.SCIFACT_NAME][2:] == ["0.7317", "", "met"]
    assert by_name[wording.RERANKED_NAME][2:] == ["0.7261", "", "missed"], "more than .005 below the fusion"
    assert by_name[wording.LATENCY_NAME][2:] == ["12.5 ms (p95 30.0)", "", "met"]
    assert {each.measure for each in TARGETS} <= wording.MEASURES.keys()
    assert "2026-06-01, commit abc: the 9 questions of the part `test`" in shown
    assert (shown.splitlines()[0], shown.splitlines()[-1]) == (wording.BEGIN, wording.END)


def test_what_was_not_measured_is_said() -> None:
    part = split(1.0, latency=None).model_copy(update={"figures": {}})
    found = rows(report(part), part, Beside(), with_model=False)
    assert {each.measured for each in found} == {wording.NOT_MEASURED}
    assert {each.is_met for each in found} == {None}
    assert [each.name for each in found] == every_name()


def test_with_a_model_more_near_misses_are_promised() -> None:
    part = split(0.7)
    handled = {
        with_model: next(each for each in rows(report(part), part, BESIDE, with_model=with_model)
                         if each.name == wording.MEASURES["near_miss_handled"])
        for with_model in (False, True)
    }  # fmt: skip
    assert [(each.bound, each.is_met) for each in handled.values()] == [
        ("at least 0.6", True), ("at least 0.8", False),
    ]  # fmt: skip


async def test_one_command_prints_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["evaluate", "--bot", "mock", "--split", "test", "--table", "--data", str(tmp_path)]
    assert await print_figures(parse(given), Config()) == 0
    shown = capsys.readouterr().out
    assert names_in(shown) == every_name()
    assert "| right section in the top 5 | at least 0.93 | 1.000" in shown
    assert await measured_beside(tmp_path) == Beside()


def test_the_page_of_figures_has_every_row() -> None:
    page = (ROOT / "ops" / "docs" / "figures.md").read_text(encoding="utf-8")
    found = re.search(f"{wording.BEGIN}\n(.*?)\n{wording.END}", page, re.DOTALL)
    assert found is not None
    assert names_in(found[1]) == every_name()
