from dataclasses import replace
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ingest.planner import Arrival, PlanKind, plan, up_to_date
from rag_core.documents import DocumentVersion
from tests.fakes.planning import NOBODY, NOW, TODAY, after, arrival, history, stored_after


def test_a_new_document_holds_from_the_day_it_states_or_is_seen() -> None:
    assert history(after([], arrival("a"))) == [("2026-06-01", None, "live")]
    assert history(after([], arrival("a", stated=date(2025, 1, 1)))) == [("2025-01-01", None, "live")]
    made = plan([], (), [arrival("a")], NOBODY, TODAY)
    assert made.documents[0].kind is PlanKind.NEW


def test_a_changed_document_holds_until_the_change() -> None:
    first = after([], arrival("a"), today=date(2026, 5, 1))

    second = after(first, arrival("b"))

    assert history(second) == [("2026-05-01", "2026-06-01", "live"), ("2026-06-01", None, "live")]
    assert {each.doc_id: each.supersedes for each in second}["acme_beer_2026-06-01"] == "acme_beer_2026-05-01"


def test_versions_of_one_day_keep_their_order_and_only_the_last_holds() -> None:
    day = date(2026, 2, 26)
    files = [arrival(name, f"2026-02-26_{name}.md", day) for name in "abc"]

    made = after([], *files)

    assert history(made) == [
        ("2026-02-26", "2026-02-26", "retired"),
        ("2026-02-26.2", "2026-02-26", "retired"),
        ("2026-02-26.3", None, "live"),
    ]
    assert set(up_to_date(made)) == {"2026-02-26_a.md", "2026-02-26_b.md", "2026-02-26_c.md"}


def test_dated_files_become_a_history_whatever_their_order() -> None:
    files = [arrival(str(year), f"beer.{year}-01-01.md", date(year, 1, 1)) for year in (2025, 2023, 2024)]

    made = after([], *files)

    assert history(made) == [
        ("2023-01-01", "2024-01-01", "live"),
        ("2024-01-01", "2025-01-01", "live"),
        ("2025-01-01", None, "live"),
    ]


def test_a_backdated_version_slots_in() -> None:
    two = after([], arrival("a", "1.md", date(2024, 1, 1)), arrival("c", "3.md", date(2026, 1, 1)))

    made = plan(two, two, [arrival("b", "2.md", date(2025, 1, 1))], NOBODY, TODAY)

    three = stored_after(made, stored=tuple(two))
    assert history(three) == [
        ("2024-01-01", "2025-01-01", "live"),
        ("2025-01-01", "2026-01-01", "live"),
        ("2026-01-01", None, "live"),
    ]
    assert {update.doc_id: update.supersedes for update in made.documents[0].updates} == {
        "acme_beer_2024-01-01": None,
        "acme_beer_2026-01-01": "acme_beer_2025-01-01",
    }


def test_a_future_version_leaves_the_present_one_in_force() -> None:
    first = after([], arrival("a", "1.md", date(2026, 1, 1)))

    made = after(first, arrival("b", "2.md", date(2027, 1, 1)), unchanged=first)

    assert history(made) == [("2026-01-01", "2027-01-01", "live"), ("2027-01-01", None, "live")]


def test_back_to_an_earlier_text_is_a_new_version() -> None:
    first = after([], arrival("a"), today=date(2026, 1, 1))
    second = after(first, replace(arrival("b"), version=_seen(arrival("b"), 1)), today=date(2026, 2, 1))
    assert second[-1].sha256 == up_to_date(second)["beer.md"].sha256 == "b"

    third = after(second, arrival("a"), today=date(2026, 3, 1))

    assert history(third)[-1] == ("2026-03-01", None, "live")
    assert len(third) == 3


def _seen(each: Arrival, days: int) -> DocumentVersion:
    return replace(each.version, seen_at=NOW + timedelta(days=days))


def test_reading_again_with_another_pipeline_keeps_the_day_and_retires_the_old() -> None:
    first = after([], arrival("a"), today=date(2026, 1, 1))

    made = after(first, arrival("a", pipeline="p2"))

    assert history(made) == [("2026-01-01", "2026-01-01", "retired"), ("2026-01-01.2", None, "live")]


def test_a_corrected_date_withdraws_what_the_file_said_before() -> None:
    first = after([], arrival("a", stated=date(2026, 5, 1)))

    made = after(first, arrival("b", stated=date(2026, 4, 1)))

    assert history(made) == [("2026-04-01", None, "live"), ("2026-05-01", "2026-05-01", "retired")]


