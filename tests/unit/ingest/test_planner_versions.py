"""Stated ends, supersession, days that are taken, days that are soft, versions in file names, and what is noted."""

from datetime import date, timedelta
from typing import Any

import pytest

from ingest.planner import Plan, Remark, plan, stated_ends_of, up_to_date
from rag_core.documents import DocumentVersion
from tests.fakes.planning import NOBODY, NOW, TODAY, after, arrival, history, stored_after

MAY, JULY = date(2026, 5, 1), date(2026, 7, 1)


def planned(stored: list[DocumentVersion], *arrivals: Any, today: date = TODAY, **changes: Any) -> Plan:
    return plan(stored, changes.pop("unchanged", ()), arrivals, NOBODY, today, **changes)


def codes(made: Plan) -> list[str]:
    return [each.code for each in made.remarks]


def by_id(versions: list[DocumentVersion]) -> dict[str, DocumentVersion]:
    return {each.doc_id: each for each in versions}


def test_a_version_that_states_its_end_is_settled_and_ends_on_that_day() -> None:
    made = after([], arrival("a", stated=MAY, ends=TODAY))

    assert history(made) == [("2026-05-01", "2026-06-01", "live")]
    assert up_to_date(made)["beer.md"] == made[0]
    assert stated_ends_of(made) == {"acme_beer_2026-05-01": TODAY}
    assert planned(made, unchanged=made, today=JULY).documents == ()


def test_a_stated_end_is_not_stretched_to_the_next_version() -> None:
    first = after([], arrival("a", "1.md", MAY, ends=TODAY))

    made = after(first, arrival("b", "2.md", JULY), unchanged=first)

    assert history(made) == [("2026-05-01", "2026-06-01", "live"), ("2026-07-01", None, "live")]
    assert by_id(made)["acme_beer_2026-07-01"].supersedes == "acme_beer_2026-05-01"
    again = after(made, arrival("c", "3.md", date(2026, 8, 1)), unchanged=made)
    assert history(again)[0] == ("2026-05-01", "2026-06-01", "live")


def test_a_version_ends_where_the_next_begins_if_that_is_before_its_stated_end_and_that_is_noted() -> None:
    first = after([], arrival("a", "1.md", MAY, ends=JULY))

    made = planned([], arrival("a", "1.md", MAY, ends=JULY), arrival("b", "2.md", TODAY))

    assert history(after(first, arrival("b", "2.md", TODAY), unchanged=first)) == [
        ("2026-05-01", "2026-06-01", "live"),
        ("2026-06-01", None, "live"),
    ]
    details = {"doc_id": "acme_beer_2026-05-01", "ends": "2026-07-01"}
    following = {"next_doc_id": "acme_beer_2026-06-01", "next_from": "2026-06-01"}
    assert made.remarks == (Remark("1.md", "versions_overlap", details | following),)


@pytest.mark.parametrize("end", [MAY, TODAY, JULY, None])
def test_an_end_that_changes_moves_nothing_but_the_bounds(end: date | None) -> None:
    stored = after([], arrival("a", stated=date(2026, 1, 1), ends=date(2026, 3, 1)))

    made = planned(stored, unchanged=stored, ends={stored[0].doc_id: end})

    assert [each.new for each in made.documents] == [()]
    later = stored_after(made, stored=tuple(stored))
    assert history(later) == [("2026-01-01", end.isoformat() if end else None, "live")]
    assert planned(later, unchanged=later).documents == ()


def test_what_had_ended_before_it_was_first_seen_holds_for_no_day_and_is_left_alone() -> None:
    made = after([], arrival("a", ends=MAY))

    assert history(made) == [("2026-05-01", "2026-05-01", "live")]
    assert up_to_date(made)["beer.md"].doc_id == "acme_beer_2026-05-01"
    assert planned(made, unchanged=made).documents == ()


def test_what_is_gone_before_its_stated_end_ends_now() -> None:
    stored = after([], arrival("a", stated=MAY, ends=JULY))

    assert history(after(stored)) == [("2026-05-01", "2026-06-01", "retired")]


def test_when_the_next_version_is_gone_before_it_holds_the_one_before_goes_on() -> None:
    two = after([], arrival("a", "1.md", MAY), arrival("b", "2.md", JULY))

    made = after(two, unchanged=two[:1])

    assert history(made) == [("2026-05-01", None, "live"), ("2026-07-01", "2026-07-01", "retired")]


