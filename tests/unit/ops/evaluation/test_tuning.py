"""Weights of re-ranking: figures of them, a search for better ones, and the whole command on a small set."""

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from ops.cli import parse
from ops.config import Config
from ops.evaluation.command import evaluate
from ops.evaluation.tuning import (
    MOST_LOST,
    Noted,
    NotingRanking,
    Search,
    by_age,
    figures,
    foreign_collection,
    tune,
    tuned_on,
)
from rag_core.questions import Intent
from rag_core.retrieval.found import Found
from rag_core.retrieval.ranking import FUSION_ALONE, TUNED, Asked, RankWeights, rerank
from rag_core.understanding.terms import terms_of
from tests.fakes.corpora import evaluation_cache
from tests.fakes.rules import passage

ASKED = Asked("kites", terms_of("kites"), Intent.PERMISSION, None)
WRONG = Found(passage("Darts may run.", "Darts", document_id="acme_darts"), 0.6, 0.4)
RIGHT = Found(passage("Kites may run.", "Kites", document_id="acme_kites"), 0.5, 0.4)
LAST = Found(passage("Hats may run.", "Hats", document_id="acme_hats"), 0.1, 0.1)


def noted(*found: Found, right: Sequence[Found] = (RIGHT,)) -> Noted:
    ids = [each.passage.chunk.chunk_id for each in right]
    return Noted((Search(found, ASKED),), frozenset(ids), {id_: frozenset({"kites may"}) for id_ in ids})


HIDDEN = noted(WRONG, RIGHT, LAST)


def test_figures_are_those_of_the_order_that_the_weights_give() -> None:
    assert figures([HIDDEN], FUSION_ALONE) == pytest.approx(
        {"section@1": 0.0, "section@5": 1.0, "MRR": 0.5, "nDCG@10": 0.6309}, abs=1e-4
    )
    assert set(figures([HIDDEN], RankWeights(1.0, wording=1.0)).values()) == {1.0}
    assert figures([noted(WRONG, right=())], FUSION_ALONE)["nDCG@10"] == 0.0


def test_a_passage_that_several_searches_found_counts_once_with_its_best_score() -> None:
    twice = Noted((Search((WRONG, RIGHT), ASKED), Search((RIGHT,), ASKED)), HIDDEN.right, HIDDEN.anchors)
    assert figures([twice], FUSION_ALONE)["MRR"] == 0.5


def test_better_weights_are_found() -> None:
    best = tune([HIDDEN], None, FUSION_ALONE)
    assert figures([HIDDEN], best)["section@1"] == 1.0
    assert best.relevance < 1.0
    assert sum(getattr(best, name) for name in RankWeights.__slots__) == pytest.approx(1.0, abs=0.01)


def test_what_loses_too_much_elsewhere_is_no_gain() -> None:
    def elsewhere(weights: RankWeights) -> float:
        return 0.7 if weights == FUSION_ALONE else 0.7 - 2 * MOST_LOST

    assert tune([HIDDEN], elsewhere, FUSION_ALONE) == FUSION_ALONE
    assert tune([HIDDEN], lambda weights: 0.7 - MOST_LOST * (weights.wording > 0) / 2, FUSION_ALONE).wording > 0


def test_every_signal_that_counts_is_shown_left_out() -> None:
    tuned = tuned_on([HIDDEN], lambda weights: 0.5)
    names = set(tuned.figures)
    assert {"fusion alone", "published", "published, older is worse", "ours", "best found"} <= names
    assert "ours without wording" in names
    assert ("ours without adjacency" in names) == (TUNED.adjacency > 0)
    assert tuned.figures["ours"]["BEIR nDCG@10"] == 0.5


def test_age_halves_in_a_year() -> None:
    old = Found(passage("Kites.", effective_from=date(2025, 1, 1)), 0.5)
    new = Found(passage("Kites.", effective_from=date(2026, 1, 1)), 0.5)
    assert by_age([old, new], ASKED) == [0.5, 1.0]
    assert by_age([], ASKED) == []


async def test_what_is_noted_is_what_was_given_and_it_is_ranked_as_ever() -> None:
    ranking = NotingRanking()
    ranked = await ranking.rank([WRONG, RIGHT, LAST], ASKED)
    assert ranked.results == rerank([WRONG, RIGHT, LAST], ASKED)
    assert ranking.noted == [Search((WRONG, RIGHT, LAST), ASKED)]


def collection(folder: Path) -> Path:
    texts = {"1": "Kites fly in wind.", "2": "Wind turns mills.", "3": "Hats keep heads warm."}
    rows = [{"_id": id_, "title": "", "text": text} for id_, text in texts.items()]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "kites fly"}', encoding="utf-8")
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text("q\td\ts\nq\t1\t1\n", encoding="utf-8")
    return folder


async def test_a_foreign_collection_is_ordered_by_the_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    reached = await foreign_collection(collection(tmp_path))
    assert reached(FUSION_ALONE) == reached(TUNED) == 1.0


GOLD = {
    "id": "q-1",
    "corpus": "sample",
    "split": "dev",
    "question": "can I advertise cigarettes in France?",
    "expected": {"kind": "answer", "verdict": "prohibited", "document_ids": ["sample"], "sections": ["Rule"]},
}


async def test_the_commands_print_their_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    questions = tmp_path / "gold.jsonl"
    gap = {"id": "q-2", "question": "how large must the print on cigarettes be?", "expected": {"kind": "gap"}}
    lines = [GOLD, gap | {"corpus": "sample", "split": "dev"}]
    questions.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    common = ["evaluate", "--dataset", str(questions), "--cache", str(evaluation_cache())]
    assert await evaluate(parse([*common, "--tuning"]), Config()) == 0
    said = capsys.readouterr().out
    assert "Re-ranking on 1 questions:" in said
    assert "Best weights found: relevance" in said
