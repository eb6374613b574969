"""The content words of a question."""

import pytest

from rag_core.understanding.terms import blank_out, terms_of


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("can I advertise kites", ["kites"]),
        ("kites and darts and Kites", ["kites", "darts"]),
        ("payday loan ads", ["payday loan"]),
        ("pay-day", ["pay-day"]),
        ("sports betting odds", ["sports betting", "odds"]),
        ("before and after photos", ["before and after", "photos"]),
        ("before/after photos", ["before/after", "photos"]),
        ("alcohol-free beer", ["alcohol-free", "beer"]),
        ("beer-can chicken", ["beer-can", "chicken"]),
        ("non-alcohol", ["non-alcohol"]),
        ("tinder-like app", ["tinder"]),
        ("tinder-free app", ["tinder-free"]),
        ("something like kites", ["kites"]),
        ("alcohol, free kites", ["alcohol", "free", "kites"]),
        ("payday, loan", ["payday", "loan"]),
        ("pets|kites", ["pets", "kites"]),
        ("", []),
        ("what are the rules?", []),
    ],
)
def test_phrases_first_then_words_that_are_no_filler(text: str, found: list[str]) -> None:
    assert [term.text for term in terms_of(text)] == found


def test_a_term_brings_its_other_words_and_what_is_wider() -> None:
    (term,) = terms_of("Casinos")
    assert term.text == "Casinos"
    assert "gambling" in term.broader
    assert term.wordings[0] == "Casinos"
    (plain,) = terms_of("kites")
    assert plain.wordings == ("kites",)


def test_what_is_blanked_out_ends_a_phrase_and_moves_nothing() -> None:
    text = "payday in March loan"
    blanked = blank_out(text, [(7, 15)])
    assert blanked == "payday |||||||| loan"
    assert [term.text for term in terms_of(blanked)] == ["payday", "loan"]


def test_a_misspelt_word_brings_what_was_meant_and_stays_as_typed() -> None:
    (term,) = terms_of("tabacco")
    assert term.text == "tabacco"
    assert {"tobacco", "smoking"} <= set(term.synonyms)
    assert [each.text for each in terms_of("river blanks, mineral water")] == ["river", "blanks", "mineral", "water"]
    assert all(each.wordings == (each.text,) for each in terms_of("river blanks, mineral water"))


def test_a_bank_is_of_finance_unless_another_word_makes_another_thing_of_it() -> None:
    assert "financial" in terms_of("bank")[0].broader
    assert [(each.text, each.broader) for each in terms_of("power banks, food bank")] == [
        ("power banks", ()),
        ("food bank", ()),
    ]


@pytest.mark.parametrize("text", ["lottery tickets", "lotery tickets", "lottry ticket"])
def test_a_misspelt_word_does_not_break_a_phrase(text: str) -> None:
    """Else the tickets would be of concerts."""
    (term,) = terms_of(text)
    assert "gambling" in term.broader
