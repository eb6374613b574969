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
