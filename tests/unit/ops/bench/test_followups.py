"""Completed follow-ups against the questions that people made of them, on conversations of our own."""

import json
from pathlib import Path

import pytest

from ops.bench.rewrites import DOMAINS, Task, completed, f1, scores_of, tasks_of

ASKED = ("can I advertise alcohol in the UK", "and in France?")


def written(folder: Path, rewritten: str) -> Path:
    texts = {
        "questions": "\n|user|: ".join(["", *ASKED]),
        "lastturn": f"|user|: {ASKED[-1]}",
        "rewrite": f"|user|: {rewritten}",
    }
    for domain in DOMAINS:
        (folder / domain).mkdir(parents=True)
        for kind, text in texts.items():
            line = json.dumps({"_id": "one<::>2", "text": text})
            (folder / domain / f"{domain}_{kind}.jsonl").write_text(f"{line}\n", encoding="utf-8")
    return folder


def test_only_follow_ups_that_a_person_changed_count(tmp_path: Path) -> None:
    tasks = list(tasks_of(written(tmp_path / "a", "Is alcohol allowed in France?")))
    assert tasks == [Task(domain, ASKED, "Is alcohol allowed in France?") for domain in DOMAINS]
    assert list(tasks_of(written(tmp_path / "b", ASKED[-1]))) == []


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("beer in France", "France: beer", 1.0), ("beer", "wine", 0.0), ("red beer", "beer", 2 / 3), ("the", "a", 0.0)],
)
def test_f1_counts_content_words_once(one: str, other: str, expected: float) -> None:
    assert f1(one, other) == pytest.approx(expected)


def test_ours_is_compared_with_the_last_question_and_the_last_two() -> None:
    scores = scores_of([Task("own", ASKED, "advertise alcohol France")])
    assert completed(ASKED) == "Can I advertise alcohol in France?"
    assert (scores.count, scores.changed, scores.ours) == (1, 1, 1.0)
    assert scores.last == pytest.approx(0.5)
    assert scores.last_two == pytest.approx(6 / 7)
