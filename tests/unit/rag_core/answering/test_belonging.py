"""What stands behind a verdict: what decides it, and what changes for just this thing and place."""

import pytest

from rag_core.answering.belonging import NEARLY, beside, nearest, section_of
from rag_core.answering.statements import choose_rules
from rag_core.answering.verdicts import decide
from rag_core.answers import Verdict
from rag_core.documents import Passage
from rag_core.questions import Intent
from tests.fakes.rules import decision, evidence, passage

YES, NO, DEMAND = "Ads for kites are allowed.", "Ads for kites are not allowed.", "Ads for kites must carry a warning."


def conditions(text: str, place: str | None, *passages: Passage) -> list[str]:
    return [rule.unit.text for rule in decision(text, place, *passages).conditions]


def shown(text: str, place: str | None, *passages: Passage) -> list[str]:
    found = evidence(text, place, *passages)
    return [rule.unit.text for rule in choose_rules(found, decide(found), 5)]


def test_what_shares_words_with_the_question_is_no_condition_of_it() -> None:
    others = passage("Ads for kites of silk must show the price. Ads for balls must not show kites.", "Silk")
    assert shown("kites", None, passage(YES, "Kites"), others) == [YES]
    assert conditions("kites", None, passage(YES, "Kites"), others) == []


def test_a_demand_on_just_the_thing_is_a_condition_wherever_it_stands() -> None:
    found = decision("kites", None, passage(YES, "Kites"), passage(DEMAND, "Labels", document_id="acme_labels"))
    assert found.verdict is Verdict.RESTRICTED
    assert [rule.unit.text for rule in found.conditions] == [DEMAND]


def test_a_demand_on_something_wider_counts_in_the_same_document_only() -> None:
    beer = passage("Ads for alcohol may run if the buyer is an adult.", "Drinks")
    demand = "Ads for alcohol must carry a warning."
    assert demand in conditions("beer", None, beer, passage(demand, "Labels"))
    assert demand not in conditions("beer", None, beer, passage(demand, "Labels", document_id="acme_labels"))


def test_of_what_is_prohibited_only_the_section_itself_is_shown() -> None:
    below = passage("Ads for kites must show the price.", "Prices", document_id="acme_prices")
    assert shown("kites", None, passage(f"{NO} {DEMAND}", "Kites"), below) == [NO, DEMAND]


def test_the_places_own_rule_is_shown_where_a_general_one_decides() -> None:
    own = passage("In Peru paper kites must be red.", "Peru", ("pe",), document_id="acme_pe")
    assert own.chunk.chunk_text in shown("kites", "pe", passage(YES, "Kites"), own)


def test_a_condition_that_was_left_out_is_none_of_the_verdict() -> None:
    others = passage("Ads for kites of silk must show the price.", "Silk")
    found = decision("kites", None, passage(f"Ads for kites are restricted. {DEMAND}", "Kites"), others)
    assert [rule.unit.text for rule in found.conditions] == ["Ads for kites are restricted.", DEMAND]


def test_beside_a_rule_stands_what_is_of_its_section_or_below() -> None:
    found = evidence("kites", None, passage(f"{NO} Kites fly.", "Kites"), passage("Kites sing.", "Songs"))
    deciding = decide(found).deciding
    assert {rule.unit.text for rule in beside(found.rules, deciding)} == {NO, "Kites fly."}
    assert {section_of(rule) for rule in deciding} == {section_of(deciding[0])}


@pytest.mark.parametrize("count", [0, 1])
def test_without_a_verdict_the_nearest_are_shown_with_their_section(count: int) -> None:
    far = [passage(f"Paper {n}. " * 3 + "Kites fly.", f"Far {n}", document_id=f"acme_{n}") for n in range(9 * count)]
    near = passage("Kites are toys. They fly in the wind.", "Kites")
    found = evidence("kites", None, near, *far, intent=Intent.DEFINITION)
    rules = nearest(found.rules)
    assert rules[0].unit.text.startswith("Kites are toys.")
    best = max(rule.relevance for rule in rules)
    assert all(rule.relevance >= NEARLY * best or section_of(rule) == section_of(rules[0]) for rule in rules)
    assert len(rules) < len(found.rules) or not count
    assert nearest(()) == []


def test_who_asks_what_a_word_means_gets_no_verdict() -> None:
    found = evidence("kites", None, passage(NO, "Kites"))
    assert decide(found, Intent.PERMISSION).verdict is Verdict.PROHIBITED
    assert decide(found, Intent.DEFINITION).verdict is None
