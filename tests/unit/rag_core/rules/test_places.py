"""Does a rule hold in the place asked about?"""

import pytest

from rag_core.rules.places import PlaceReading, Standing, is_closed_list, read_place, refers_to_list
from rag_core.rules.rule import rules_in
from tests.fakes.rules import passage, unit, whole_list

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


def test_an_item_of_a_closed_list_leaves_nothing_out_that_another_item_names() -> None:
    france, spain = rules_in(passage("Ads for kites may run only in:\n\n- France\n- Spain"))
    assert read_place(france, "fr").standing is HOLDS
    assert read_place(spain, "fr").standing is ELSEWHERE
    assert {read_place(each, "uk").standing for each in (france, spain)} == {LEFT_OUT}


@pytest.mark.parametrize(
    "exception",
    [
        "Except in France.",
        "This does not apply to France.",
        "However, this rule doesn't apply in France.",
        "Except in France and Spain.",
    ],
)
def test_a_sentence_that_is_an_exception_takes_its_place_out_of_the_rule_before(exception: str) -> None:
    rule, behind = rules_in(passage(f"Ads for kites are allowed. {exception}"))
    assert read_place(rule, "fr").standing is EXCEPTED
    assert read_place(behind, "fr").standing is EXCEPTED
    assert read_place(rule, "uk").standing is HOLDS


def test_an_exception_from_another_rule_takes_nothing_out_of_the_one_before_it() -> None:
    ban, toys = rules_in(passage("Ads for darts are banned. However, such ads may run for toys except in France."))
    assert read_place(ban, "fr").standing is HOLDS
    assert read_place(toys, "fr").standing is EXCEPTED


@pytest.mark.parametrize(
    "body",
    [
        "Ads for kites are prohibited in the following countries:\n\n- France\n- Spain",
        "In the following countries, ads for kites need a licence:\n\n- France",
        "In France, ads for kites may only be shown to adults.",
        "Ads for kites are banned only in France.",
    ],
)
def test_a_ban_or_a_demand_for_some_places_says_nothing_of_others(body: str) -> None:
    rules = rules_in(passage(body))
    assert {read_place(each, "uk").standing for each in rules} == {ELSEWHERE}
    assert read_place(rules[0], "fr").standing is HOLDS


def test_the_rows_below_a_closing_sentence_are_a_closed_list() -> None:
    lead = "Ads for kites may run only in the countries of this table."
    rows = rules_in(passage(f"{lead}\n\n{TABLE}| France | yes |\n| Spain | yes |"))
    assert [read_place(each, "fr").standing for each in rows] == [HOLDS, ELSEWHERE]
    assert {read_place(each, "uk").standing for each in rows} == {LEFT_OUT}
