"""What lenience gains and costs: one row for each, asked anew; and only of the bot whose setting it is."""

import json
from pathlib import Path

import pytest

from ops.cli import parse
from ops.config import Config
from ops.evaluation.command import evaluate
from ops.evaluation.curve import LENIENCES
from rag_core.errors import Rejected
from tests.fakes.corpora import evaluation_cache

NARROWER = {
    "id": "q-1",
    "corpus": "sample",
    "split": "dev",
    "question": "can I advertise handmade cigarettes in France?",
    "expected": {"kind": "answer", "verdict": "prohibited", "document_ids": ["sample"], "sections": ["Rule"]},
}
GAP = {
    "id": "q-2",
    "corpus": "sample",
    "split": "dev",
    "question": "can I advertise cigarette lighters in France?",
    "expected": {"kind": "gap"},
}


def curve(folder: Path, *arguments: str) -> list[str]:
    questions = folder / "gold.jsonl"
    questions.write_text(f"{json.dumps(NARROWER)}\n{json.dumps(GAP)}\n", encoding="utf-8")
    cache = ("--cache", str(evaluation_cache()))
    return ["evaluate", "--curve", "--dataset", str(questions), *cache, "--today", "2026-06-01", *arguments]


async def test_each_lenience_has_its_row_and_the_one_that_is_set_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert await evaluate(parse(curve(tmp_path)), Config(lenience=0.8)) == 0
    said = capsys.readouterr().out
    rows = [line.split() for line in said.splitlines() if line.strip()[:1].isdigit()]
    assert [float(row[0]) for row in rows] == sorted({*LENIENCES, 0.8})
    assert [row[0] for row in rows if row[1:3] == ["(as", "set)"]] == ["0.8"]
    handled, _, withheld, right, too_permissive, _ = zip(*(map(float, row[-6:]) for row in rows), strict=True)
    assert (withheld[0], withheld[-1]) == (1.0, 0.0), "every word, or hardly any"
    assert right == tuple(1 - each for each in withheld)
    assert (handled[0], handled[-1]) == (1.0, 0.0), "what it costs"
    assert set(too_permissive) == {0.0}


async def test_another_bots_lenience_is_not_ours_to_set(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match="curve_needs_embedded"):
        await evaluate(parse(curve(tmp_path, "--bot", "mock")), Config())
