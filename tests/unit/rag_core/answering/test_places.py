"""Does a rule hold in the place asked about?"""

import pytest

from rag_core.answering.places import PlaceReading, Standing, is_closed_list, read_place, refers_to_list
from tests.fakes.rules import unit, whole_list

HOLDS, ELSEWHERE, LEFT_OUT, EXCEPTED = Standing.HOLDS, Standing.ELSEWHERE, Standing.LEFT_OUT, Standing.EXCEPTED
GLOBAL_, UK, BE, EU = ("global",), ("uk",), ("be",), ("eu",)
TABLE = "| Place | Kites |\n| --- | --- |\n"


def read(body: str, place: str | None, regions: tuple[str, ...] = GLOBAL_) -> PlaceReading:
    return read_place(unit(body, regions=regions), place)


@pytest.mark.parametrize(
    ("body", "regions", "place", "standing", "specificity"),
    [
        ("Ads for kites may run.", GLOBAL_, "uk", HOLDS, 0),
        ("Ads for kites may run.", UK, "uk", HOLDS, 2),
        ("Ads for kites may run.", EU, "be", HOLDS, 1),
        ("Ads for kites may run.", ("us",), "us-tx", HOLDS, 2),
        ("Ads for kites may run.", ("us-tx",), "us-tx", HOLDS, 3),
        ("In the UK ads for kites may run.", GLOBAL_, "uk", HOLDS, 2),
        ("In the European Union ads for kites are banned.", GLOBAL_, "be", HOLDS, 1),
        ("In the European Union ads for kites are banned.", GLOBAL_, "uk", ELSEWHERE, 0),
        ("In Belgium ads for kites may run.", GLOBAL_, "uk", ELSEWHERE, 0),
        ("In Texas ads for kites may run.", GLOBAL_, "us", ELSEWHERE, 0),
        ("Ads for kites may run.", BE, "uk", ELSEWHERE, 0),
        ("Ads for kites may run.", ("us-tx",), "us", ELSEWHERE, 0),
        ("Unlike Belgium, ads for kites may run.", UK, "uk", HOLDS, 2),
        ("Ads for kites may run only in France and Spain.", GLOBAL_, "uk", LEFT_OUT, 1),
        ("Ads for kites may run only in France and Spain.", GLOBAL_, "fr", HOLDS, 2),
        ("Ads for kites are limited to Peru.", GLOBAL_, "uk", LEFT_OUT, 1),
        ("Ads for kites may run everywhere except France.", GLOBAL_, "fr", EXCEPTED, 2),
        ("Ads for kites may run everywhere except France.", GLOBAL_, "uk", HOLDS, 0),
        ("Ads for kites are allowed, but not in France.", GLOBAL_, "fr", EXCEPTED, 2),
        ("Ads for kites are allowed. This does not apply to France.", GLOBAL_, "fr", EXCEPTED, 2),
        ("Ads for kites, including but not limited to France, are allowed.", GLOBAL_, "fr", HOLDS, 2),
        ("Except in the EU, ads for kites may run.", GLOBAL_, "be", EXCEPTED, 2),
        # as published texts write places: with a capital, and codes only where they are meant
        ("In turkey-shaped packages ads for kites may run.", GLOBAL_, "uk", HOLDS, 0),
        ("Ads for kites that polish furniture may run only for in-house IT teams.", GLOBAL_, "uk", HOLDS, 0),
        ("Ads for kites may run only in the Nordics.", GLOBAL_, "fi", HOLDS, 2),
        ("- Ads for kites\n  - Available markets: France, Spain", GLOBAL_, "uk", LEFT_OUT, 1),
        ("- Ads for kites\n  - Available markets: France, Spain", GLOBAL_, "fr", HOLDS, 2),
        ("Ads for kites may run only in the Nordics.", GLOBAL_, "uk", LEFT_OUT, 1),
    ],
)
def test_a_place_that_was_asked(
    body: str, regions: tuple[str, ...], place: str, standing: Standing, specificity: int
) -> None:
    found = read(body, place, regions)
    assert (found.standing, found.specificity) == (standing, specificity)


@pytest.mark.parametrize(
    ("body", "regions", "standing", "places"),
    [
        ("Ads for kites may run.", GLOBAL_, HOLDS, set()),
        ("Ads for kites may run.", BE, ELSEWHERE, {"be"}),
        ("In Belgium ads for kites may run.", GLOBAL_, ELSEWHERE, {"be"}),
        ("Ads for kites may run only in France.", GLOBAL_, HOLDS, {"fr"}),
    ],
)
def test_no_place_was_asked(body: str, regions: tuple[str, ...], standing: Standing, places: set[str]) -> None:
    found = read(body, None, regions)
    assert found.standing is standing
    assert found.places == places


@pytest.mark.parametrize(
    ("row", "place", "standing"),
    [
        ("| United Kingdom | yes |", "uk", HOLDS),
        ("| United Kingdom* | yes |", "uk", HOLDS),
        ("| Austria, Belgium | yes |", "be", HOLDS),
        ("| Belgium | yes |", "uk", ELSEWHERE),
        ("| Kites | yes |", "uk", HOLDS),
        ("| Kites | all but Peru | see Belgium |", "uk", ELSEWHERE),
        ("| Kites | yes | see Belgium |", "uk", HOLDS),
    ],
)
def test_a_row_is_about_the_places_of_its_first_cells(row: str, place: str, standing: Standing) -> None:
    assert read(TABLE + row, place).standing is standing


def test_a_row_excepts_nothing_by_itself() -> None:
    assert read(TABLE + "| All countries except Peru | yes |", "pe").standing is HOLDS


@pytest.mark.parametrize("lead", ["Ads for kites may run only in:", "Kites may run in the following countries:"])
def test_a_list_of_countries_is_closed_by_its_lead_in(lead: str) -> None:
    closed = whole_list(f"{lead}\n\n- France\n- Spain")
    assert is_closed_list(closed)
    assert read_place(closed, "fr").standing is HOLDS
    assert read_place(closed, "uk").standing is LEFT_OUT


def test_a_list_is_not_closed_by_a_word_in_an_item() -> None:
    assert not is_closed_list(whole_list("Mind the rules of each country:\n\n- France: only in the evening\n- Spain"))


def test_a_closed_list_of_things_is_none_of_places() -> None:
    assert not is_closed_list(unit("Ads for kites are limited to adults."))


@pytest.mark.parametrize(
    ("body", "refers"),
    [
        ("Ads for kites may run only in the countries listed below.", True),
        ("Kites are allowed only in the following markets.", True),
        ("Ads for kites may run only in the places of this table.", True),
        ("Ads for kites may run only in the countries listed: Peru.", False),
        ("Ads for kites may run.", False),
        ("- only in the countries listed below", False),
    ],
)
def test_a_sentence_that_refers_to_a_list_elsewhere(body: str, refers: bool) -> None:
    assert refers_to_list(unit(body)) is refers
