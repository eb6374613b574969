"""The questions that are asked of written policies, and the figures of the replies."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ops.config import load_config
from ops.training.measuring import measure

GOLDEN = Path(__file__).parents[3] / "golden"
SETS = ("reading", "reading_2", "reading_3", "plain")


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name / "questions.jsonl").read_text(encoding="utf-8").splitlines()]


def words(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


@pytest.mark.parametrize("name", SETS)
def test_the_deciding_words_of_a_question_stand_in_its_document(name: str) -> None:
    texts = {path.name: words(path.read_text(encoding="utf-8")) for path in (GOLDEN / name / "documents").glob("*.md")}
    missing = [
        (line["id"], anchor)
        for line in lines(name)
        for anchor in line["expected"]["anchors"]
        if words(anchor) not in texts[line["document"]]
    ]
    assert missing == []


async def test_a_set_without_messages_is_measured(tmp_path: Path) -> None:
    folder = tmp_path / "kites"
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "kites.md").write_text("# Ads\n\n## Kites\n\nAds for kites are prohibited.\n")
    asked = {"verdict": "prohibited", "anchors": ["ads for kites are prohibited"]}
    line = {"id": "1", "question": "can we run ads for kites?", "document": "kites.md", "kind": "permission"}
    (folder / "questions.jsonl").write_text(json.dumps(line | {"expected": asked}) + "\n")
    told = await measure(load_config(), folder, tmp_path / "cache", date(2026, 6, 1))
    assert (told["questions"], told["verdict right"], told["deciding words cited"]) == (1.0, 1.0, 1.0)
    assert not any(name.endswith("turned away") for name in told)
