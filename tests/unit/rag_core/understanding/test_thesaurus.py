"""The trade's words: what people type into the words that policies use."""

import pytest

from rag_core.understanding.thesaurus import Entry, corrected, entry_of, longest_phrase, stems_of_phrase


def look_up(phrase: str) -> Entry:
    entry = entry_of(stems_of_phrase(phrase))
    assert entry is not None
    return entry


@pytest.mark.parametrize(("phrase", "synonym"), [("booze", "alcohol"), ("meds", "medicine"), ("rx", "prescription")])
def test_words_for_the_same_thing_know_each_other(phrase: str, synonym: str) -> None:
    assert synonym in look_up(phrase).synonyms
    assert phrase in look_up(synonym).synonyms


@pytest.mark.parametrize(("narrow", "wide"), [("poker", "gambling"), ("mortgage", "loan"), ("pistol", "weapon")])
def test_a_wide_thing_covers_the_narrow_one_and_never_the_other_way_round(narrow: str, wide: str) -> None:
    found = look_up(narrow)
    assert wide in found.broader
    assert narrow not in look_up(wide).synonyms
    assert narrow not in look_up(wide).broader


@pytest.mark.parametrize(("one", "other"), [("whisky", "wine"), ("vaccine", "aspirin"), ("bitcoin", "nft")])
def test_kinds_of_one_thing_are_not_the_same(one: str, other: str) -> None:
    found = look_up(one)
    assert other not in (*found.synonyms, *found.broader)


def test_what_is_wider_brings_its_other_names() -> None:
    assert {"betting", "wagering"} <= set(look_up("roulette").broader)


def test_a_phrase_is_not_its_own_synonym_and_hyphens_make_no_difference() -> None:
    assert stems_of_phrase("e-cigarette") == stems_of_phrase("e cigarettes")
    assert all(stems_of_phrase(each) != stems_of_phrase("vape") for each in look_up("vape").synonyms)


@pytest.mark.parametrize("phrase", ["kite", "alcohol beer", ""])
def test_other_words_are_no_phrase_of_the_trade(phrase: str) -> None:
    assert entry_of(stems_of_phrase(phrase)) is None


def test_no_phrase_is_longer_than_the_longest() -> None:
    assert len(stems_of_phrase("years of age")) <= longest_phrase() <= 5


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("tabacco", "tobacco"), ("alchohol", "alcohol"), ("gamblign", "gambling"), ("vacine", "vaccine")],
)
def test_a_misspelt_word_of_the_trade_is_recognised(typed: str, meant: str) -> None:
    assert (corrected(typed),) == stems_of_phrase(meant)


@pytest.mark.parametrize(
    "word",
    "mineral positions population power sensitive additives larger stroke appear piston meditation tobacco kites rum"
    " explore scores lasers candles peppers filters exotic novice sharks biking reptiles watering contexts".split(),
)
def test_a_right_word_is_not_taken_for_a_misspelt_one(word: str) -> None:
    assert corrected(word) is None


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("pay day loans", "payday loan"), ("pics", "photos"), ("vids", "videos"), ("zip codes", "postal code"),
        ("quit smoking", "smoking cessation"), ("physical casino", "bricks-and-mortar casino"),
        ("charity raffle", "charity lottery"), ("footballers", "athletes"), ("hospital", "doctor"),
    ],
)  # fmt: skip
def test_what_people_type_is_what_policies_call_it(typed: str, meant: str) -> None:
    entry = entry_of(stems_of_phrase(typed))
    assert entry is not None
    assert meant in entry.synonyms


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [("rakija", "alcohol"), ("tax advisor", None), ("bank", "financial"), ("bacon", "pork"), ("fintech", "financial")],
)
def test_kinds_are_under_the_wider_thing(narrow: str, wide: str | None) -> None:
    entry = entry_of(stems_of_phrase(narrow))
    assert entry is not None
    assert (wide in entry.broader) if wide else not entry.broader


def test_an_energy_drink_is_no_alcoholic_beverage() -> None:
    entry = entry_of(stems_of_phrase("energy drink"))
    assert entry is not None
    assert "beverage" not in (*entry.synonyms, *entry.broader)
