"""The day a question asks about: "as of March 2026", "on 1 July 2025", "in 2024", "two years ago", "until June"."""

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from rag_core.errors import Rejected
from rag_core.vocabulary import pattern, regex

_MONTH, _SEASON, _NUMBER, _YEAR, _SOME_YEAR, _COUNT, _UNIT, _PART, _NOW, _LAST = (
    regex("days", section)
    for section in ("month", "season", "number", "year", "some_year", "count", "unit", "part", "now", "last")
)
_YEARS = range(1990, 2101)
_NUMBERS = {
    word: number
    for number, words in enumerate(
        "an a one;two couple;three few;four;five;six;seven;eight;nine;ten;eleven;twelve".split(";"), 1
    )
    for word in words.split()
}
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": 4}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_WEEKDAYS = [each.lower() for each in calendar.day_name]


@dataclass(frozen=True, slots=True)
class Period:
    """The first and the last day of what words mean. `may_be`: the other day that a date in numbers can be read as."""

    first: date
    last: date
    may_be: date | None = None

    def until(self, today: date) -> date:
        """The last day, or today while the period runs."""
        return today if self.first <= today < self.last else self.last


@lru_cache(maxsize=2_000)
def period_of(words: str, today: date) -> Period | None:
    """What `words` mean, seen from `today`; None if they name no time.

    A month, season, quarter or day without a year is the last one that has begun. Seasons are those of the north. A
    date in numbers that can be read in two orders is day, month, year; `may_be` says the other.
    """
    cleaned = " ".join(words.lower().replace("’", "'").replace(",", " ").split())
    if re.fullmatch(_NOW, cleaned):
        return Period(today, today)
    if (part := re.match(_PART, cleaned)) and part.end() < len(cleaned):
        whole = period_of(cleaned[part.end() :], today)
        return _part(part[0], whole) if whole is not None else None
    if ago := _ago(cleaned, today):
        return ago
    cleaned = re.sub(r"(?<=[a-z])\.|\b(?:the|of|in)\s+(?!previous|current)", "", cleaned)
    cleaned = re.sub(r"(?<=[a-z])-(?=\d)|(?<=\d)-(?=[a-z])", " ", cleaned)
    try:
        return next((found for each in _READERS if (found := each(cleaned, today)) is not None), None)
    except (ValueError, OverflowError):  # 31 June
        return None


def _part(word: str, whole: Period) -> Period:
    """The beginning, the middle or the end of a period: as of its first, a middle or its last day."""
    length = (whole.last - whole.first).days + 1
    third, middle = timedelta(days=length // 3), whole.first + timedelta(days=(length - 1) // 2)
    if "end" in word:
        return Period(whole.last, whole.last)
    if "start" in word or "beginning" in word:
        return Period(whole.first, whole.first)
    if "early" in word:
        return Period(whole.first, whole.first + third - timedelta(days=1))
    if "late" in word:
        return Period(whole.last - third + timedelta(days=1), whole.last)
    return Period(middle, middle)


def _numeric(words: str, today: date) -> Period | None:
    if found := re.fullmatch(r"(\d{4})([-/.]?)(\d{1,2})\2(\d{1,2})", words):
        return _one(date(int(found[1]), int(found[3]), int(found[4])))
    found = re.fullmatch(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})", words)
    if found is None:
        return None
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    if second > 12:
        return _one(date(year, first, second))
    other = date(year, first, second) if first <= 12 and first != second and found[2] in "/-" else None
    return _one(date(year, second, first), other)


def _one(day: date, other: date | None = None) -> Period | None:
    return Period(day, day, other) if day.year in _YEARS else None


def _day_of_month(words: str, today: date) -> Period | None:
    """With its year, or the last one that is not after today."""
    found = re.fullmatch(
        rf"(?:(?P<day>{_NUMBER}) (?P<month>{_MONTH})|(?P<month2>{_MONTH}) (?P<day2>{_NUMBER}))(?: (?P<year>.+))?", words
    )
    if found is None:
        return None
    month = _month_number(found["month"] or found["month2"])
    number = int(re.sub(r"\D", "", found["day"] or found["day2"]))
    if found["year"]:
        year = _year(found["year"], today)
        return _one(date(year, month, number)) if year else None
    day = date(today.year, month, number)
    return _one(day if day <= today else date(today.year - 1, month, number))


def _part_of_year(words: str, today: date) -> Period | None:
    """A month, quarter, half or season, with its year before or behind it, or without one."""
    found = re.fullmatch(rf"(?P<which>{_MONTH}|{_SEASON}|q[1-4]|h[12]|\w+ (?:quarter|half))(?: (?P<year>.+))?", words)
    found = found or re.fullmatch(rf"(?P<year>{_SOME_YEAR}) (?P<which>{_MONTH}|q[1-4])", words)
    if found is None or (within := _months(found["which"])) is None:
        return None
    if found["year"]:
        year = _year(found["year"], today)
        return within(year) if year else None
    this = within(today.year)
    return this if this.first <= today else within(today.year - 1)


