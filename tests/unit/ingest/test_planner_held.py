"""Versions that are held for review, in one run and in several."""

from datetime import date, timedelta
from typing import Any

from ingest.planner import Arrival, PlanKind, plan, profiles_wanted, released, up_to_date
from ingest.planner.suspicion import Profile
from rag_core.documents import DocumentVersion, VersionStatus
from tests.fakes.planning import NOBODY, NOW, TODAY, after, arrival, history, stored_after

WORDS = frozenset(f"wordword{number}" for number in range(40))
WHOLE = Profile(1000, "beer", frozenset({"rules"}), WORDS)
SHORT = Profile(100, "beer", frozenset({"rules"}), WORDS)
OTHER = Profile(900, "cookies", frozenset({"consent"}), frozenset(f"consent{number}" for number in range(40)))
MAY = date(2026, 5, 1)


def read(content: str, profile: Profile, *where: Any, **changes: Any) -> Arrival:
    return arrival(content, *where, profile=profile, **changes)


def known(stored: list[DocumentVersion], **profiles: Profile) -> dict[str, Profile]:
    """By doc_id, as the texts say; `profiles` by content."""
    return {each.doc_id: profiles.get(each.sha256, WHOLE) for each in stored}


def held_after_shrinking() -> list[DocumentVersion]:
    stored = after([], read("a", WHOLE), today=MAY)
    return after(stored, read("b", SHORT, seen_at=NOW + timedelta(1)), profiles=known(stored))


def test_what_has_shrunk_is_held_and_changes_nothing() -> None:
    stored = after([], read("a", WHOLE), today=MAY)

    made = plan(stored, (), [read("b", SHORT)], NOBODY, TODAY, profiles=known(stored))

    assert [each.kind for each in made.documents] == [PlanKind.KEPT]
    later = stored_after(made, stored=tuple(stored))
    assert history(later) == [("2026-05-01", None, "live"), ("2026-06-01", None, "held")]
    (remark,) = made.remarks
    assert (remark.origin, remark.code) == ("beer.md", "version_held")
    assert remark.details == {"doc_id": "acme_beer_2026-06-01", "was": 1000, "now": 100, "why": "shrunk"}


def test_another_page_is_held_and_says_so() -> None:
    stored = after([], read("a", WHOLE), today=MAY)

    made = plan(stored, (), [read("b", OTHER)], NOBODY, TODAY, profiles=known(stored))

    assert made.remarks[0].details["why"] == "other_page"


def test_the_share_that_may_be_lost_is_the_sources() -> None:
    stored = after([], read("a", WHOLE), today=MAY)

    made = after(stored, read("b", SHORT), profiles=known(stored), shrink=0.95)

    assert history(made)[-1] == ("2026-06-01", None, "live")


def test_what_is_held_is_settled_and_named_as_long_as_it_waits() -> None:
    stored = held_after_shrinking()

    settled = up_to_date(stored)["beer.md"]
    made = plan(stored, [settled], (), NOBODY, TODAY, profiles=known(stored, b=SHORT))

    assert settled.status is VersionStatus.HELD
    assert made.documents == ()
    assert [(each.code, each.details["now"], each.details["why"]) for each in made.remarks] == [
        ("version_held", 100, "shrunk")
    ]
    assert profiles_wanted(stored, ()) == {each.doc_id for each in stored}


def test_when_the_old_text_is_back_the_held_version_is_retired_and_nothing_else_changes() -> None:
    stored = held_after_shrinking()

    made = plan(stored, (), [read("a", WHOLE, seen_at=NOW + timedelta(2))], NOBODY, TODAY, profiles=known(stored))

    assert [each.kind for each in made.documents] == [PlanKind.KEPT]
    assert made.checked == {"acme_beer_2026-05-01"}
    later = stored_after(made, stored=tuple(stored))
    assert history(later) == [("2026-05-01", None, "live"), ("2026-06-01", "2026-06-01", "retired")]
    assert up_to_date(later)["beer.md"].doc_id == "acme_beer_2026-05-01"
    assert plan(later, [later[0]], (), NOBODY, TODAY).remarks == ()


def test_a_whole_text_that_follows_holds_and_the_held_one_is_retired() -> None:
    stored = held_after_shrinking()

    made = after(stored, read("c", WHOLE, seen_at=NOW + timedelta(2)), profiles=known(stored))

    assert history(made) == [
        ("2026-05-01", "2026-06-01", "live"),
        ("2026-06-01", "2026-06-01", "retired"),
        ("2026-06-01.2", None, "live"),
    ]
    assert {each.doc_id: each.supersedes for each in made}["acme_beer_2026-06-01.2"] is not None


