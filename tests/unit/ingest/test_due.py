from datetime import UTC, datetime, timedelta

import pytest

from ingest.catalogue.schedules import read_schedule
from ingest.ports import ItemState, SourceRun
from ingest.watch.service import AT_ONCE, due_at, items_retry_at

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOURLY, DAILY = read_schedule("every 1h"), read_schedule("daily 03:00")
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def looked(failures: int = 0, finished: datetime | None = NOON + MINUTE) -> SourceRun:
    return SourceRun("acme", NOON, finished, "source_timeout" if failures else "", failures)


def test_a_source_that_was_never_looked_at_is_due_at_once() -> None:
    assert due_at(None, HOURLY, timedelta(), 0.0) == due_at(None, None, timedelta(), 0.0) == AT_ONCE


def test_the_schedule_counts_from_the_beginning_of_the_last_look_and_the_chance_adds_its_share() -> None:
    assert due_at(looked(), HOURLY, 10 * MINUTE, 0.0) == NOON + HOUR
    assert due_at(looked(), HOURLY, 10 * MINUTE, 0.5) == NOON + HOUR + 5 * MINUTE
    assert due_at(looked(), DAILY, 10 * MINUTE, 0.9) == datetime(2026, 6, 2, 3, 9, tzinfo=UTC)


def test_without_a_schedule_a_source_that_was_read_is_never_due() -> None:
    assert due_at(looked(), None, timedelta(), 0.0) is None


@pytest.mark.parametrize(("failures", "minutes"), [(1, 5), (2, 10), (3, 20), (4, 40), (5, 80)])
def test_what_failed_is_tried_again_after_longer_and_longer(failures: int, minutes: int) -> None:
    for schedule in (DAILY, read_schedule("every 5m"), None):
        assert due_at(looked(failures), schedule, timedelta(), 0.0) == NOON + MINUTE + minutes * MINUTE


def test_what_failed_too_often_waits_for_its_schedule_and_80_minutes_at_least() -> None:
    assert due_at(looked(6), DAILY, timedelta(), 0.0) == datetime(2026, 6, 2, 3, tzinfo=UTC)
    assert due_at(looked(6), read_schedule("every 5m"), timedelta(), 0.0) == NOON + MINUTE + 80 * MINUTE
    assert due_at(looked(6), None, timedelta(), 0.0) is None


def test_a_look_that_was_broken_off_is_repeated_at_once_and_then_after_longer_and_longer() -> None:
    assert due_at(looked(0, None), DAILY, timedelta(), 0.0) == NOON
    assert due_at(looked(2, None), DAILY, timedelta(), 0.0) == NOON + 10 * MINUTE
    assert due_at(looked(99, None), DAILY, timedelta(), 0.0) == NOON + 80 * MINUTE


def test_a_document_that_did_not_answer_is_tried_before_the_schedule_says_so() -> None:
    retry = NOON + 6 * MINUTE
    assert due_at(looked(), DAILY, timedelta(), 0.0, retry) == retry
    assert due_at(looked(), None, timedelta(), 0.0, retry) == retry
    assert due_at(looked(), HOURLY, timedelta(), 0.0, NOON + 2 * HOUR) == NOON + HOUR


def test_the_first_document_to_try_again_counts_unless_it_was_tried_too_often_or_is_no_longer_there() -> None:
    states = [
        ItemState("late", failures=1, retry_at=NOON + HOUR),
        ItemState("soon", failures=5, retry_at=NOON + MINUTE),
        ItemState("given up", failures=6, retry_at=NOON + timedelta(seconds=1)),
        ItemState("before the last look", failures=1, retry_at=NOON),
        ItemState("fine"),
    ]
    assert items_retry_at(states, looked()) == NOON + MINUTE
    assert items_retry_at(states[2:], looked()) is None
    assert items_retry_at(states, None) == NOON