def _months(which: str) -> Callable[[int], Period] | None:
    """The period of that name in a given year."""
    if which in _SEASONS:
        start = _SEASONS[which]
        return lambda year: _span(year if start < 12 else year - 1, start, 3)
    if found := re.fullmatch(r"q(\d)|(\w+) quarter", which):
        number = int(found[1]) if found[1] else _ORDINALS.get(found[2], 0)
        return (lambda year: _span(year, 3 * number - 2, 3)) if number else None
    if found := re.fullmatch(r"h(\d)|(\w+) half", which):
        half = int(found[1]) if found[1] else _ORDINALS.get(found[2], 0)
        return (lambda year: _span(year, 6 * half - 5, 6)) if half in (1, 2) else None
    month = _month_number(which)
    return lambda year: _span(year, month, 1)


def _span(year: int, month: int, months: int) -> Period:
    end = year * 12 + month - 1 + months
    return Period(date(year, month, 1), date(end // 12, end % 12 + 1, 1) - timedelta(days=1))


def _whole_year(words: str, today: date) -> Period | None:
    year = _year(words, today) if re.fullmatch(_YEAR, words) else None
    return Period(date(year, 1, 1), date(year, 12, 31)) if year else None


def _iso_month(words: str, today: date) -> Period | None:
    found = re.fullmatch(r"(\d{4})-(\d{2})", words)
    return _span(int(found[1]), int(found[2]), 1) if found and int(found[1]) in _YEARS else None


def _year(words: str, today: date) -> int | None:
    if found := re.fullmatch(r"(?:the )?(last|this|next|previous|current) year", words):
        return today.year + {"last": -1, "previous": -1, "next": 1}.get(found[1], 0)
    digits = words.removeprefix("'")
    year = 2000 + int(digits) if words.startswith("'") and digits.isdigit() else int(digits) if digits.isdigit() else 0
    return year if year in _YEARS else None


def _near_today(words: str, today: date) -> Period | None:
    days = {"yesterday": 1, "last night": 1, "this morning": 0, "today": 0, "tonight": 0, "tomorrow": -1}
    days["day before yesterday"] = 2
    return _one(today - timedelta(days=days[words])) if words in days else None


def _relative(words: str, today: date) -> Period | None:
    """ "last month", "this week", "next March", "last Tuesday"."""
    found = re.fullmatch(r"(last|this|next) (\w+)|(week|month|quarter|year)", words)
    if found is None:
        return None
    step, unit = {"last": -1, "next": 1}.get(found[1], 0), found[2] or found[3]
    if unit in _WEEKDAYS:
        return _weekday(unit, today, step)
    match unit:
        case "week":
            monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
            return Period(monday, monday + timedelta(days=6))
        case "month" | "quarter" | "year":
            length = {"month": 1, "quarter": 3, "year": 12}[unit]
            start = ((today.year * 12 + today.month - 1) // length + step) * length
            return _span(start // 12, start % 12 + 1, length)
        case _:
            return _named(unit, today, step)


def _named(unit: str, today: date, step: int) -> Period | None:
    """The last one that is over, that of this year, or the next one that has not begun."""
    within = _months(unit) if re.fullmatch(rf"{_MONTH}|{_SEASON}|q[1-4]", unit) else None
    if within is None:
        return None
    if not step:
        return within(today.year)
    years = (today.year, today.year - 1) if step < 0 else (today.year, today.year + 1)
    found = [within(year) for year in years]
    return next((each for each in found if (each.last < today if step < 0 else each.first > today)), found[-1])


def _weekday(name: str, today: date, step: int) -> Period | None:
    back = (today.weekday() - _WEEKDAYS.index(name)) % 7
    if step > 0:
        return _one(today + timedelta(days=7 - back))
    return _one(today - timedelta(days=back or (7 if step < 0 else 0)))


def _bare_weekday(words: str, today: date) -> Period | None:
    return _weekday(words, today, 0) if words in _WEEKDAYS else None


def _ago(words: str, today: date) -> Period | None:
    found = re.fullmatch(rf"(?:[a-z]+ (?:than )?)??({_COUNT}) ({_UNIT})s? (?:ago|back)", words)
    return _one(back(today, found[1], found[2])) if found else None


_READERS = (
    _numeric, _iso_month, _whole_year, _near_today, _relative, _bare_weekday, _day_of_month, _part_of_year,
)  # fmt: skip


def back(today: date, count: str, unit: str) -> date:
    """The day that lies `count` ("3", "a couple of", "half a") of `unit` ("month") before `today`."""
    words = count.split()
    if words and words[0] == "half":
        number, unit = {"year": (6, "month"), "month": (15, "day"), "quarter": (6, "week")}.get(unit, (3, "day"))
    else:
        named = [_NUMBERS[word] for word in words if word in _NUMBERS]
        number = int(count) if count.isdigit() else max(named, default=1)
    if unit in ("day", "week", "fortnight"):
        return today - timedelta(days=number * {"day": 1, "week": 7, "fortnight": 14}[unit])
    months = today.year * 12 + today.month - 1 - number * {"month": 1, "quarter": 3, "year": 12}[unit]
    year, month = max(months // 12, 1), months % 12 + 1
    return date(year, month, min(today.day, calendar.monthrange(year, month)[1]))


def _month_number(word: str) -> int:
    return [name.lower()[:3] for name in calendar.month_abbr].index(word[:3])


_MARKED, _BETWEEN = pattern("days", "marked"), pattern("days", "between")
_UNCLEAR = pattern("questions", "unclear")
_NOT_MEANT = re.compile(r"(?:may|march|fall|spring|mar|dec|h[12])", re.IGNORECASE)
"""Words that are a time only behind "in" and its like."""
_OF_A_THING = pattern("questions", "of_a_thing")
"""Before a day that says when something came to be, not as of when the rules are asked for."""
_DURING = re.compile(r"by|around|circa|in|during|throughout|(?:what|how)\s+about", re.IGNORECASE)
"""Before a weekday: that is when an ad is to run."""
_LEAST_YEAR = 2005
"""Numbers of four digits below count something."""


@dataclass(frozen=True, slots=True)
class DayMention:
    """A day named in a text, with the offsets of the words that name it.

    `day`: as of which an answer is wanted. `first`: the first day of what the words mean ("in March": the 1st), for a
    question on changes; None for "before" a day. `is_range`: the words say from when on, not when ("since March").
    `may_be`: the day that a date in numbers means to those who write the month first.
    """

    day: date
    start: int
    end: int
    first: date | None = None
    is_range: bool = False
    may_be: date | None = None


def find_day(text: str, today: date) -> DayMention | None:
    """The first day that `text` names, or None.

    A quarter, a month or a year means its last day, but not later than today while it runs: what held in the end. A
    month without a year is the last one that has begun. "Before" a day, and "until" it, means the day before it;
    "since" a day means today. Raises Rejected("unclear_day", value=...) for an "as of" without a day that can be told:
    an answer for today would pass for one about that day.
    """
    if between := _between(text, today):
        return between
    for match in _MARKED.finditer(text):
        if (found := _mention(match, today)) is not None:
            return found
    if unclear := _UNCLEAR.search(text):
        raise Rejected("unclear_day", value=unclear["words"])
    return None


def parse_day(words: str, today: date) -> date | None:
    """The day that `words` (a date, month, quarter, year, "last month") mean, seen from `today`; None if none."""
    found = period_of(words, today)
    return found.until(today) if found is not None else None


def _between(text: str, today: date) -> DayMention | None:
    for match in _BETWEEN.finditer(text):
        first, last = period_of(match["first"], today), period_of(match["last"], today)
        if first is not None and last is not None and first.first <= last.last:
            return DayMention(last.until(today), *match.span(), first.first, is_range=True)
    return None


def _mention(match: re.Match[str], today: date) -> DayMention | None:
    if match["ago"] and (begun := _last_ones(match["ago"], today)) is not None:
        return DayMention(today, *match.span(), begun, is_range=True)
    words = "now" if match["so_late"] else next(match[name] for name in _WORDS if match[name])
    is_planned = match["on"] or (match["as_of"] and _DURING.fullmatch(match["as_of"]))
    found = None if is_planned and words.lower() in _WEEKDAYS else period_of(words, today)
    if found is None or found.last.year < _LEAST_YEAR or _OF_A_THING.search(match.string[: match.start()]):
        return None
    return None if match["attribute"] and _NOT_MEANT.fullmatch(words) else _meant(match, found, today)


_WORDS = ("date", "on", "attribute", "behind", "alone", "bare", "ago", "now")


def _meant(match: re.Match[str], found: Period, today: date) -> DayMention:
    span, words = match.span(), match["date"] or ""
    is_day = found.first == found.last and not re.match(_PART, words, re.IGNORECASE)
    if match["before"] or (match["until"] and is_day):
        return DayMention(found.first - timedelta(days=1), *span, may_be=found.may_be)
    if match["since"]:
        return DayMention(max(today, found.first), *span, found.first, is_range=True, may_be=found.may_be)
    return DayMention(found.until(today), *span, found.first, may_be=found.may_be)


def _last_ones(words: str, today: date) -> date | None:
    """The first day of "the last 3 months"; None for "last month", which is a month."""
    found = re.fullmatch(_LAST, " ".join(words.lower().split()))
    if found is None or (not words.lower().startswith("the") and not found["count"] and "last" in words.lower()):
        return None
    return back(today, found["count"] or "one", found["unit"])
