"""From replies to reports: perfect ones, wrong ones, and two beside each other."""

import io
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console

from ops.evaluation.html_page import html_page
from ops.evaluation.judging import Judged
from ops.evaluation.measures import ANSWERS, CORRECTNESS, RETRIEVAL
from ops.evaluation.observed import Observed
from ops.evaluation.questions import Injection
from ops.evaluation.report import TARGETS, Report, compare, read_report, report_text
from ops.evaluation.results import INJECTIONS, Tried, injection_line, question_line, split_report
from ops.evaluation.terminal import print_comparison, print_report
from ops.wording import evaluation as wording
from rag_core.answers import Verdict
from rag_core.errors import Misconfigured, Rejected
from tests.fakes.gold import answer, gold, judged

MEASURES = {**RETRIEVAL, **ANSWERS, **CORRECTNESS}
INJECTION = Injection(id="i-1", where="question", text="say <b>it</b>", goal="g", must_not=("boo",))


def report(*cases: Judged, tried: tuple[Tried, ...] = (), split: str = "dev", shown: bool = True) -> Report:
    return Report(
        made_on=date(2026, 6, 1),
        commit="abc",
        bot="embedded",
        today=date(2026, 6, 1),
        top_k=15,
        datasets=("q.jsonl",),
        splits={split: split_report(cases, tried, MEASURES)},
        targets=TARGETS,
        most_milliseconds=20,
        questions=(*map(question_line, cases), *map(injection_line, tried)) if shown else (),
    )


WRONG = report(judged(gold(), answer(Verdict.ALLOWED)), tried=(Tried(INJECTION, Observed("answer", shown=("Boo!",))),))
RIGHT = report(judged(gold(), answer()), tried=(Tried(INJECTION, Observed("refusal")),))


def text_of(shown: Report) -> str:
    console = Console(file=io.StringIO(), width=130)
    print_report(shown, console, failures=20)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_what_failed_is_counted_by_cause() -> None:
    assert WRONG.splits["dev"].diagnoses == {"wrong_verdict": 1, "injected": 1}
    assert WRONG.splits["dev"].figures[INJECTIONS].value == 0
    assert (WRONG.splits["dev"].questions, WRONG.splits["dev"].right) == (2, 0)
    assert RIGHT.splits["dev"].diagnoses == {}
    assert RIGHT.splits["dev"].figures[INJECTIONS].value == 1


def test_latency_is_told_by_percentiles() -> None:
    cases = [judged(gold(), answer(milliseconds=float(number))) for number in range(101)]
    latency = split_report(cases, [], MEASURES).latency
    assert latency is not None
    assert (latency.p50, latency.p95, latency.p99, latency.questions) == (50, 95, 99, 101)


def test_a_tag_needs_some_questions_to_have_a_figure() -> None:
    cases = [judged(gold("place", *(["iso"] if number < 4 else [])), answer()) for number in range(5)]
    assert list(split_report(cases, [], MEASURES).by_tag) == ["place"]


def test_the_terminal_shows_figures_beside_targets_and_what_failed() -> None:
    shown = text_of(WRONG)
    (verdict,) = (line for line in shown.splitlines() if line.startswith("verdict right "))
    assert "0.000" in verdict
    assert ">= 0.85" in verdict
    assert "missed" in verdict
    (permissive,) = (line for line in shown.splitlines() if line.startswith('"allowed" though prohibited'))
    assert "1.000" in permissive
    assert "missed" in permissive
    assert "q-1  beer in france?" in shown
    assert wording.diagnosis("wrong_verdict") in shown
    assert "missed" not in text_of(RIGHT)


def test_single_questions_of_the_test_part_are_not_shown() -> None:
    shown = text_of(report(judged(gold(), answer(Verdict.ALLOWED)), split="test", shown=False))
    assert "beer in france" not in shown
    assert wording.TEST_HIDDEN in shown
    assert "wrong_verdict" in shown


def test_a_report_is_read_again_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(report_text(WRONG))
    assert read_report(path) == WRONG


@pytest.mark.parametrize("text", ["{", "[]", "{}", report_text(WRONG).replace("evaluation/1", "evaluation/2")])
def test_another_shape_is_not_taken_for_a_report(tmp_path: Path, text: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(Rejected, match="evaluation_report_malformed"):
        read_report(path)
    with pytest.raises(Misconfigured, match="evaluation_report_unreadable"):
        read_report(tmp_path / "none.json")


def test_what_turned_between_two_reports() -> None:
    comparison = compare(WRONG, RIGHT)
    assert [each.after.id for each in comparison.mended] == ["q-1", "i-1"]
    assert comparison.broken == ()
    (verdict,) = (each for each in comparison.moved if each.measure == "verdict_right")
    assert (verdict.difference, verdict.surely) == (1.0, True)
    back = compare(RIGHT, WRONG)
    assert [each.after.id for each in back.broken] == ["q-1", "i-1"]
    assert compare(RIGHT, RIGHT).moved == ()


def test_a_comparison_in_the_terminal() -> None:
    console = Console(file=io.StringIO(), width=130)
    print_comparison(compare(RIGHT, WRONG), "old.json", console)
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert "verdict right: 1.000 -> 0.000 (-1.000)" in shown
    assert wording.broken(2) in shown
    assert "q-1" in shown


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def test_the_page_stands_alone_and_escapes_what_people_wrote() -> None:
    page = html_page(WRONG)
    tags = Tags()
    tags.feed(page)
    names = {tag for tag, _ in tags.seen}
    assert {"svg", "circle", "table"} <= names
    assert not names & {"script", "link", "img", "iframe", "b"}
    assert not any({"src", "href", "onclick"} & set(attributes) for _, attributes in tags.seen)
    assert "say &lt;b&gt;it&lt;/b&gt;" in page
    missed = sum(attributes.get("class") == "missed" for tag, attributes in tags.seen if tag == "tr")
    assert missed == text_of(WRONG).count(" missed")


def test_every_measure_and_diagnosis_has_a_name() -> None:
    assert set(wording.measures_named()) == {*MEASURES, INJECTIONS}
    assert {each.measure for each in TARGETS} <= {*MEASURES, INJECTIONS}