def test_another_short_text_takes_the_place_of_the_held_one() -> None:
    stored = held_after_shrinking()

    made = after(stored, read("c", SHORT, seen_at=NOW + timedelta(2)), profiles=known(stored))

    assert [status for _, _, status in history(made)] == ["live", "retired", "held"]


def test_what_is_held_goes_with_its_document() -> None:
    made = after(held_after_shrinking())

    assert history(made) == [("2026-05-01", "2026-06-01", "retired"), ("2026-06-01", "2026-06-01", "retired")]
    assert up_to_date(made) == {}


def test_what_cannot_be_read_leaves_what_is_held() -> None:
    assert plan(held_after_shrinking(), (), (), frozenset({"beer.md"}), TODAY).documents == ()


def days(*profiles: Profile) -> list[Arrival]:
    return [
        read(f"text {number}", profile, f"2026-01-0{number}.md", date(2026, 1, number))
        for number, profile in enumerate(profiles, start=1)
    ]


def test_in_a_history_what_the_source_took_back_is_held() -> None:
    made = after([], *days(WHOLE, SHORT, WHOLE))

    assert history(made) == [
        ("2026-01-01", "2026-01-03", "live"),
        ("2026-01-02", None, "held"),
        ("2026-01-03", None, "live"),
    ]
    again = plan(made, list(up_to_date(made).values()), (), NOBODY, TODAY)
    assert (again.documents, again.remarks) == ((), ())  # it would change nothing that holds now


def test_in_a_history_what_the_source_kept_counts() -> None:
    made = after([], *days(WHOLE, SHORT, SHORT))

    assert [status for _, _, status in history(made)] == ["live", "live", "live"]


def test_in_a_history_the_last_one_is_held() -> None:
    made = after([], *days(WHOLE, WHOLE, OTHER))

    assert history(made)[1:] == [("2026-01-02", None, "live"), ("2026-01-03", None, "held")]


def test_the_first_version_of_a_document_has_nothing_to_be_measured_by() -> None:
    assert [status for _, _, status in history(after([], *days(SHORT)))] == ["live"]


def test_of_several_on_one_day_only_the_last_can_be_held() -> None:
    day = date(2026, 1, 1)
    files = [
        read("a", WHOLE, "a.md", MAY - timedelta(200)),
        read("b", SHORT, "b.md", day),
        read("c", WHOLE, "c.md", day),
    ]

    assert [status for _, _, status in history(after([], *files))] == ["live", "retired", "live"]


def test_a_released_version_holds_from_its_own_day() -> None:
    stored = held_after_shrinking()

    updates = released(stored, "acme_beer_2026-06-01", date(2026, 6, 20))

    assert [(each.doc_id, each.effective_from, each.effective_to, each.status) for each in updates] == [
        ("acme_beer_2026-05-01", None, TODAY, VersionStatus.LIVE),
        ("acme_beer_2026-06-01", None, None, VersionStatus.LIVE),
    ]


def test_a_released_version_holds_from_today_where_another_has_begun_since() -> None:
    other = arrival("c", "2.md", date(2026, 6, 10))
    stored = after(held_after_shrinking(), other, unreadable=frozenset({"beer.md"}))

    updates = released(stored, "acme_beer_2026-06-01", date(2026, 6, 20))
    same_day = released(stored, "acme_beer_2026-06-01", date(2026, 6, 10))

    last = ("acme_beer_2026-06-01", date(2026, 6, 20), None, VersionStatus.LIVE)
    assert [(each.doc_id, each.effective_from, each.effective_to, each.status) for each in updates] == [
        ("acme_beer_2026-06-10", None, date(2026, 6, 20), VersionStatus.LIVE),
        last,
    ]
    assert {each.doc_id: each.status for each in same_day} == {
        "acme_beer_2026-06-10": VersionStatus.RETIRED,
        "acme_beer_2026-06-01": VersionStatus.LIVE,
    }


def test_what_is_not_held_is_not_released() -> None:
    assert released(held_after_shrinking(), "acme_beer_2026-05-01", TODAY) == ()


def test_the_old_text_read_otherwise_while_another_is_held_keeps_its_day() -> None:
    stored = held_after_shrinking()

    made = after(stored, read("a", SHORT, pipeline="p2", seen_at=NOW + timedelta(2)), profiles=known(stored))

    # the same bytes are never an accident, however little another parser reads in them
    assert history(made) == [
        ("2026-05-01", "2026-05-01", "retired"),
        ("2026-05-01.2", None, "live"),
        ("2026-06-01", "2026-06-01", "retired"),
    ]


def test_forced_onto_a_taken_day_and_held_all_the_same_it_withdraws_nothing() -> None:
    stored = after([], read("a", WHOLE, stated=MAY))

    made = after(stored, read("b", SHORT, stated=MAY), profiles=known(stored), forced={"all"})

    assert history(made) == [("2026-05-01", None, "live"), ("2026-05-01.2", None, "held")]
