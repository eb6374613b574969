"""What a reader must know beside the statements."""

from datetime import date

import pytest

from rag_core.answering.evidence import Target
from rag_core.answering.notices import MOST_CHOICES, choices_for, notices_for, sample_notice
from rag_core.answers import Choice, Notice, WarningCode
from rag_core.documents import Passage
from rag_core.questions import Filters
from tests.fakes.rules import passage, question, target

NO, YES = "Ads for kites are not allowed.", "Ads for kites are allowed."
KITES = passage(YES, "Kites")


def notices(*targets: Target, cited: tuple[Passage, ...] = ()) -> tuple[Notice, ...]:
    return notices_for(question("kites"), targets, cited)


def test_nothing_to_know_is_no_notice() -> None:
    assert notices(target("kites", None, KITES), cited=(KITES,)) == ()


def test_two_documents_that_contradict_each_other_are_named() -> None:
    other = passage(NO, "Kites", document_id="acme_other", title="Toys")
    assert notices(target("kites", None, KITES, other)) == (
        Notice(WarningCode.CONFLICT, ("Toys", "2026-01-01", "Advertising", "2026-01-01")),
    )


@pytest.mark.parametrize(
    ("place", "regions", "expected"),
    [
        ("uk", ("global",), (Notice(WarningCode.NO_RULE_FOR_PLACE, ("uk",)),)),
        ("uk", ("uk",), ()),
        ("be", ("eu",), ()),
        (None, ("global",), ()),
    ],
)
def test_a_place_without_a_rule_of_its_own(
    place: str | None, regions: tuple[str, ...], expected: tuple[Notice]
) -> None:
    assert notices(target("kites", place, passage(YES, "Kites", regions))) == expected


def test_places_that_differ_are_named_and_offered() -> None:
    belgian = passage(NO, "Kites", ("be",), document_id="acme_be")
    found = target("kites", None, KITES, belgian)
    assert notices(found) == (Notice(WarningCode.PLACES_DIFFER, ("be",)),)
    assert choices_for(question("kites", policy_sources=("acme",)), [found]) == (
        Choice("region", "be", "kites", Filters(("acme",), ("be",))),
    )


def test_no_more_than_five_choices_and_each_once() -> None:
    codes = ("at", "be", "cz", "de", "es", "fr", "gr")
    local = [passage(NO, "Kites", (code,), document_id=f"acme_{code}") for code in codes]
    found = target("kites", None, KITES, *local)
    assert len(choices_for(question("kites"), [found, found])) == MOST_CHOICES


def test_a_version_that_no_longer_holds_is_named_with_the_day() -> None:
    old = passage(YES, "Kites", effective_to=date(2026, 7, 1))
    assert notices(cited=(old, KITES)) == (Notice(WarningCode.PAST_DAY, ("2026-06-01", "acme_rules_2026-01-01")),)


def test_a_document_read_after_the_day_asked_that_states_no_day_is_said() -> None:
    undated = passage(YES, "Kites", effective_from=date(2026, 7, 3), date_stated=False, open_start=True)
    assert notices(cited=(undated, KITES)) == (Notice(WarningCode.DATE_NOT_STATED, ("2026-07-03",)),)
    assert notices(cited=(passage(YES, "Kites", date_stated=False),)) == ()


def test_invented_documents_are_named_once() -> None:
    sample = passage(YES, "Kites", labels={"stage": "sample"})
    assert sample_notice([KITES, sample, sample]) == [Notice(WarningCode.SAMPLE)]
    assert sample_notice([KITES]) == []
    assert notices(cited=(sample,)) == (Notice(WarningCode.SAMPLE),)


def test_the_same_notice_of_two_platforms_is_shown_once() -> None:
    found = target("kites", "uk", KITES)
    assert len(notices(found, found)) == 1
