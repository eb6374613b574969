"""What is known: versions, who may see them and when they hold, and the ids of their chunks."""

from dataclasses import fields, replace
from datetime import date
from typing import Any

import pytest

from rag_core.documents import (
    Classification,
    ContentType,
    PolicyChunk,
    chunk_checksum,
    chunk_id,
    content_hash,
    search_text,
)
from tests.fakes.documents import make_version
from tests.fakes.rules import passage


@pytest.mark.parametrize(
    ("day", "holds"),
    [
        (date(2025, 12, 31), False),
        (date(2026, 1, 1), True),
        (date(2026, 4, 30), True),
        (date(2026, 5, 1), False),
    ],
)
def test_a_version_holds_from_its_first_day_until_the_next_ones(day: date, holds: bool) -> None:
    assert make_version(effective_to=date(2026, 5, 1)).holds_on(day) is holds


def test_a_version_without_an_end_holds_on() -> None:
    assert make_version().holds_on(date(2099, 1, 1))
    assert not make_version(effective_to=date(2026, 1, 1)).holds_on(date(2026, 1, 1))


def test_a_version_with_an_open_start_holds_on_earlier_days_too() -> None:
    undated = make_version(date_stated=False, open_start=True, effective_to=date(2026, 5, 1))
    assert undated.holds_on(date(2020, 1, 1))
    assert not undated.holds_on(date(2026, 5, 1))
    assert undated.is_older_than_read(date(2020, 1, 1))
    assert not undated.is_older_than_read(date(2026, 1, 1))


def test_what_was_replaced_outright_holds_for_no_day_also_with_an_open_start() -> None:
    replaced = make_version(date_stated=False, open_start=True, effective_to=date(2026, 1, 1))
    assert not replaced.holds_on(date(2020, 1, 1))


@pytest.mark.parametrize(
    ("classification", "allowed", "groups", "sees"),
    [
        (Classification.PUBLIC, set(), set(), True),
        (Classification.PUBLIC, {"legal"}, set(), True),
        (Classification.RESTRICTED, {"legal"}, set(), False),
        (Classification.RESTRICTED, {"legal"}, {"sales"}, False),
        (Classification.RESTRICTED, {"legal"}, {"sales", "legal"}, True),
        (Classification.RESTRICTED, set(), {"legal"}, False),
    ],
)
def test_a_restricted_version_shows_to_its_groups_and_without_any_to_nobody(
    classification: Classification, allowed: set[str], groups: set[str], sees: bool
) -> None:
    version = make_version(classification=classification, allowed_groups=frozenset(allowed))
    assert version.may_see(frozenset(groups)) is sees


def test_what_is_searched_is_heading_lead_in_and_text() -> None:
    found = passage("- kites", "Toys", lead_in="Banned:").chunk
    assert found.search_text == "Advertising > Toys\nBanned:\n- kites"
    assert search_text("", "", "kites") == "kites"


def test_a_hash_is_of_all_that_is_searched() -> None:
    same = content_hash("Toys", "Banned:", "kites")
    assert same == content_hash("Toys", "Banned:", "kites")
    changed = [("Toy", "Banned:", "kites"), ("Toys", "Allowed:", "kites"), ("Toys", "Banned:", "kite")]
    assert len({same, *(content_hash(*each) for each in changed)}) == 4


def test_an_id_is_the_same_everywhere_and_of_version_place_and_content() -> None:
    assert chunk_id("acme_toys_2026-01-01", 3, "abc") == "5cc173d9-e924-5da0-9541-d6a210d1606c"
    parts = [("a", 0, "h"), ("b", 0, "h"), ("a", 1, "h"), ("a", 0, "i")]
    assert len({chunk_id(*each) for each in parts}) == len(parts)


CHANGES: dict[str, Any] = {
    "chunk_id": "other",
    "doc_id": "other",
    "chunk_index": 7,
    "chunk_text": "kites are now allowed",
    "lead_in": "Allowed:",
    "policy_source": "other",
    "policy_section": "Other",
    "policy_section_level": 5,
    "policy_path": "Advertising > Other",
    "regions": ("uk",),
    "content_type": ContentType.VIDEO,
    "char_start": 99,
    "char_end": 999,
    "effective_from": date(2020, 1, 1),
    "effective_to": date(2030, 1, 1),
    "content_hash": "0",
    "regions_excluded": ("de",),
    "regions_mentioned": ("fr",),
    "region_doubt": True,
    "rule_number": "9.9",
    "page": 9,
    "doc_url": "https://other.example/",
    "anchor": "other",
    "has_cross_reference": True,
    "refers_to": (3,),
    "is_atomic": True,
    "summary": "Other.",
}


def test_a_checksum_is_of_every_field_of_a_chunk_but_when_it_was_made() -> None:
    chunk = passage("kites are not allowed", "Toys").chunk
    assert {"created_at", *CHANGES} == {each.name for each in fields(PolicyChunk)}
    changed = {chunk_checksum(replace(chunk, **{name: value})) for name, value in CHANGES.items()}
    assert len({chunk_checksum(chunk), *changed}) == len(CHANGES) + 1


def test_a_passage_is_intact_as_long_as_its_checksum_fits() -> None:
    found = passage("kites are not allowed", "Toys")
    stored = replace(found, checksum=chunk_checksum(found.chunk))
    assert (found.is_intact, stored.is_intact) == (True, True)
    assert not replace(stored, chunk=replace(stored.chunk, chunk_text="kites are now allowed")).is_intact
    assert not replace(found, checksum="").is_intact