def test_a_document_may_say_that_it_supersedes_another_one() -> None:
    old = after([], arrival("a", stated=MAY))
    new = arrival("b", "stout.md", TODAY, document_id="acme_stout", supersedes=("acme_beer",))

    made = after(old, new, unchanged=old)

    assert by_id(made)["acme_beer_2026-05-01"].effective_to == TODAY
    assert by_id(made)["acme_stout_2026-06-01"].supersedes == "acme_beer_2026-05-01"
    assert planned(made, unchanged=made, today=JULY).documents == ()
    named = arrival("b", "stout.md", TODAY, document_id="acme_stout", supersedes=("acme_beer_2026-05-01",))
    assert by_id(after(old, named, unchanged=old)) == by_id(made)


def test_both_may_come_in_one_run_and_the_old_one_was_superseded_before_it_was_seen() -> None:
    new = arrival("b", "stout.md", MAY, document_id="acme_stout", supersedes=("acme_beer",))

    made = after([], arrival("a"), new)

    assert by_id(made)["acme_beer_2026-06-01"].effective_to == TODAY
    assert not any(version.holds_on(JULY) for version in made if version.document_id == "acme_beer")
    assert planned(made, unchanged=list(up_to_date(made).values())).documents == ()


def test_what_is_superseded_does_not_come_back_with_a_corrected_text() -> None:
    old = after([], arrival("a", stated=MAY))
    new = arrival("b", "stout.md", TODAY, document_id="acme_stout", supersedes=("acme_beer", "acme_ale"))
    ale = arrival("c", "ale.md", MAY, document_id="acme_ale")
    stored = after(old, new, ale, unchanged=old)

    later = after(
        stored,
        arrival("corrected", seen_at=NOW + timedelta(9)),
        arrival("too", "ale.md", document_id="acme_ale", seen_at=NOW + timedelta(9)),
        unchanged=[version for version in stored if version.document_id == "acme_stout"],
        today=JULY,
    )

    assert {version.document_id for version in later if version.holds_on(JULY)} == {"acme_stout"}
    assert planned(later, unchanged=list(up_to_date(later).values()), today=JULY).documents == ()


def test_of_two_that_supersede_each_other_the_one_that_holds_first_counts() -> None:
    beer = arrival("a", stated=MAY, supersedes=("acme_stout",))
    stout = arrival("b", "stout.md", TODAY, document_id="acme_stout", supersedes=("acme_beer",))

    made = after([], beer, stout)

    assert {version.document_id for version in made if version.holds_on(JULY)} == {"acme_beer"}
    assert planned(made, unchanged=made).documents == ()


def test_a_name_that_nothing_bears_is_noted_once() -> None:
    made = planned([], arrival("a", supersedes=("acme_wine",)))

    assert made.remarks == (Remark("beer.md", "supersedes_unknown", {"name": "acme_wine", "document_id": "acme_beer"}),)
    stored = stored_after(made)
    assert planned(stored, unchanged=stored).remarks == ()


def test_other_content_for_a_day_that_is_taken_is_refused_and_the_stored_version_stays() -> None:
    stored = after([], arrival("a", stated=MAY))

    made = planned(stored, arrival("b", stated=MAY))

    assert made.documents == ()
    (refused,) = made.refused
    assert (refused.origin, refused.document_id, refused.doc_id) == ("beer.md", "acme_beer", "acme_beer_2026-05-01")


@pytest.mark.parametrize("forced", ["acme_beer", "all"])
def test_forced_it_becomes_a_new_suffix_and_the_old_one_is_retired(forced: str) -> None:
    stored = after([], arrival("a", stated=MAY))

    made = after(stored, arrival("b", stated=MAY), forced={forced})

    assert history(made) == [("2026-05-01", "2026-05-01", "retired"), ("2026-05-01.2", None, "live")]
    assert planned(stored, arrival("b", stated=MAY), forced={"acme_ale"}).refused


def test_the_same_bytes_read_otherwise_and_several_files_of_a_day_are_not_refused() -> None:
    stored = after([], arrival("a", "1.md", MAY))

    again = after(stored, arrival("a", "1.md", MAY, pipeline="p2"))
    other = after(stored, arrival("b", "2.md", MAY), unchanged=stored)

    for made in (again, other):
        assert history(made) == [("2026-05-01", "2026-05-01", "retired"), ("2026-05-01.2", None, "live")]


