"""Days as people write them, seen from 22 November 2026."""

from datetime import date

import pytest

from rag_core.errors import Rejected
from rag_core.understanding.days import find_day, parse_day

TODAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("alcohol as of March 2026", date(2026, 3, 31)),
        ("as of 2026-03-01 alcohol", date(2026, 3, 1)),
        ("on 1 July 2025", date(2025, 7, 1)),
        ("on March 3rd, 2025", date(2025, 3, 3)),
        ("what was allowed in 2024?", date(2024, 12, 31)),
        ("in 2026", TODAY),
        ("last march", date(2026, 3, 31)),
        ("as of last December", date(2025, 12, 31)),
        ("as of November 2026", TODAY),
        ("in December 2026", date(2026, 12, 31)),
        ("before 1 July 2026", date(2026, 6, 30)),
        ("before March 2026", date(2026, 2, 28)),
        ("before 2025", date(2024, 12, 31)),
        ("yesterday", date(2026, 11, 21)),
        ("as of last month", date(2026, 10, 31)),
        ("as of now", TODAY),
        ("as of 12.3.2025", date(2025, 3, 12)),
        ("as of 25/03/2025", date(2025, 3, 25)),
        ("as of March", date(2026, 3, 31)),
        ("as of December", date(2025, 12, 31)),
        ("in may", date(2026, 5, 31)),
        ("in Q1 2026", date(2026, 3, 31)),
        ("q4", None),
        ("in Q4", TODAY),
        ("the second quarter of 2026", None),
        ("in the second quarter of 2026", date(2026, 6, 30)),
        ("last quarter", date(2026, 9, 30)),
        ("next month", date(2026, 12, 31)),
        ("is it ok right now?", TODAY),
        ("as of 1 July", date(2026, 7, 1)),
        ("as of December 5", date(2025, 12, 5)),
        ("until June 2026", date(2026, 6, 30)),
        ("prior to 2025", date(2024, 12, 31)),
        ("in 29 February", None),
    ],
)
def test_the_day_a_question_names(text: str, day: date | None) -> None:
    found = find_day(text, TODAY)
    assert (found.day if found else None) == day


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what changed since March", date(2026, 3, 1), TODAY),
        ("changes since 1 March 2026?", date(2026, 3, 1), TODAY),
        ("after Q1 2026", date(2026, 1, 1), TODAY),
        ("between March and June 2026", date(2026, 3, 1), date(2026, 6, 30)),
        ("from 2024 to 2025", date(2024, 1, 1), date(2025, 12, 31)),
        ("in the last 3 months", date(2026, 8, 22), TODAY),
        ("over the past two weeks", date(2026, 11, 8), TODAY),
        ("last 30 days", date(2026, 10, 23), TODAY),
    ],
)
def test_from_when_until_when(text: str, first: date, last: date) -> None:
    found = find_day(text, TODAY)
    assert found is not None
    assert (found.is_range, found.first, found.day) == (True, first, last)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("in March 2026", date(2026, 3, 1)),
        ("in 2025", date(2025, 1, 1)),
        ("last month", date(2026, 10, 1)),
        ("last year", date(2025, 1, 1)),
        ("in Q2 2026", date(2026, 4, 1)),
        ("on 5 March 2026", date(2026, 3, 5)),
        ("last week", date(2026, 11, 9)),
        ("before 1 July 2026", None),
    ],
)
def test_the_first_day_of_what_the_words_mean(text: str, first: date | None) -> None:
    found = find_day(text, TODAY)
    assert found is not None
    assert (found.is_range, found.first) == (False, first)


@pytest.mark.parametrize(
    "text",
    [
        "can I advertise to people 18 plus",
        "in 5050",
        "may I run ads",
        "rule 4.2 on beer",
        "march",
        "from 18 years",
        "at 2025",
        "now that it is out",
    ],
)
def test_what_is_no_day(text: str) -> None:
    assert find_day(text, TODAY) is None


@pytest.mark.parametrize("text", ["alcohol as of 31 June 2026", "as of 12/03/2025", "as of whenever"])
def test_an_as_of_that_names_no_certain_day_is_refused(text: str) -> None:
    with pytest.raises(Rejected, match="unclear_day"):
        find_day(text, TODAY)


def test_offsets_cover_the_marker_too() -> None:
    text = "beer as of March 2026 in France"
    found = find_day(text, TODAY)
    assert found is not None
    assert text[found.start : found.end] == "as of March 2026"


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("next year", date(2027, 12, 31)),
        ("next january", date(2027, 1, 31)),
        ("2026-13", None),
        ("last blursday", None),
    ],
)
def test_single_phrases(words: str, day: date | None) -> None:
    assert parse_day(words, TODAY) == day
