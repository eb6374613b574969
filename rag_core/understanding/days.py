"""The day a question asks about: "as of March 2026", "on 1 July 2025", "in 2024"."""

import calendar
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import dateparser

from rag_core.errors import Rejected

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATE = rf"""(?:
    \d{{4}}-\d{{2}}-\d{{2}}
  | \d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+\d{{4}}
  | {_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}
  | {_MONTH},?\s+(?:of\s+)?\d{{4}}
  | \d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}
  | \d{{4}}-\d{{2}}
  | (?:last|this|next)\s+(?:week|month|year|{_MONTH})
  | yesterday | today | tomorrow | now
  | \d{{4}}
)"""
_MARKED = re.compile(
    rf"\b(?:as\s+of|as\s+at|as\s+on|effective|back\s+in|back\s+on|dated|on|in|during|(?P<before>before))\s+(?:the\s+)?"
    rf"(?P<date>{_DATE})(?![\w-])|\b(?P<bare>yesterday|last\s+(?:week|month|year|{_MONTH}))(?![\w-])",
    re.IGNORECASE | re.VERBOSE,
)
_UNCLEAR = re.compile(r"\bas\s+(?:of|at)\s+(?P<words>\S+(?:\s+\S+){0,2})", re.IGNORECASE)
_NAMES_A_DAY = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)?\b|yesterday|tomorrow|today|now", re.IGNORECASE)
_YEARS = range(1990, 2101)


@dataclass(frozen=True, slots=True)
class DayMention:
    """A day named in a text, with the offsets of the words that name it."""

    day: date
    start: int
    end: int


def find_day(text: str, today: date) -> DayMention | None:
    """The first day that `text` names, or None.

    A month or a year means its last day, but not later than today while it runs: what held in the end.
    "Before" a day means the day before it. Raises Rejected("unclear_day", value=...) for an "as of" without a day
    that can be told: an answer for today would pass for one about that day.
    """
    for match in _MARKED.finditer(text):
        day = parse_day(match["date"] or match["bare"], today)
        if day is not None and match["before"]:
            day = _first_of(match["date"], day) - timedelta(days=1)
        if day is not None:
            return DayMention(day, match.start(), match.end())
    if unclear := _UNCLEAR.search(text):
        raise Rejected("unclear_day", value=unclear["words"])
    return None


def parse_day(words: str, today: date) -> date | None:
    """The day that `words` (a date, month, year, "last month") mean, seen from `today`; None if they mean none."""
    cleaned = " ".join(words.lower().replace(".", " ").split())
    if cleaned in ("now", "today"):
        return today
    if re.fullmatch(r"\d{4}", cleaned):
        return _end_of_year(int(cleaned), today) if int(cleaned) in _YEARS else None
    if iso_month := re.fullmatch(r"(\d{4})-(\d{2})", cleaned):
        year, month = int(iso_month[1]), int(iso_month[2])
        return _end_of_month(year, month, today) if 1 <= month <= 12 and year in _YEARS else None
    return _parse_words(cleaned, today)


def _parse_words(words: str, today: date) -> date | None:
    if relative := re.fullmatch(r"(last|this|next)\s+(week|month|year|\w+)", words):
        return _relative(relative[1], relative[2], today)
    if slashed := re.fullmatch(r"(\d{1,2})[ /](\d{1,2})[ /](\d{4})", words):
        return _numeric(int(slashed[1]), int(slashed[2]), int(slashed[3]), dotted=" " in words)
    settings = {"RELATIVE_BASE": _noon(today), "DATE_ORDER": "DMY", "PREFER_DAY_OF_MONTH": "last"}
    found = dateparser.parse(words, languages=["en"], settings=settings)
    if found is None or found.year not in _YEARS:
        return None
    day = date(found.year, found.month, found.day)
    return day if _NAMES_A_DAY.search(words) else _end_of_month(day.year, day.month, today)


def _numeric(first: int, second: int, year: int, *, dotted: bool) -> date | None:
    """12.3.2025 is the European order; 12/3/2025 can be read two ways and means nothing unless one is impossible."""
    if not dotted and first <= 12 and second <= 12 and first != second:
        return None
    day, month = (second, first) if second > 12 else (first, second)
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _relative(which: str, unit: str, today: date) -> date | None:
    step = {"last": -1, "this": 0, "next": 1}[which]
    if unit == "week":
        return date.fromordinal(today.toordinal() + 7 * step)
    if unit == "year":
        return _end_of_year(today.year + step, today)
    if unit == "month":
        months = today.year * 12 + today.month - 1 + step
        return _end_of_month(months // 12, months % 12 + 1, today)
    named = _month_number(unit)
    if named is None:
        return None
    year = today.year + (step if step else 0)
    if which == "last" and named < today.month:
        year = today.year
    if which == "next" and named > today.month:
        year = today.year
    return _end_of_month(year, named, today)


def _month_number(word: str) -> int | None:
    names = [name.lower()[:3] for name in calendar.month_abbr]
    return names.index(word[:3]) if word[:3] in names[1:] else None


def _end_of_month(year: int, month: int, today: date) -> date:
    return _end(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]), today)


def _end_of_year(year: int, today: date) -> date:
    return _end(date(year, 1, 1), date(year, 12, 31), today)


def _end(first: date, last: date, today: date) -> date:
    return today if first <= today < last else last


def _first_of(words: str, day: date) -> date:
    """The first day of what `words` mean, where `day` is the last."""
    if re.fullmatch(r"\s*\d{4}\s*", words):
        return date(day.year, 1, 1)
    return day if _NAMES_A_DAY.search(words) else day.replace(day=1)


def _noon(today: date) -> datetime:
    """Noon of `today`, for the library that counts in times."""
    return datetime(today.year, today.month, today.day, 12)  # noqa: DTZ001 - the library wants a naive time
