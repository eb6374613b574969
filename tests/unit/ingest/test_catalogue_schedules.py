from datetime import UTC, datetime, timedelta

import pytest

from ingest.catalogue.schedules import read_jitter, read_schedule, read_span

LAST = datetime(2026, 11, 20, 14, 30, tzinfo=UTC)  # a Friday


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("every 6h", datetime(2026, 11, 20, 20, 30, tzinfo=UTC)),
        ("Every  30m", datetime(2026, 11, 20, 15, 0, tzinfo=UTC)),
        ("every 2 d", datetime(2026, 11, 22, 14, 30, tzinfo=UTC)),
        ("daily 03:00", datetime(2026, 11, 21, 3, 0, tzinfo=UTC)),
        ("daily 14:30", datetime(2026, 11, 21, 14, 30, tzinfo=UTC)),
        ("weekly mon 09:15", datetime(2026, 11, 23, 9, 15, tzinfo=UTC)),
        ("weekly friday 15:00", datetime(2026, 11, 20, 15, 0, tzinfo=UTC)),
        ("0 */6 * * *", datetime(2026, 11, 20, 18, 0, tzinfo=UTC)),
        ("15 8 1 * *", datetime(2026, 12, 1, 8, 15, tzinfo=UTC)),
    ],
)
def test_the_next_look(text: str, due: datetime) -> None:
    assert read_schedule(text).next_after(LAST) == due


def test_the_delay_is_a_part_of_the_jitter() -> None:
    schedule = read_schedule("every 6h")

    assert schedule.next_after(LAST, timedelta(minutes=10), 0.5) == LAST + timedelta(hours=6, minutes=5)
    assert schedule.next_after(LAST, timedelta(minutes=10), 0.0) == LAST + timedelta(hours=6)


@pytest.mark.parametrize("text", ["", "hourly", "every", "every 6", "daily", "daily 25:00", "daily 3", "weekly 09:00"])
def test_other_words_are_refused_with_what_would_be_understood(text: str) -> None:
    with pytest.raises(ValueError, match="write every 6h, daily 03:00"):
        read_schedule(text)


@pytest.mark.parametrize(("text", "problem"), [("every 4m", "at least every 5m"), ("60 * * * *", "is no schedule")])
def test_what_cannot_be(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_schedule(text)


def test_spans() -> None:
    assert [read_span(text) for text in ("90m", "6h", " 2D ")] == [
        timedelta(minutes=90),
        timedelta(hours=6),
        timedelta(days=2),
    ]
    with pytest.raises(ValueError, match="write 30m"):
        read_span("soon")
    with pytest.raises(ValueError, match="at most 1d"):
        read_jitter("25h")
