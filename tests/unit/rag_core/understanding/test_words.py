"""Words and their stems."""

import pytest

from rag_core.understanding.words import is_filler, stem, stems_of, words_of


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Kites", "kite"),
        ("kite's", "kite"),
        ("kites’", "kite"),
        ("advertising", "advertis"),
        ("dating", "dating"),
        ("date", "date"),
        ("spirits", "spirits"),
        ("Spirits", "spirits"),
    ],
)
def test_stems(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_a_hyphenated_word_is_itself_and_its_parts() -> None:
    assert stems_of("Razor-kites fly") == ("razor-kit", "razor", "kite", "fli")


def test_words_know_where_they_stand() -> None:
    text = "Don't fly razor-kites_today!"
    found = words_of(text)
    assert [each.text for each in found] == ["Don't", "fly", "razor-kites", "today"]
    assert all(text[each.start : each.end] == each.text for each in found)
    assert found[1].stem == "fli"


@pytest.mark.parametrize(
    "word", ["the", "can't", "can’t", "advertise", "Advertised", "policies", "allowd", "advertize", "k", "restrictons"]
)
def test_words_of_asking_say_nothing_of_the_topic(word: str) -> None:
    assert is_filler(word)


@pytest.mark.parametrize(
    "word", ["kites", "beer", "18", "pot", "brandy", "creatine", "consent", "marker", "context", "poster"]
)
def test_other_words_do(word: str) -> None:
    assert not is_filler(word)


@pytest.mark.parametrize(
    ("one", "other"),
    [("adults", "adult"), ("capital", "capitalization"), ("accountant", "account"), ("accounting", "account")],
)
def test_words_that_only_look_alike_are_kept_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_influencers_are_no_influence() -> None:
    """A rule on people "under the influence" was shown to who asked about influencers."""
    assert stem("influencers") == stem("influencer") != stem("influence")
