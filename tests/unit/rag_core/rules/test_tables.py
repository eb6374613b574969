"""A table's row as words: the column of the asked place, and of no other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.rules.rule import places_of, row_as_words
from tests.fakes.rules import unit

HEADER = "Product | Germany | France | Rest of world"
ROW = "Kites | No | Yes | On request"


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("de", "Product: Kites; Germany: No"),
        ("de-by", "Product: Kites; Germany: No"),
        ("fr", "Product: Kites; France: Yes"),
        ("pe", "Product: Kites; Rest of world: On request"),
        (None, "Product: Kites; Germany: No; France: Yes; Rest of world: On request"),
    ],
)
def test_the_column_of_the_asked_place_is_read(place: str | None, words: str) -> None:
    assert row_as_words(HEADER, ROW, place) == words


def test_a_group_of_places_is_read_for_each_of_them() -> None:
    assert row_as_words("Product | Nordics | Spain", "Kites | No | Yes", "fi") == "Product: Kites; Nordics: No"
    assert (
        row_as_words("Product | European Union | Peru", "Kites | No | Yes", "fr")
        == "Product: Kites; European Union: No"
    )


@pytest.mark.parametrize("other", ["Others", "All other countries", "Elsewhere", "the rest", "ROW"])
def test_the_column_of_all_others_is_not_read_for_a_place_that_has_its_own(other: str) -> None:
    assert row_as_words(f"Product | Peru | {other}", "Kites | No | Yes", "pe") == "Product: Kites; Peru: No"
    assert row_as_words(f"Product | Peru | {other}", "Kites | No | Yes", "uk") == f"Product: Kites; {other}: Yes"


def test_cells_without_a_word_are_left_out_and_columns_without_a_name_are_bare() -> None:
    assert row_as_words("Product | - | Note", "Kites | yes | n/a") == "Product: Kites; yes"


@pytest.mark.parametrize(("header", "row"), [("Product | Peru", "Kites"), ("Product", "Kites"), ("a | b", "a | b | c")])
def test_a_row_that_does_not_fit_its_header_is_none(header: str, row: str) -> None:
    assert row_as_words(header, row) is None


def test_a_rule_of_a_row_is_read_with_the_columns_of_the_asked_place_behind_what_stands_above() -> None:
    table = "\n".join(f"| {line} |" for line in (HEADER, "--- | --- | --- | ---", ROW))
    rule = unit(f"Kites may run in the following countries:\n\n{table}")
    assert rule.as_read("fr").lead == "Kites may run in the following countries:"
    assert rule.as_read("fr").body == "Product: Kites; France: Yes"
    assert unit("| Kites | No |").as_read("fr").body == "Kites | No"


@pytest.mark.parametrize(
    ("says", "read"),
    [
        ("Never at noon in Peru; in France kites may run at night.", "in France kites may run at night."),
        ("Kites may run in France, but not in Peru; see below.", "Kites may run in France; see below."),
        ("Kites are allowed in Peru; not in France.", "Kites are allowed in Peru; not in France."),
        ("Kites may run in Peru, but not in France.", "Kites may run in Peru, but not in France."),
        ("Kites may run in Peru; toys may not.", "Kites may run in Peru; toys may not."),
        ("Kites may run in France; only at night.", "Kites may run in France; only at night."),
    ],
)
def test_a_sentence_is_read_without_its_clauses_about_other_places(says: str, read: str) -> None:
    assert unit(says).as_read("fr").body == read
    assert unit(says).as_read().body == says


_PLACES = {"Germany": "de", "France": "fr", "Peru": "pe", "United Kingdom": "uk", "Japan": "jp"}
_COLUMNS = st.lists(st.sampled_from(list(_PLACES)), min_size=1, max_size=5, unique=True)


@given(_COLUMNS, st.sampled_from(sorted(_PLACES.values())), st.data())
def test_what_stands_in_the_columns_of_other_places_never_counts(
    columns: list[str], place: str, data: st.DataObject
) -> None:
    cells = [data.draw(st.sampled_from(["Yes", "No", "With approval"])) for _ in columns]
    other = [cell if _PLACES[name] == place else "Banned" for name, cell in zip(columns, cells, strict=True)]
    header = " | ".join(["Product", *columns])
    assert row_as_words(header, " | ".join(["Kites", *cells]), place) == row_as_words(
        header, " | ".join(["Kites", *other]), place
    )


def test_places_are_named_as_published_texts_name_them() -> None:
    assert places_of("Germany and France") == {"de", "fr"}
    assert places_of("Kites") == frozenset()
