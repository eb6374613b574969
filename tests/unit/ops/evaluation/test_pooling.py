"""Sections beside the gold that people judged, and the list of those that nobody judged yet."""

import json
from datetime import date
from pathlib import Path

import pytest

from ops.cli import parse
from ops.config import Config
from ops.evaluation.command import evaluate
from ops.evaluation.judging import Judged, unjudged_lines, write_unjudged
from ops.evaluation.matching import Pool, read_pool
from ops.evaluation.measures import ANSWERS, Share
from ops.evaluation.observed import Observed
from ops.evaluation.results import split_report
from rag_core.answers import Verdict
from rag_core.errors import Misconfigured, Rejected
from tests.fakes.gold import PATH, TODAY, answer, cited, gold

GENERAL, SPIRITS = "Alcohol > General rules", "Alcohol > Spirits"
ROW = {"id": "q-1", "document_id": "acme_alcohol", "section": GENERAL, "supports": True}
REPLY = answer(
    Verdict.PROHIBITED,
    cited(),
    cited(GENERAL, "Be sober.", regions=("global",)),
    cited(SPIRITS, "Gin too.", regions=("global",)),
)


def pool(folder: Path, *rows: dict[str, object]) -> Path:
    path = folder / "cited_sections.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


def judged(observed: Observed, given: Pool, *tags: str, **expected: object) -> Judged:
    return Judged(gold(*tags, **expected), observed, TODAY, given)


def supports(case: Judged) -> Share | None:
    return ANSWERS["citation_supports"](case)


def test_a_section_that_people_judged_supports_as_the_gold_does(tmp_path: Path) -> None:
    """Gold, judged as supporting, judged as not: two of three; against the gold alone, one."""
    read = read_pool(pool(tmp_path, ROW, {**ROW, "section": SPIRITS, "supports": False, "note": "another drink"}))
    case = judged(REPLY, read)
    assert case.supports == (True, True, False)
    assert supports(case) == Share(2, 3)
    assert ANSWERS["citation_precision"](case) == Share(1, 3)
    assert split_report([case], [], ANSWERS).unjudged == 0


def test_what_nobody_judged_counts_as_wrong_and_is_counted() -> None:
    case = judged(REPLY, Pool())
    assert case.supports == (True, None, None)
    assert supports(case) == Share(1, 3)
    assert split_report([case, case], [], ANSWERS).unjudged == 4


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"regions": ("us",)}, "another place"),
        ({"effective_to": date(2026, 1, 1)}, "not in force any more"),
        ({"document_id": "acme_food", "policy_source": "other", "effective_from": date(2026, 7, 1)}, "not yet"),
    ],
)
def test_a_rule_of_another_place_or_day_supports_nothing(tmp_path: Path, wrong: dict[str, object], why: str) -> None:
    read = read_pool(pool(tmp_path, ROW, {**ROW, "document_id": "acme_food"}))
    case = judged(answer(Verdict.PROHIBITED, cited(GENERAL, "Be sober.", **wrong)), read)
    assert case.supports == (False,), why


def test_the_version_that_gold_names_is_that_of_its_own_document(tmp_path: Path) -> None:
    read = read_pool(pool(tmp_path, {**ROW, "document_id": "acme_food"}))
    beside = cited(GENERAL, "Be sober.", document_id="acme_food", policy_source="other", regions=("global",))
    case = judged(answer(Verdict.PROHIBITED, beside), read, "as-of", version_day="2026-03-01")
    assert case.supports == (True,)


def test_a_judgement_is_of_one_question_and_document(tmp_path: Path) -> None:
    read = read_pool(pool(tmp_path, ROW))
    assert read.says("q-1", "acme_alcohol", f"**{GENERAL.upper()}**") is True
    assert read.says("q-2", "acme_alcohol", GENERAL) is None
    assert read.says("q-1", "acme_food", GENERAL) is None


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({**ROW, "supports": None}, "supports"),
        ({**ROW, "quote": "Be sober."}, "quote"),
        ({**ROW, "supports": False}, "another line says otherwise"),
    ],
)
def test_a_mistake_in_the_judgements_is_told_with_its_line(
    tmp_path: Path, row: dict[str, object], problem: str
) -> None:
    with pytest.raises(Rejected, match="dataset_malformed") as caught:
        read_pool(pool(tmp_path, ROW, row))
    assert caught.value.details["line"] == 2
    assert problem in str(caught.value.details["problem"])


def test_what_to_judge_shows_the_question_and_the_quote_but_not_the_gold() -> None:
    lines = unjudged_lines([judged(REPLY, Pool(), "follow-up", must_mention=["sober"])])
    assert [json.loads(each) for each in lines] == [
        {
            "id": "q-1", "document_id": "acme_alcohol", "section": section, "supports": None,
            "question": "beer in france?", "history": ["wine in Spain?"], "as_of": None, "regions": ["global"],
            "quote": quote,
        }
        for section, quote in ((GENERAL, "Be sober."), (SPIRITS, "Gin too."))
    ]  # fmt: skip


def test_only_answers_to_what_is_answerable_are_judged() -> None:
    gap = judged(answer(None, cited(GENERAL), not_stated=("beer",)), Pool(), kind="gap")
    assert unjudged_lines([gap, judged(Observed("refusal"), Pool())]) == []


def test_a_section_is_judged_once(tmp_path: Path) -> None:
    twice = answer(Verdict.PROHIBITED, cited(GENERAL, "Be sober."), cited(GENERAL, "Be old."))
    path = tmp_path / "deeper" / "unjudged.jsonl"
    assert write_unjudged([judged(twice, Pool())], path) == len(path.read_text().splitlines()) == 1
    with pytest.raises(Misconfigured, match="evaluation_report_unwritable"):
        write_unjudged([], tmp_path)


async def test_the_command_takes_judgements_and_writes_what_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bot that cites only gold leaves nothing to judge."""
    path, judgements = tmp_path / "unjudged.jsonl", pool(tmp_path, {**ROW, "section": PATH})
    given = ["evaluate", "--bot", "mock", "--tags", "broad", "--unjudged", str(path), "--judged", str(judgements)]
    assert await evaluate(parse(given), Config()) == 0
    assert path.read_text() == ""
    assert f"0 citations to judge are in {path}" in capsys.readouterr().err
    with pytest.raises(Misconfigured, match="dataset_unreadable"):
        await evaluate(parse([*given[:-1], str(tmp_path / "none.jsonl")]), Config())


def test_the_projects_own_judgements_can_be_read() -> None:
    path = Path(__file__).resolve().parents[3] / "golden" / "cited_sections.jsonl"
    assert not path.exists() or read_pool(path).judgements