def test_a_soft_day_that_was_left_as_it_was_is_not_believed() -> None:
    stored = after([], arrival("a", stated=MAY, is_soft=True))
    assert history(stored) == [("2026-05-01", None, "live")]

    changed = after(stored, arrival("b", stated=MAY, is_soft=True))
    earlier = after(stored, arrival("b", stated=date(2026, 2, 1), is_soft=True))
    later = after(stored, arrival("b", stated=date(2026, 5, 20), is_soft=True))

    assert history(changed) == [("2026-05-01", "2026-06-01", "live"), ("2026-06-01", None, "live")]
    assert history(earlier) == history(changed)
    assert history(later) == [("2026-05-01", "2026-05-20", "live"), ("2026-05-20", None, "live")]


def test_a_soft_day_does_not_move_what_is_merely_read_again() -> None:
    stored = after([], arrival("a"), today=MAY)

    made = after(stored, arrival("a", stated=date(2026, 2, 1), is_soft=True, pipeline="p2"))

    assert history(made) == [("2026-05-01", "2026-05-01", "retired"), ("2026-05-01.2", None, "live")]


def test_a_text_that_is_corrected_before_its_soft_day_still_holds_from_then() -> None:
    stored = after([], arrival("a", stated=JULY, is_soft=True))

    made = after(stored, arrival("b", stated=JULY, is_soft=True))

    assert history(made) == [("2026-07-01", "2026-07-01", "retired"), ("2026-07-01.2", None, "live")]


def test_versions_in_file_names_decide_where_no_day_does() -> None:
    files = [arrival("c", "beer_v10.md"), arrival("b", "beer_v2.md"), arrival("a", "beer_v1.md")]

    made = after([], *files)

    assert history(made) == [
        ("2026-06-01", "2026-06-01", "retired"),
        ("2026-06-01.2", "2026-06-01", "retired"),
        ("2026-06-01.3", None, "live"),
    ]
    assert {version.sha256 for version in made if version.holds_on(TODAY)} == {"c"}
    assert set(up_to_date(made)) == {"beer_v1.md", "beer_v2.md", "beer_v10.md"}


@pytest.mark.parametrize("stated", [None, date(2026, 1, 1)])
def test_an_older_file_that_comes_later_replaces_nothing(stated: date | None) -> None:
    stored = after([], arrival("b", "beer_v2.md", stated), today=MAY)

    made = after(stored, arrival("a", "beer_v1.md"), unchanged=stored)

    assert [version.sha256 for version in made if version.holds_on(TODAY)] == ["b"]
    assert set(up_to_date(made)) == {"beer_v1.md", "beer_v2.md"}
    newer = after(made, arrival("c", "beer_v3.md"), unchanged=made)
    assert [version.sha256 for version in newer if version.holds_on(TODAY)] == ["c"]


def test_what_a_person_should_know_of_a_new_version_is_noted() -> None:
    stored = after([], arrival("a", "1.md", MAY))

    back = planned(stored, arrival("b", "2.md", date(2026, 1, 1)), unchanged=stored)
    future = planned(stored, arrival("b", "2.md", JULY), unchanged=stored)
    same = planned(stored, arrival("b", "2.md", MAY), unchanged=stored)

    assert codes(back) == ["version_backdated"]
    assert back.remarks[0].details["live_doc_id"] == "acme_beer_2026-05-01"
    assert (codes(future), future.remarks[0].details["day"]) == (["version_future"], "2026-07-01")
    assert codes(same) == ["versions_same_day"]
    assert same.remarks[0].details["doc_ids"] == ["acme_beer_2026-05-01", "acme_beer_2026-05-01.2"]
    for made in (back, future, same):
        later = stored_after(made, stored=tuple(stored))
        assert planned(later, unchanged=list(up_to_date(later).values())).remarks == ()


def test_a_changed_page_is_nothing_to_note() -> None:
    stored = after([], arrival("a"), today=MAY)

    assert codes(planned(stored, arrival("b"))) == []
    assert codes(planned(stored, arrival("b", stated=MAY, pipeline="p2", is_soft=True))) == []


def test_when_the_day_of_the_superseding_document_is_corrected_the_end_moves_with_it() -> None:
    old = after([], arrival("a", stated=MAY))
    new = arrival("b", "stout.md", TODAY, document_id="acme_stout", supersedes=("acme_beer",))
    stored = after(old, new, unchanged=old)
    later = {"document_id": "acme_stout", "supersedes": ("acme_beer",), "seen_at": NOW + timedelta(1)}

    made = after(stored, arrival("c", "stout.md", date(2026, 5, 20), **later), unchanged=old)

    assert by_id(made)["acme_beer_2026-05-01"].effective_to == date(2026, 5, 20)
    gone = after(stored, arrival("c", "stout.md", date(2026, 5, 20), **later | {"supersedes": ()}), unchanged=old)
    assert by_id(gone)["acme_beer_2026-05-01"].effective_to is None
