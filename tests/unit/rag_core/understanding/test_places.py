"""Places beyond the names of countries: cities, groups, misspelt names."""

import pytest

from rag_core.place_names import GROUPS, cities, need_a_capital
from rag_core.questions import NoteKind
from rag_core.regions import display_name, find_regions, known_names, normalise, spoken_name
from rag_core.understanding.places import find_places, meant_places


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("beer in Munich", ["de"]),
        ("beer in münchen", ["de"]),
        ("casino los angeles", ["us-ca"]),
        ("lottery in Vientiane", ["la"]),
        ("loans in port moresby", ["pg"]),
        ("rum, Port-au-Prince", ["ht"]),
        ("vodka in Mexico City", ["mx"]),
        ("Paris, Texas", ["us-tx"]),
        ("Munich, Germany", ["de"]),
        ("Los Angeles, US", ["us-ca"]),
        ("London, Ontario", ["ca-on"]),
        ("nice ads in nice", []),
        ("ads in Nice", ["fr"]),
        ("cologne ads", []),
        ("ads in Cologne", ["de"]),
        ("THE PHOENIX AWARD", []),
        ("global rules", []),
        ("DACH", ["de", "at", "ch"]),
        ("the benelux countries", ["be", "nl", "lu"]),
        ("scandinavian lottery", ["dk", "no", "se"]),
    ],
)
def test_cities_and_groups(text: str, codes: list[str]) -> None:
    assert [code for mention in find_places(text) for code in mention.codes] == codes


def test_what_is_a_country_by_name_gets_no_note() -> None:
    text = "beer in Germany, Munich and the Nordics"
    notes = [mention.note(text) for mention in find_places(text)]
    assert [note and (note.kind, note.said) for note in notes] == [
        None,
        (NoteKind.CITY, "Munich"),
        (NoteKind.PLACE_GROUP, "Nordics"),
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("germny lottery", "de"),
        ("ads in Frnace", "fr"),
        ("irland ok?", "ie"),
        ("swizterland", "ch"),
        ("Phillipines", "ph"),
        ("calfornia", "us-ca"),
        ("bulgerian vodka", "bg"),
        ("in itlay", "it"),
        ("barcellona", "es"),
    ],
)
def test_a_misspelt_place_is_taken_where_one_alone_can_be_meant(text: str, code: str) -> None:
    (mention,) = find_places(text)
    assert (mention.codes, mention.kind) == ((code,), NoteKind.MISSPELT_PLACE)


@pytest.mark.parametrize(("word", "codes"), [("austrlia", ("at", "au")), ("slovania", ("si", "sk"))])
def test_between_two_countries_nothing_is_guessed(word: str, codes: tuple[str, ...]) -> None:
    assert meant_places(word) == codes
    (mention,) = find_places(f"ads in {word}")
    assert mention.kind is NoteKind.UNCLEAR_PLACE


@pytest.mark.parametrize(
    "word",
    "marine finish island inland changing hardware spinach brands betting indians allowd tabacco italy".split(),
)
def test_other_words_are_no_misspelt_place(word: str) -> None:
    assert word in known_names() or meant_places(word) == ()


def test_every_city_and_group_has_codes_that_exist() -> None:
    codes = {*cities().values(), *(code for members in GROUPS.values() for code in members)}
    assert {normalise(code) for code in codes} == codes
    assert need_a_capital() <= cities().keys()
    assert not cities().keys() & known_names().keys()


def test_a_spoken_name_is_read_back() -> None:
    for code in sorted({*known_names().values(), *cities().values()} - {"global"}):
        assert [each.code for each in find_regions(f"beer in {spoken_name(code)}?")] == [code], display_name(code)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("online casino paris?", [("fr",)]),
        ("wine in paris ok", [("fr",)]),
        ("paris perfume ads", []),
        ("ads for cologne", []),
        ("this is nice", []),
        ("lingerie in Bishkek", [("kg",)]),
    ],
)
def test_a_city_in_small_letters_counts_where_a_place_stands(text: str, codes: list[tuple[str, ...]]) -> None:
    assert [each.codes for each in find_places(text)] == codes
