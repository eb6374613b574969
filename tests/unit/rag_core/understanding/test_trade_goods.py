"""Kinds of goods are under the rules of what they are kinds of, and words that look alike are not."""

import pytest

from rag_core.understanding.terms import terms_of
from rag_core.understanding.thesaurus import entry_of, stems_of_phrase


@pytest.mark.parametrize(
    ("kind", "wide"),
    [
        ("single malt", "whisky"), ("pilsner", "beer"), ("chianti", "wine"), ("gin", "spirits"),
        ("flick knife", "weapon"), ("santoku", "kitchen knives"), ("firecrackers", "fireworks"),
        ("ibuprofen", "over-the-counter medicines"), ("wegovy", "prescription medicines"),
        ("nose job", "cosmetic surgery"), ("gecko", "reptiles"), ("goldfish", "fish"),
        ("personal loan", "loan"), ("stablecoin", "crypto-assets"), ("blind box", "loot box"),
        ("instant win", "lottery"), ("hookah", "tobacco"), ("ashtray", "tobacco accessories"),
    ],
)  # fmt: skip
def test_a_kind_is_under_its_category(kind: str, wide: str) -> None:
    entry = entry_of(stems_of_phrase(kind))
    assert entry is not None
    assert stems_of_phrase(wide) in {stems_of_phrase(each) for each in (*entry.broader, *entry.synonyms)}


@pytest.mark.parametrize(("one", "other"), [("quadcopter", "drone"), ("pay in 4", "bnpl"), ("icos", "token sale")])
def test_names_of_one_thing(one: str, other: str) -> None:
    entry = entry_of(stems_of_phrase(one))
    assert entry is not None
    assert stems_of_phrase(other) in {stems_of_phrase(each) for each in entry.synonyms}


@pytest.mark.parametrize("word", ["lighter", "mineral", "blanks", "options", "magnet"])
def test_everyday_words_stay_themselves(word: str) -> None:
    assert all(not term.broader and not term.synonyms for term in terms_of(word))
