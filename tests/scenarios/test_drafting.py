"""Golden questions drafted, and answers graded, by the real packaged model: tiny, so that most of it is left out."""

import json
import re
from pathlib import Path

import pytest

from ops.cli import parse
from ops.config import Config
from ops.evaluation.command import GOLDEN, measured_report
from ops.evaluation.drafting import draft_questions
from ops.evaluation.matching import plain

pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: ops/test models installs it")

pytestmark = [pytest.mark.models, pytest.mark.timeout(900)]

PATIENT = Config(model="llama", model_seconds=120.0, model_window=2_048)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("evaluation"))


async def test_every_draft_has_an_anchor_of_its_passage(
    cache: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "drafts.jsonl"
    given = ["evaluate", "draft", "--corpus", "sample", "--count", "3", "--output", str(output), "--cache", cache]
    assert await draft_questions(parse(given), PATIENT) == 0
    drafts = output.read_text(encoding="utf-8").splitlines()
    left_out = [int(each) for each in re.findall(r"left out: (\d+)", capsys.readouterr().out)]
    assert len(drafts) + sum(left_out) == 3
    for line in drafts:
        draft = json.loads(line)
        (anchor,) = draft["expected"]["anchors"]
        assert plain(anchor) in plain(draft["passage"])
        assert plain(anchor) not in plain(draft["question"])


async def test_the_packaged_model_grades_answers(cache: str) -> None:
    given = ["evaluate", "--dataset", str(GOLDEN / "sample_questions.jsonl"), "--ids", "sample-001", "sample-002"]
    report = await measured_report(parse([*given, "--cache", cache, "--judge", "llama"]), Config(model_seconds=400.0))
    figures = report.splits["dev"].figures
    assert report.judge
    graded = figures["judge_correct"].questions if "judge_correct" in figures else 0
    assert graded + report.ungraded == 2
    assert graded, "the grammar leaves it no other way than to grade"
