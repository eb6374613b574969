"""Which words of a question a text covers."""

import pytest

from rag_core.questions import QueryTerm
from rag_core.understanding.terms import covered, covers, stem_line
from tests.fakes.rules import words


@pytest.mark.parametrize(
    ("text", "asked", "found"),
    [
        ("Ads for kites", "kite", True),
        ("Ads for booze", "alcohol", True),
        ("Ads for alcohol", "beer", True),
        ("Ads for beer", "alcohol", False),
        ("Ads for wine", "beer", False),
        ("Kite-flying", "kite", True),
        ("Kitesurfing", "kite", False),
        ("Payday loans", "payday loan", True),
        ("Loans before payday", "payday", True),
    ],
)
def test_stems_phrases_and_wider_things_cover(text: str, asked: str, found: bool) -> None:
    assert covers(text, words(asked)[0]) is found


def test_what_is_covered_keeps_the_order_of_the_question() -> None:
    asked = words("darts kites drones")
    assert [term.text for term in covered("kites and darts", asked)] == ["darts", "kites"]


def test_a_term_without_letters_covers_nothing() -> None:
    assert not covers("Ads for kites", QueryTerm("!"))
    assert stem_line("") == "  "


@pytest.mark.parametrize(
    ("text", "asked"), [("risk-free loans", "free"), ("alcohol-free beer", "alcohol"), ("a non-vegan kite", "vegan")]
)
def test_a_word_that_denies_a_part_of_itself_does_not_speak_of_it(text: str, asked: str) -> None:
    assert not covers(text, QueryTerm(asked))
