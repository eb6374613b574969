"""What the cells of a row say about the thing asked."""

import pytest

from rag_core.answering.cells import row_effect
from rag_core.answering.polarity import Effect
from tests.fakes.rules import unit, words

PROHIBITS, RESTRICTS, ALLOWS = Effect.PROHIBITS, Effect.RESTRICTS, Effect.ALLOWS


def effect(header: str, row: str, asked: str = "kites") -> Effect | None:
    lead_in = f"| {header} |\n|" + " --- |" * (header.count("|") + 1) if header else ""
    return row_effect(unit(f"| {row} |", lead_in=lead_in), words(asked))


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("Yes", ALLOWS),
        ("✓", ALLOWS),
        ("allowed.", ALLOWS),
        ("No", PROHIBITS),
        ("not permitted", PROHIBITS),
        ("✗", PROHIBITS),
        ("None allowed", PROHIBITS),
        ("Yes, with approval", RESTRICTS),
        ("Restricted", RESTRICTS),
        ("licence needed", RESTRICTS),
        ("adults only", RESTRICTS),
        ("Ads for kites are not allowed", PROHIBITS),
        ("Ads for kites are allowed", ALLOWS),
        ("Ads for kites must carry a warning", None),
        ("see our blog", None),
        ("only " + "very long talk " * 6, None),
    ],
)
def test_one_cell(cell: str, expected: Effect | None) -> None:
    assert effect("Place | Kites", f"Peru | {cell}") is expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("Peru | yes | -", ALLOWS),
        ("Peru | yes | none", ALLOWS),
        ("Peru | yes | n/a", ALLOWS),
        ("Peru | yes | Peru", ALLOWS),
        ("Peru | yes | show the price", RESTRICTS),
        ("Peru | no | show the price", PROHIBITS),
        ("Peru | yes | no", RESTRICTS),
    ],
)
def test_conditions_beside_a_yes_restrict(row: str, expected: Effect) -> None:
    assert effect("Place | May run | Notes", row) is expected


def test_the_column_of_the_thing_asked_decides() -> None:
    header, row = "Place | Kites | Darts", "Peru | yes | no"
    assert effect(header, row, "darts") is PROHIBITS
    assert effect(header, row, "drones") is RESTRICTS


def test_a_row_without_a_header_is_read_by_its_cells() -> None:
    assert effect("", "Kites | no") is PROHIBITS


def of_table(cell: str, asked: str, place: str | None = None, heading: str = "Alcohol") -> Effect | None:
    lead_in = "| Country | Allowed? |\n| --- | --- |"
    return row_effect(unit(f"| Austria | {cell} |", heading, lead_in=lead_in), words(asked), place)


@pytest.mark.parametrize(
    ("cell", "asked", "expected"),
    [
        ("Beer only", "vodka", PROHIBITS),
        ("Only beer", "vodka", PROHIBITS),
        ("Beer and wine only", "wine", RESTRICTS),
        ("Beer only", "alcohol", RESTRICTS),
        ("Shops with a licence only", "vodka", RESTRICTS),
        ("Adults only", "vodka", RESTRICTS),
    ],
)
def test_only_another_kind_of_the_thing_is_a_no(cell: str, asked: str, expected: Effect) -> None:
    assert of_table(cell, asked) is expected


def test_only_another_kind_says_nothing_of_a_table_on_something_else() -> None:
    assert of_table("Beer only", "vodka", heading="Opening hours") is RESTRICTS


@pytest.mark.parametrize(
    ("place", "expected"),
    [("us-oh", RESTRICTS), ("us-ut", PROHIBITS), ("us", RESTRICTS), (None, RESTRICTS)],
)
def test_only_a_part_of_a_country_is_a_no_for_the_rest_of_it(place: str | None, expected: Effect) -> None:
    assert of_table("Ohio and Iowa only", "alcohol", place) is expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("online casino", PROHIBITS),
        ("poker", PROHIBITS),
        ("sports betting", RESTRICTS),
        ("scratch cards", RESTRICTS),
        ("gambling", RESTRICTS),
    ],
)
def test_only_some_kinds_are_a_no_to_others(asked: str, expected: Effect) -> None:
    """ "Betting" is a word for all gambling, but "sports betting" is no casino."""
    lead_in = "| Place | Allowed? | Conditions |\n| --- | --- | --- |"
    row = "| Peru | Sports betting and lotteries only | Peruvian licence |"
    assert row_effect(unit(row, "Gambling", lead_in=lead_in), words(asked)) is expected
