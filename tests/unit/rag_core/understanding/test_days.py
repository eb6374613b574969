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
        ("the second quarter of 2026", date(2026, 6, 30)),
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
    ("text", "day"),
    [
        # a time with its year can be nothing else: it needs no "in" before it
        ("gin in Peru, feb 2026", date(2026, 2, 28)),
        ("raffles april 2026?", date(2026, 4, 30)),
        ("raffles, state of 30 april 2026", date(2026, 4, 30)),
        ("raffles 2024-06-30", date(2024, 6, 30)),
        ("raffles 2024-06", date(2024, 6, 30)),
        ("1 Jan 2026 - raffles?", date(2026, 1, 1)),
        ("raffles, 2025", date(2025, 12, 31)),
        ("the 2025 rules for raffles", date(2025, 12, 31)),
        ("the April rules for raffles", date(2026, 4, 30)),
        ("the version of 3 May 2026", date(2026, 5, 3)),
        ("the version from 3 May 2026", date(2026, 5, 3)),
        ("as of 1-May-2026", date(2026, 5, 1)),
        ("as of 20260501", date(2026, 5, 1)),
        ("as of 2026/05/01", date(2026, 5, 1)),
        ("3 May '26", date(2026, 5, 3)),
        ("as per 1 June 2026", date(2026, 6, 1)),
        # relative to today
        ("two years ago", date(2024, 11, 22)),
        ("as of a couple of months ago", date(2026, 9, 22)),
        ("half a year ago", date(2026, 5, 22)),
        ("a fortnight ago", date(2026, 11, 8)),
        ("three quarters ago", date(2026, 2, 22)),
        ("the day before yesterday", date(2026, 11, 20)),
        ("as of Monday", date(2026, 11, 16)),
        ("last Sunday", date(2026, 11, 15)),
        ("as of next Monday", date(2026, 11, 23)),
        ("last night", date(2026, 11, 21)),
        ("in March of last year", date(2025, 3, 31)),
        ("q3 last year", date(2025, 9, 30)),
        ("last Q3", date(2026, 9, 30)),
        ("last summer", date(2026, 8, 31)),
        ("last May", date(2026, 5, 31)),
        # parts and seasons
        ("back in spring 2024", date(2024, 5, 31)),
        ("winter 2025", date(2025, 2, 28)),
        ("at the end of 2025", date(2025, 12, 31)),
        ("as of end of 2025", date(2025, 12, 31)),
        ("by the end of March", date(2026, 3, 31)),
        ("at the beginning of the year", date(2026, 1, 1)),
        ("early March 2026", date(2026, 3, 10)),
        ("in late April 2026", date(2026, 4, 30)),
        ("mid 2025", date(2025, 7, 2)),
        ("in H1 2026", date(2026, 6, 30)),
        ("in the second half of 2025", date(2025, 12, 31)),
        ("in the year 2023", date(2023, 12, 31)),
        # what held until a day is what held before it
        ("until 1 June 2026", date(2026, 5, 31)),
        ("until the end of June 2026", date(2026, 6, 30)),
        ("before the end of 2025", date(2025, 12, 30)),
        ("as of late", TODAY),
        ("as of the time of writing", TODAY),
    ],
)
def test_days_as_people_write_them(text: str, day: date) -> None:
    found = find_day(text, TODAY)
    assert found is not None
    assert (found.day, found.is_range) == (day, False)


@pytest.mark.parametrize(
    ("text", "first"), [("since two weeks ago", date(2026, 11, 8)), ("since the beginning of 2026", date(2026, 1, 1))]
)
def test_since_a_time_of_which_the_beginning_counts(text: str, first: date) -> None:
    found = find_day(text, TODAY)
    assert found is not None
    assert (found.first, found.day, found.is_range) == (first, TODAY, True)


@pytest.mark.parametrize("text", ["as of 03/05/2026", "on 3/5/2026"])
def test_a_date_in_numbers_is_day_month_year_and_the_other_order_is_told(text: str) -> None:
    found = find_day(text, TODAY)
    assert found is not None
    assert (found.day, found.may_be) == (date(2026, 5, 3), date(2026, 3, 5))


@pytest.mark.parametrize(
    "text",
    [
        "may the headline have up to 2000 characters",
        "ads in 2000 stores",
        "prizes under $2025",
        "our shop was founded in 2019: may it advertise",
        "a casino launched two years ago",
        "next day delivery of flowers",
        "this may be allowed",
        "ads for march madness",
        "ads for spring water",
        "ads on the 2024 election",
        "a raffle spot on Tuesday morning",
        "sweets during the Saturday morning show",
        "a wine of the 2024 vintage",
        "1990s style",
        "3/4 of the picture",
        "as of the current version",
    ],
)
def test_numbers_and_months_that_are_no_day_of_the_question(text: str) -> None:
    assert find_day(text, TODAY) is None


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


@pytest.mark.parametrize("text", ["alcohol as of 31 June 2026", "as of the last update", "as of whenever"])
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
