"""Signals of what can be answered, on cases made for them; the reader of SQuAD's layout; and the whole table."""

import json
from pathlib import Path

import numpy as np
import pytest

from ops.evaluation import squad
from ops.evaluation.answerability import SIGNALS, Case, Rarity
from ops.evaluation.squad import squad_cases
from ops.evaluation.thresholds import Table, tell
from ops.wording_evaluation import thresholds_text
from rag_core.errors import Misconfigured, Rejected
from rag_core.retrieval.found import Found
from tests.fakes.rules import passage, question

KITES = passage("Ads for kites need a licence from the year 2024. Ads for darts may run.", "Toys")
HATS = passage("Hats are worn by Mary in Paris.", "Clothes")


def case(text: str, *scores: tuple[float, float]) -> Case:
    found = [
        Found(each, score, cosine)
        for each, (score, cosine) in zip((KITES, HATS), scores or ((0.9, 0.6), (0.4, 0.2)), strict=True)
    ]
    return Case(question(text), None, found, Rarity([KITES, HATS]))


def signal(name: str, of: Case) -> float:
    return SIGNALS[name](of)


def test_similarity_and_margins_are_read_off_the_ranking() -> None:
    of = case("kites")
    assert signal("similarity", of) == 0.6
    assert signal("margin of similarity", of) == pytest.approx(0.4)
    assert signal("margin of scores", of) == pytest.approx(0.5)
    assert signal("similarity of the first five", of) == pytest.approx(0.16)


def test_rare_words_count_more_and_a_sentence_has_fewer_than_a_passage() -> None:
    assert signal("rare words in a passage", case("kites darts")) == 1.0
    assert 0 < signal("rare words in a sentence", case("kites hats")) < 1
    assert signal("rare words in a sentence", case("kites darts")) < 1.0
    assert signal("rare words in a passage", case("zeppelins")) == 0.0
    rarity = Rarity([KITES, KITES, HATS])
    common, rare, unknown = (rarity.of(question(text).terms[0]) for text in ("kites", "hats", "zeppelins"))
    assert common < rare < unknown


def test_words_side_by_side_and_the_type_of_the_answer() -> None:
    assert signal("neighbouring words", case("ads for kites")) > signal("neighbouring words", case("kites ads from"))
    assert signal("answer type", case("in which year do kites need a licence, and when")) == 1.0
    assert signal("answer type", case("how many darts may run")) == 0.0
    assert signal("answer type", case("kites")) == 0.5


def test_what_the_judge_says_is_among_them() -> None:
    whole, half = case("kites licence"), case("kites licence zeppelins")
    assert signal("complete (judge)", whole) == 1.0
    assert signal("complete (judge)", half) == 0.0
    assert signal("words missing (judge)", whole) == 0.0 > signal("words missing (judge)", half)
    assert signal("coverage (judge)", whole) == 1.0 > signal("coverage (judge)", half) >= 0.5
    assert 0 < signal("own coverage (judge)", whole) <= 1.0


def write(folder: Path, text: str) -> Path:
    (folder / "dev.json").write_text(text, encoding="utf-8")
    return folder


async def test_questions_in_squads_layout_get_what_the_search_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked = [
        {"question": "Who flies kites?", "is_impossible": False},
        {"question": "Who eats kites?", "is_impossible": True},
        {"question": "Who sells hats?", "is_impossible": False},
    ]
    data = {
        "data": [
            {"title": "Kites_of_old", "paragraphs": [{"context": "Mary flies kites.", "qas": asked[:2]}]},
            {"title": "Hats", "paragraphs": [{"context": "John sells hats.", "qas": asked[2:]}]},
        ]
    }
    cases = await squad_cases(write(tmp_path, json.dumps(data)), every=1)
    assert [(each.case.question.text, each.answerable, each.group) for each in cases] == [
        ("Who flies kites?", True, 0),
        ("Who eats kites?", False, 0),
        ("Who sells hats?", True, 1),
    ]
    assert cases[2].case.found[0].passage.chunk.chunk_text == "John sells hats."
    assert cases[0].case.found[0].passage.chunk.policy_path == "Kites of old"
    assert squad.EVERY > 1


async def test_a_folder_without_it_and_another_layout_are_told(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="dataset_unreadable"):
        await squad_cases(tmp_path)
    for text in ("{", '{"data": [{"title": "a"}]}', "[]"):
        with pytest.raises(Rejected, match="dataset_malformed"):
            await squad_cases(write(tmp_path, text))


def test_the_table_names_every_signal_all_together_the_curve_and_the_judge() -> None:
    random = np.random.default_rng(5)
    good = np.arange(200) % 2 == 0
    columns = random.normal(0, 1, (200, len(SIGNALS)))
    columns[:, 0] += good * 3
    columns[:, list(SIGNALS).index("complete (judge)")] = good
    told = tell(Table(columns, good, tuple(number % 5 for number in range(200))))
    assert (told.questions, told.unanswerable, told.judge) == (200, 100, (0.0, 1.0))
    assert told.signals["similarity"][0] > 0.95
    assert told.signals["all together, held out"] == (1.0, 1.0)
    assert list(told.curve.values()) == sorted(told.curve.values())
    assert abs(told.weights["answer type"]) < told.weights["complete (judge)"]
    said = thresholds_text({"ours": told}, {"learnt on a, used on b": (0.5, 0.1)}, 0.05)
    assert all(name in said for name in SIGNALS)
    assert "ours: 200 questions, 100 of them" in said
    assert "learnt on a, used on b: AUC 0.500, found 0.100" in said
    assert "withholds a verdict from 0.0% of the answerable, 100.0% of the rest" in said
