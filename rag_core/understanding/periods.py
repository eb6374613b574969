"""Words for a time ("March 2026", "end of 2025", "Q3 last year", "two years ago") -> its first and last day.

Own expressions instead of dateparser, which gives one day and not the first and last of a period. Of 37 times that
people write, version 1.5.0 reads plain days, weekdays and months as this does, but not "end of 2025", "mid 2025", "Q3
last year", "spring 2024", "half a year ago" (16 of them); it takes "Q1 2026" for February and "H1 2026" for a day in
November, and says nothing of 03/05/2026 being two days. Its search finds days in "may the headline" and in "ads in 2000
stores", so what is a time would have to be found here in any case. Speed was no reason (0.6 ms a call).
"""

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)(?:\.(?=[\s,]))?"
)
_YEAR = r"(?:(?:19|20)\d{2}|['’]\d{2}(?!\d))"
_SOME_YEAR = rf"(?:{_YEAR}|(?:of\s+)?(?:last|this|next|the\s+previous|the\s+current)\s+year)"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_SEASON = r"(?:spring|summer|autumn|fall|winter)"
_SEP = r"(?:,?\s+(?:of\s+|in\s+)?|-)"
_COUNT = (
    r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a\s+few|few|(?:a\s+)?couple\s+of"
    r"|half\s+an?)"
)
_UNIT = r"(?:day|week|fortnight|month|quarter|year)"

_NUMERIC = (
    r"20\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)|(?:19|20)\d{2}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)"
    r"|\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d{2}"
)
_DAY_OF_YEAR = rf"{_DAY}(?:\s+(?:of\s+)?|-){_MONTH}{_SEP}{_SOME_YEAR}|{_MONTH}\s+(?:the\s+)?{_DAY}{_SEP}{_SOME_YEAR}"
_OF_YEAR = (
    rf"(?:{_MONTH}|{_SEASON}|q[1-4]|h[12]|(?:first|second|third|fourth|last|1st|2nd|3rd|4th)\s+quarter"
    rf"|(?:first|second|1st|2nd)\s+half){_SEP}{_SOME_YEAR}|{_SOME_YEAR}\s+(?:in\s+)?(?:{_MONTH}|q[1-4])"
)
_ISO_MONTH = r"(?:19|20)\d{2}-\d{2}(?![-\d])"
FULL = rf"(?:{_NUMERIC}|{_DAY_OF_YEAR}|{_OF_YEAR}|{_ISO_MONTH})"
"""A time that names its year: it can be nothing else."""

_DAY_MONTH = rf"{_DAY}\s+(?:of\s+)?{_MONTH}|{_MONTH}\s+(?:the\s+)?{_DAY}(?!\d)"
DAY = rf"(?:{_DAY_MONTH}|{_WEEKDAY})"
SHORT = rf"(?:{DAY}|{_MONTH}|{_SEASON}(?=\s*(?:[?.!,;]|$))|q[1-4]|h[12])"
"""A time of which the last one that has begun is meant; a season with nothing behind it that it could describe."""

RELATIVE = (
    rf"(?:the\s+day\s+before\s+yesterday|yesterday|today|tonight|tomorrow|this\s+morning|last\s+night"
    rf"|(?:last|this|next)\s+(?:week|month|quarter|year|{_SEASON}|q[1-4]|{_WEEKDAY}|(?<!this\s)may|(?!may\b){_MONTH})(?!\s+\d))"
)
AGO = rf"(?:(?:over|more\s+than|about|around|almost|nearly|some)\s+)?{_COUNT}\s+{_UNIT}s?\s+(?:ago|back)"
YEAR = _YEAR
PART = (
    r"(?:(?:the\s+)?(?:very\s+)?(?:end|start|beginning|middle)\s+of\s+(?:the\s+)?|(?:the\s+)?(?:early|mid|late)[\s-]+)"
)
NOW = r"(?:right\s+now|now|nowadays|at\s+the\s+moment|at\s+present|presently|currently|today)"

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
    if re.fullmatch(NOW, cleaned):
        return Period(today, today)
    if (part := re.match(PART, cleaned)) and part.end() < len(cleaned):
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
        rf"(?:(?P<day>{_DAY}) (?P<month>{_MONTH})|(?P<month2>{_MONTH}) (?P<day2>{_DAY}))(?: (?P<year>.+))?", words
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
