"""Versions of documents that do not say since when they hold."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from rag_core.documents import DocumentVersion
from tests.fakes.planning import after, arrival
from tests.fakes.sources import FakeSource
from tests.fakes.workshop import Workshop

JULY = date(2026, 7, 1)


def starts(versions: list[DocumentVersion]) -> list[tuple[str, bool, bool]]:
    """(first day, whether it is stated, whether it holds before) of each."""
    found = sorted(versions, key=lambda each: each.doc_id)
    return [(each.effective_from.isoformat(), each.date_stated, each.open_start) for each in found]


def test_the_first_version_of_a_document_without_a_day_holds_before_it_was_read() -> None:
    assert starts(after([], arrival("a"))) == [("2026-06-01", False, True)]
    assert starts(after([], arrival("a", stated=date(2026, 2, 3)))) == [("2026-02-03", True, False)]


def test_what_replaces_it_holds_from_the_day_it_was_read() -> None:
    stored = after(after([], arrival("a")), arrival("b"), today=JULY)
    assert starts(stored) == [("2026-06-01", False, True), ("2026-07-01", False, False)]
    assert [each.holds_on(date(2020, 1, 1)) for each in sorted(stored, key=lambda each: each.doc_id)] == [True, False]


def test_an_earlier_version_that_comes_later_closes_the_open_start() -> None:
    stored = after(after([], arrival("b", "new.md")), arrival("a", "old.md", date(2025, 1, 1)), unreadable={"new.md"})
    assert starts(stored) == [("2025-01-01", True, False), ("2026-06-01", False, False)]


@pytest.mark.parametrize("changes", [{"pipeline": "p2"}, {"sha256": "b"}])
def test_the_start_stays_open_where_a_version_of_its_day_takes_its_place(changes: dict[str, Any]) -> None:
    again = arrival("a")
    again = replace(again, version=replace(again.version, **changes))
    stored = after(after([], arrival("a")), again)
    assert starts(stored) == [("2026-06-01", False, False), ("2026-06-01", False, True)]


def test_what_takes_the_place_of_another_document_does_not_hold_before() -> None:
    stored = after([], arrival("a"))
    stored = after(stored, arrival("c", "new.md", document_id="acme_new", supersedes=("acme_beer",)), today=JULY)
    assert {each.document_id: each.open_start for each in stored} == {"acme_beer": True, "acme_new": False}


def test_versions_from_before_days_were_told_apart_stay_as_they_are() -> None:
    known = [replace(each, date_stated=True, open_start=False) for each in after([], arrival("a"))]
    assert starts(after(known, unchanged=known)) == [("2026-06-01", True, False)]


async def test_an_undated_document_is_stored_with_an_open_start(workshop: Workshop) -> None:
    await workshop.run(FakeSource({"beer.md": "# Beer\n\nAds for beer are restricted.\n"}))
    assert [(each.date_stated, each.open_start) for each in await workshop.stored()] == [(False, True)]