def test_what_is_gone_is_closed_and_earlier_versions_stay() -> None:
    two = after([], arrival("a", "1.md", date(2024, 1, 1)), arrival("b", "2.md", date(2025, 1, 1)))

    made = plan(two, (), (), NOBODY, TODAY)

    assert made.documents[0].kind is PlanKind.REMOVED
    assert history(stored_after(made, stored=tuple(two))) == [
        ("2024-01-01", "2025-01-01", "live"),
        ("2025-01-01", "2026-06-01", "retired"),
    ]


def test_an_old_file_that_goes_changes_nothing() -> None:
    two = after([], arrival("a", "1.md", date(2024, 1, 1)), arrival("b", "2.md", date(2025, 1, 1)))

    assert plan(two, two[1:], (), NOBODY, TODAY).documents == ()


def test_what_cannot_be_read_is_not_gone() -> None:
    stored = after([], arrival("a"))

    assert plan(stored, (), (), frozenset({"beer.md"}), TODAY).documents == ()


def test_what_was_gone_comes_back_as_a_new_version() -> None:
    gone = after(after([], arrival("a"), today=date(2026, 1, 1)), today=date(2026, 2, 1))
    assert up_to_date(gone) == {}

    made = after(gone, arrival("a"))

    assert history(made) == [("2026-01-01", "2026-02-01", "retired"), ("2026-06-01", None, "live")]


def test_what_is_gone_before_it_held_held_for_no_day() -> None:
    future = after([], arrival("a", stated=date(2027, 1, 1)))

    assert history(after(future)) == [("2027-01-01", "2027-01-01", "retired")]


def test_the_same_bytes_at_two_addresses_are_stored_once() -> None:
    both = plan([], (), [arrival("a", "1.md"), arrival("a", "2.md")], NOBODY, TODAY)
    assert len(both.documents[0].new) == 1
    stored = stored_after(both)

    again = plan(stored, stored, [arrival("a", "2.md")], NOBODY, TODAY)

    assert again.documents == ()
    assert again.checked == {"acme_beer_2026-06-01"}


def test_a_file_that_moved_is_no_change() -> None:
    stored = after([], arrival("a", "old/beer.md"))

    made = plan(stored, (), [arrival("a", "new/beer.md")], NOBODY, TODAY)

    assert made.documents == ()
    assert made.checked == {stored[0].doc_id}


def test_the_same_text_for_two_days_is_two_versions() -> None:
    files = [arrival(text, f"{year}.md", date(year, 1, 1)) for text, year in (("a", 2023), ("b", 2024), ("a", 2025))]

    assert len(after([], *files)) == 3


def test_a_new_file_for_a_document_whose_last_one_is_gone() -> None:
    stored = after([], arrival("b", "2.md", date(2026, 1, 1)))

    made = after(stored, arrival("a", "1.md", date(2025, 1, 1)))

    assert history(made) == [("2025-01-01", "2026-01-01", "live"), ("2026-01-01", "2026-06-01", "retired")]


STEPS = st.lists(
    st.dictionaries(
        st.sampled_from(["1.md", "2.md", "3.md"]),
        st.tuples(
            st.sampled_from("abc"), st.none() | st.integers(0, 400).map(lambda day: date(2026, 1, 1) + timedelta(day))
        ),
    ),
    min_size=1,
    max_size=6,
)


@given(STEPS)
def test_no_day_ever_has_two_versions_and_looking_on_changes_nothing(
    steps: list[dict[str, tuple[str, date | None]]],
) -> None:
    stored: list[DocumentVersion] = []
    for number, files in enumerate(steps):
        today = TODAY + timedelta(days=number)
        for _ in range(3):
            known = up_to_date(stored)
            unchanged = [
                known[name] for name, (text, _) in files.items() if name in known and known[name].sha256 == text
            ]
            names = {version.origin for version in unchanged}
            read = [
                Arrival(replace(arrival(text, name).version, seen_at=NOW + timedelta(days=number)), day)
                for name, (text, day) in sorted(files.items())
                if name not in names
            ]
            made = plan(stored, unchanged, read, NOBODY, today)
            stored = stored_after(made, stored=tuple(stored))
        assert not any(document.new for document in made.documents)
    for day in (date(2026, 1, 1) + timedelta(days) for days in range(0, 420, 7)):
        assert sum(version.holds_on(day) for version in stored) <= 1
