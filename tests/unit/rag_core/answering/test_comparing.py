"""Places and platforms side by side."""

from dataclasses import replace

import pytest

from rag_core.answering.compose import MOST_ROWS, comparison_of, compose, row_of, spread, stated_by_none
from rag_core.answering.evidence import Target
from rag_core.answers import Answer, Comparison, ComparisonRow, PlaceVerdict, Statement, Verdict
from rag_core.questions import Question
from tests.fakes.reader import FakeReader
from tests.fakes.rules import passage, question, target

YES, NO = "Ads for kites are allowed.", "Ads for kites are not allowed."


def kites(place: str | None = None, slug: str = "acme", body: str = YES) -> Target:
    return target("kites", place, passage(body, "Kites", document_id=f"{slug}_kites"), policy_source=slug)


def row(place: str | None, slug: str | None = "acme", *numbers: int) -> ComparisonRow:
    return ComparisonRow(place, slug, Verdict.ALLOWED if numbers else None, citations=numbers)


def table(asked: Question, *rows: ComparisonRow) -> Comparison:
    found = comparison_of(asked, rows)
    assert found is not None
    return found


def test_no_place_is_lost_to_the_platforms_of_another() -> None:
    targets = [kites(place, slug) for place in ("uk", "fr", "de", "es") for slug in ("acme", "brim", "corp")]
    kept = spread(targets)
    assert len(kept) == MOST_ROWS
    assert [(each.place, each.policy_source) for each in kept] == [
        *(("uk", "acme"), ("uk", "brim"), ("fr", "acme"), ("fr", "brim")),
        *(("de", "acme"), ("es", "acme")),
    ]


def test_what_fits_stays_as_it_is() -> None:
    targets = [kites("uk"), kites("fr"), kites("uk", "brim")]
    assert spread(targets) == targets


def test_a_row_has_the_verdict_its_conditions_and_what_it_is_read_from_first() -> None:
    shown = [Statement("general", (1,), ()), Statement("deciding", (2,), ())]
    found = row_of(kites("uk"), shown, PlaceVerdict("uk", "acme", Verdict.ALLOWED, (), (2,)))
    assert (found.region, found.policy_source, found.verdict) == ("uk", "acme", Verdict.ALLOWED)
    assert found.citations == (2, 1)


def test_a_row_without_a_verdict_names_what_its_rules_do_not_state() -> None:
    rules = passage("Ads for kites with strings are allowed.", "Kites")
    asked = target("kites strings zeppelins", "uk", rules, reader=FakeReader(all_words=True))
    found = row_of(asked, [Statement(YES, (1,), ())], None)
    assert (found.verdict, found.not_stated, found.citations) == (None, ("zeppelins",), (1,))


def test_one_place_on_one_platform_is_no_comparison() -> None:
    assert comparison_of(question("kites", "uk"), [row("uk", "acme", 1)]) is None
    assert comparison_of(question("kites"), [row(None, "acme", 1), row(None, "brim", 2)]) is None


def test_places_stand_in_the_order_in_which_they_were_asked() -> None:
    found = table(question("kites", "fr", "uk"), row("uk", "acme", 1), row("fr", "acme", 2))
    assert [each.region for each in found.rows] == ["fr", "uk"]


def test_a_side_for_which_nothing_was_found_has_a_row() -> None:
    found = table(question("kites", "fr", "uk"), row("uk", "acme", 1))
    assert found.rows[0] == ComparisonRow("fr", None, None, not_stated=("kites",))
    platforms = table(question("kites", policy_sources=("acme", "brim")), row(None, "brim", 1))
    assert platforms.rows == (ComparisonRow(None, "acme", None, not_stated=("kites",)), row(None, "brim", 1))


def test_at_most_six_rows_and_the_others_are_counted() -> None:
    asked = question("kites", "uk", "fr", "de", "es", policy_sources=("acme", "brim"))
    found = table(asked, *(row(place, slug, 1) for place in ("uk", "fr", "de", "es") for slug in ("acme", "brim")))
    assert (len(found.rows), found.left_out) == (MOST_ROWS, 2)


def test_a_pair_that_there_was_no_room_to_look_at_is_not_called_silent() -> None:
    asked = question("kites", "uk", "fr", "de", "es", policy_sources=("acme", "brim"))
    found = table(asked, *(row(place, "acme", 1) for place in ("uk", "fr", "de", "es")))
    assert [(each.region, each.policy_source) for each in found.rows] == [
        (place, "acme") for place in asked.scope.regions
    ]
    assert found.left_out == 4


def test_what_only_one_side_leaves_open_is_not_said_of_the_whole() -> None:
    open_ = replace(row("uk", "acme", 1), not_stated=("razor", "string"))
    assert stated_by_none(Comparison((open_, row("fr", "acme", 2)))) == ()
    both = Comparison((open_, replace(row("fr", "acme", 2), not_stated=("razor",)), row("de", None)))
    assert stated_by_none(both) == ("razor",)


@pytest.mark.parametrize("body", [YES, NO])
def test_an_answer_on_two_places_has_a_table_whose_numbers_are_its_citations(body: str) -> None:
    rules = {"uk": "Ads for kites are not allowed in the United Kingdom.", "fr": "Ads for kites may run in France."}
    targets = [
        target("kites", place, passage(body, "Kites"), passage(rule, "Kites", (place,), document_id=f"acme_{place}"))
        for place, rule in rules.items()
    ]
    answer = compose(question("kites", "uk", "fr"), targets, ()).answer
    assert isinstance(answer, Answer)
    assert answer.comparison is not None
    assert [(each.region, each.verdict) for each in answer.comparison.rows] == [
        ("uk", Verdict.PROHIBITED),
        ("fr", Verdict.ALLOWED),
    ]
    numbers = {each.number: each for each in answer.citations}
    for each in answer.comparison.rows:
        assert each.region in numbers[each.citations[0]].regions
