"""Which rules a reader reads first."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.answering.rule_reading import ranked
from rag_core.ports import Vector
from rag_core.rules.reader import Effect, KeptReading, RuleReading
from rag_core.rules.rule import Rule, rules_in
from tests.fakes.rules import passage, question, unit


def order(
    rules: list[Rule], asked: str, scores: dict[str, float] | None = None, vector: Vector | None = None
) -> list[str]:
    known = {each.passage.chunk.chunk_id: 0.5 for each in rules} | (scores or {})
    return [each.text for each, _ in ranked(rules, known, question(asked), vector)]


def like(rule: Rule, *vector: float) -> Rule:
    """The rule with a vector of its own."""
    reading = RuleReading(dict.fromkeys(Effect, 0.2), 0.0)
    return replace(rule, kept=KeptReading("fake-1", reading, vector=np.array(vector, dtype=np.float32)))


def test_nothing_found_is_nothing_ranked() -> None:
    assert ranked([], {}, question("kites"), None) == []


def test_the_rule_that_says_the_questions_words_goes_first() -> None:
    rules = rules_in(passage("Darts hit boards. Kites fly high. Tops spin round."))
    assert order(rules, "kites")[0] == "Kites fly high."


def test_a_rare_word_counts_more_than_one_that_all_rules_say() -> None:
    rules = rules_in(passage("Ads for darts are red. Ads for kites are blue. Ads are green."))
    assert order(rules, "ads kites")[0] == "Ads for kites are blue."


def test_words_of_the_headings_above_count() -> None:
    kites, darts = unit("They fly high.", "Kites"), unit("They hit boards.", "Darts")
    assert order([darts, kites], "kites") == ["They fly high.", "They hit boards."]


def test_the_passage_that_was_found_first_lends_its_rules_its_score() -> None:
    near, far = unit("Ads are green.", document_id="acme_near"), unit("Ads are blue.", document_id="acme_far")
    scores = {near.passage.chunk.chunk_id: 0.9, far.passage.chunk.chunk_id: 0.1}
    assert order([far, near], "ads", scores) == ["Ads are green.", "Ads are blue."]


def test_the_likeness_of_the_rule_itself_goes_before_that_of_its_passage() -> None:
    first, second = rules_in(passage("Ads are green. Ads are blue."))
    vector = np.array([1.0, 0.0], dtype=np.float32)
    assert order([like(first, 0.0, 1.0), like(second, 1.0, 0.0)], "ads", vector=vector)[0] == "Ads are blue."


@pytest.mark.parametrize("asked", ["kites", "zeppelins", "???"])
def test_equals_stay_in_the_order_of_the_text(asked: str) -> None:
    rules = rules_in(passage("Ads are green. Ads are green too. Ads are green again."))
    assert order(rules, asked) == [each.text for each in rules]


_BODIES = st.lists(st.sampled_from("ads kites darts fly hit red blue Peru".split()), min_size=3, max_size=8).map(
    lambda words: f"{' '.join(words)}."
)


@given(st.lists(_BODIES, min_size=1, max_size=6), st.lists(st.floats(0, 1), min_size=6, max_size=6), _BODIES)
def test_scores_lie_between_0_and_1_best_first_and_no_rule_is_lost(
    bodies: list[str], scores: list[float], asked: str
) -> None:
    rules = [unit(body, document_id=f"acme_{number}") for number, body in enumerate(bodies)]
    found = {rule.passage.chunk.chunk_id: score for rule, score in zip(rules, scores, strict=False)}
    told = ranked(rules, found, question(asked), None)
    assert all(0 <= score <= 1 + 1e-6 for _, score in told)
    assert all(before >= after - 1e-6 for (_, before), (_, after) in pairwise(told))
    assert sorted(rule.text for rule, _ in told) == sorted(rule.text for rule in rules)
    assert [rule.text for rule, _ in ranked(rules[::-1], found, question(asked), None)] == [
        rule.text for rule, _ in told
    ]
