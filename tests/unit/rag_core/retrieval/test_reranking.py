"""Signals weighed against each other, and a model's opinion beside them."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from rag_core.deadlines import within
from rag_core.errors import Unavailable
from rag_core.questions import Intent
from rag_core.retrieval.found import Found
from rag_core.retrieval.ranking import FUSION_ALONE, PUBLISHED, TUNED, Asked, Ranking, RankWeights, rerank, weighed
from rag_core.understanding.terms import terms_of
from tests.fakes.rules import passage

ASKED = Asked("kites in the UK", terms_of("kites"), Intent.PERMISSION, "uk")


def found(name: str, score: float, *regions: str, cosine: float | None = None, number: str | None = None) -> Found:
    each = passage(name, "Rules", regions or ("global",), document_id=f"acme_{name[:5].lower().strip()}")
    return Found(replace(each, chunk=replace(each.chunk, rule_number=number)), score, cosine)


def names(results: Sequence[Found]) -> list[str]:
    return [each.passage.chunk.chunk_text for each in results]


TOYS = [
    found("Toys may run.", 0.8, cosine=0.5),
    found("Kites may run.", 0.75, cosine=0.5),
    found("Britain: kites may run.", 0.7, "uk", cosine=0.5),
    found("Hats.", 0.1, cosine=0.1),
]


def test_fusion_alone_changes_nothing() -> None:
    assert rerank(TOYS, ASKED, FUSION_ALONE) == TOYS


def test_the_tuned_weights_put_the_places_own_rule_on_it_first_and_keep_what_is_far_off_last() -> None:
    assert names(rerank(TOYS, ASKED, TUNED)) == [
        "Britain: kites may run.",
        "Kites may run.",
        "Toys may run.",
        "Hats.",
    ]


def test_scores_keep_the_range_that_fusion_gave_them() -> None:
    for weights in (PUBLISHED, TUNED):
        scores = [each.score for each in weighed(TOYS, ASKED, weights)]
        assert (max(scores), min(scores)) == pytest.approx((0.8, 0.1))
    assert [each.score for each in weighed(TOYS[:1], ASKED, TUNED)] == [0.8]
    assert weighed([], ASKED, TUNED) == []


def test_a_weight_of_zero_leaves_its_signal_out_and_size_does_not_matter() -> None:
    assert names(rerank(TOYS, ASKED, RankWeights(1.0, wording=0.0))) == names(TOYS)
    once, twice = RankWeights(1.0, wording=1.0), RankWeights(2.0, wording=2.0)
    assert names(rerank(TOYS, ASKED, once)) == names(rerank(TOYS, ASKED, twice)) != names(TOYS)


def test_a_step_can_be_replaced() -> None:
    steps: Any = {"relevance": lambda found, asked: [float(position) for position, _ in enumerate(found)]}
    assert names(rerank(TOYS, ASKED, FUSION_ALONE, steps)) == names(TOYS)[::-1]


def test_a_rule_asked_for_by_its_number_is_first() -> None:
    results = [found("Kites.", 0.9, number="4.1"), found("Darts.", 0.2, number="4.2"), found("Hats.", 0.1)]
    asked = replace(ASKED, rule_number="4.2")
    ranked = rerank(results, asked)
    assert names(ranked) == ["Darts.", "Kites.", "Hats."]
    assert ranked[0].score == 1.0
    assert names(rerank(results, replace(ASKED, rule_number="9"))) == names(rerank(results, ASKED))


class FakeReranker:
    """A model that likes hats, after `seconds`; or fails with `error`."""

    def __init__(self, seconds: float = 0.0, error: Exception | None = None) -> None:
        self.seconds = seconds
        self.error = error
        self.asked: list[tuple[str, int]] = []

    async def score(self, question: str, passages: Sequence[str]) -> list[float]:
        self.asked.append((question, len(passages)))
        await asyncio.sleep(self.seconds)
        if self.error is not None:
            raise self.error
        return [1.0 if "Hats" in each else 0.0 for each in passages]

    async def aclose(self) -> None:
        """Nothing is open."""


async def test_a_model_moves_what_it_likes_up() -> None:
    model = FakeReranker()
    ranked = await Ranking(model).rank(TOYS, ASKED)
    assert names(ranked.results)[0] == "Hats."
    assert ranked.degraded == ()
    assert model.asked == [("kites in the UK", 4)]
    assert all(0 <= each.score <= 1 for each in ranked.results)


async def test_a_model_that_fails_or_is_late_leaves_the_order_of_signals_and_that_is_said() -> None:
    plain = await Ranking().rank(TOYS, ASKED)
    for model, seconds in ((FakeReranker(error=Unavailable("reranker_failed")), 5.0), (FakeReranker(30.0), 0.02)):
        ranked = await Ranking(model, seconds=seconds).rank(TOYS, ASKED)
        assert names(ranked.results) == names(plain.results)
        assert ranked.degraded == ("reranker",)


async def test_a_slow_model_leaves_half_of_the_time_to_the_answer() -> None:
    started = asyncio.get_running_loop().time()
    async with within(0.4):
        ranked = await Ranking(FakeReranker(30.0)).rank(TOYS, ASKED)
    assert ranked.degraded == ("reranker",)
    assert asyncio.get_running_loop().time() - started < 0.4


async def test_one_passage_needs_no_model() -> None:
    model = FakeReranker()
    assert names((await Ranking(model).rank(TOYS[:1], ASKED)).results) == names(TOYS[:1])
    assert model.asked == []
