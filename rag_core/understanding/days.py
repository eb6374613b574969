"""The day a question asks about: "as of March 2026", "on 1 July 2025", "in 2024"."""

import calendar
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache

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
_QUARTER = r"q[1-4],?\s*(?:of\s+)?(?:\d{4})?|(?:first|second|third|fourth|1st|2nd|3rd|4th)\s+quarter(?:\s+of)?\s+\d{4}"
_AGO = (
    r"(?:the\s+)?(?:last|past|previous)\s+(?:\d{1,3}|two|three|six|few|couple\s+of)?\s*(?:days?|weeks?|months?|years?)"
)
_DAY_MONTH = rf"\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?"
_BARE_MONTH = rf"{_DAY_MONTH}|{_MONTH}(?!\s+\d|\s+(?:not|i|we|be)\b)"
_MARKED = re.compile(
    rf"""\b(?:as\s+of|as\s+at|as\s+on|effective|back\s+in|back\s+on|dated|on|in|during|until|till|up\s+to|(?P<at>at)
        |(?P<before>before|prior\s+to)|(?P<since>since|after|from|starting|ever\s+since))\s+
        (?:the\s+(?:end|start|beginning)\s+of\s+)?(?:the\s+)?
        (?P<date>{_QUARTER}|{_DATE}|{_BARE_MONTH})(?![\w-])
      | \b(?:(?:in|over|during|within)\s+)?(?P<ago>{_AGO})(?![\w-])
      | \b(?P<bare>yesterday|today|(?:last|next)\s+(?:week|month|year|quarter|{_MONTH})
        |this\s+(?:week|month|year|quarter))(?![\w-])
      | \b(?P<now>right\s+now|now|nowadays|at\s+the\s+moment|currently)(?=\s*(?:[?.!,]|$))
      | (?<!\w)(?P<quarter>q[1-4]\s+\d{{4}})(?![\w-])""",
    re.IGNORECASE | re.VERBOSE,
)
_BETWEEN = re.compile(
    rf"\b(?:between|from)\s+(?P<first>{_QUARTER}|{_DATE}|{_BARE_MONTH})\s+(?:and|to|until|till)\s+"
    rf"(?P<last>{_QUARTER}|{_DATE}|{_BARE_MONTH})(?![\w-])",
    re.IGNORECASE | re.VERBOSE,
)
_UNCLEAR = re.compile(r"\bas\s+(?:of|at)\s+(?P<words>\S+(?:\s+\S+){0,2})", re.IGNORECASE)
_NAMES_A_DAY = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)?\b|yesterday|tomorrow|today|now", re.IGNORECASE)
_YEARS = range(1990, 2101)
_NUMBERS = {"two": 2, "couple of": 2, "three": 3, "few": 3, "six": 6}
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}


@dataclass(frozen=True, slots=True)
class DayMention:
    """A day named in a text, with the offsets of the words that name it.

    `day`: as of which an answer is wanted. `first`: the first day of what the words mean ("in March": the 1st), for a
    question on changes; None for "before" a day. `is_range`: the words say from when on, not when ("since March").
    """

    day: date
    start: int
    end: int
    first: date | None = None
    is_range: bool = False


def find_day(text: str, today: date) -> DayMention | None:
    """The first day that `text` names, or None.

    A quarter, a month or a year means its last day, but not later than today while it runs: what held in the end. A
    month without a year is the last one that has begun. "Before" a day means the day before it; "since" a day means
    today. Raises Rejected("unclear_day", value=...) for an "as of" without a day that can be told: an answer for today
    would pass for one about that day.
    """
    if between := _between(text, today):
        return between
    for match in _MARKED.finditer(text):
        if (found := _mention(match, today)) is not None:
            return found
    if unclear := _UNCLEAR.search(text):
        raise Rejected("unclear_day", value=unclear["words"])
    return None


def _between(text: str, today: date) -> DayMention | None:
    for match in _BETWEEN.finditer(text):
        first, last = parse_day(match["first"], today), parse_day(match["last"], today)
        if first is not None and last is not None and first <= last:
            return DayMention(last, *match.span(), _first_of(match["first"], first), is_range=True)
    return None


def _mention(match: re.Match[str], today: date) -> DayMention | None:
    if match["ago"] and (begun := _ago(match["ago"], today)) is not None:
        return DayMention(today, *match.span(), begun, is_range=True)
    words = match["now"] or match["date"] or match["bare"] or match["quarter"] or match["ago"]
    if match["at"] and not re.match(r"\d.*\D", words):  # "at 18", "at may"
        return None
    day = parse_day(words, today)
    if day is None:
        return None
    first = _first_of(words, day)
    if match["before"]:
        return DayMention(first - timedelta(days=1), *match.span())
    if match["since"]:
        return DayMention(max(today, first), *match.span(), first, is_range=True)
    return DayMention(day, *match.span(), first)


def _ago(words: str, today: date) -> date | None:
    """The first day of "the last 3 months"; None for "last month", which is a month."""
    found = re.fullmatch(
        r"(the\s+)?(last|past|previous)\s+(\d+|two|three|six|few|couple\s+of)?\s*(day|week|month|year)(s)?",
        words.lower(),
    )
    if found is None or (not found[1] and not found[3] and found[2] == "last"):
        return None
    count = found[3] and " ".join(found[3].split())
    number = int(count) if count and count.isdigit() else _NUMBERS.get(count or "", 1)
    if found[4] in ("day", "week"):
        return today - timedelta(days=number * (7 if found[4] == "week" else 1))
    months = today.year * 12 + today.month - 1 - number * (12 if found[4] == "year" else 1)
    year, month = months // 12, months % 12 + 1
    return date(max(year, 1), month, min(today.day, calendar.monthrange(max(year, 1), month)[1]))


@lru_cache(maxsize=2_000)
def parse_day(words: str, today: date) -> date | None:
    """The day that `words` (a date, month, quarter, year, "last month") mean, seen from `today`; None if none."""
    cleaned = " ".join(words.lower().replace(".", " ").split())
    if cleaned in ("now", "today", "right now", "nowadays", "currently", "at the moment"):
        return today
    return _named_in_full(cleaned, today) or _without_year(cleaned, today)


def _named_in_full(words: str, today: date) -> date | None:
    if re.fullmatch(r"\d{4}", words):
        return _end_of_year(int(words), today) if int(words) in _YEARS else None
    if iso_month := re.fullmatch(r"(\d{4})-(\d{2})", words):
        year, month = int(iso_month[1]), int(iso_month[2])
        return _end_of_month(year, month, today) if 1 <= month <= 12 and year in _YEARS else None
    return _quarter(words, today)


def _without_year(words: str, today: date) -> date | None:
    """A month, or a day of one, that is not after today; else what the library makes of the words."""
    if re.fullmatch(r"\d{4}(?:-\d{2})?", words):
        return None
    if re.fullmatch(_MONTH.removesuffix(r"\.?"), words):
        return _month_passed(words, today)
    if re.fullmatch(_DAY_MONTH.replace(r"\.?", ""), words):
        day = _parse_words(f"{words} {today.year}", today)
        return _parse_words(f"{words} {today.year - 1}", today) if day is None or day > today else day
    return _parse_words(words, today)


def _quarter(words: str, today: date) -> date | None:
    """The last day of "q1 2026", "q1" (the last that has begun), "first quarter of 2026"."""
    found = re.fullmatch(r"q([1-4]),?\s*(?:of\s+)?(\d{4})?|(\w+) quarter(?: of)? (\d{4})", words)
    if found is None:
        return None
    number = int(found[1]) if found[1] else _ORDINALS.get(found[3], 0)
    year = int(found[2] or found[4] or today.year)
    if number == 0 or year not in _YEARS:
        return None
    if not (found[2] or found[4]) and date(year, 3 * number - 2, 1) > today:
        year -= 1
    last = date(year, 3 * number, calendar.monthrange(year, 3 * number)[1])
    return _end(date(year, 3 * number - 2, 1), last, today)


def _month_passed(word: str, today: date) -> date | None:
    """The last day of the last such month that has begun."""
    month = _month_number(word)
    if month is None:
        return None
    return _end_of_month(today.year if month <= today.month else today.year - 1, month, today)


def _parse_words(words: str, today: date) -> date | None:
    if relative := re.fullmatch(r"(last|this|next)\s+(week|month|quarter|year|\w+)", words):
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
    if unit == "quarter":
        months = today.year * 12 + (today.month - 1) // 3 * 3 + 3 * step
        return _end(date(months // 12, months % 12 + 1, 1), _quarter_end(months), today)
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


def _quarter_end(months: int) -> date:
    """The last day of the quarter whose first month is `months` months after the year 0."""
    year, month = (months + 2) // 12, (months + 2) % 12 + 1
    return date(year, month, calendar.monthrange(year, month)[1])


def _first_of(words: str, day: date) -> date:
    """The first day of what `words` mean, where `day` is the last."""
    lowered = words.lower()
    if re.fullmatch(r"\s*\d{4}\s*", words) or re.search(r"(?:last|this|next)\s+year", lowered):
        return date(day.year, 1, 1)
    if re.search(r"q[1-4]|quarter", lowered):
        return date(day.year, (day.month - 1) // 3 * 3 + 1, 1)
    if "week" in lowered:
        return day - timedelta(days=day.weekday())
    return day if _NAMES_A_DAY.search(words) or re.search(r"\d{4}-\d{2}-\d{2}", words) else day.replace(day=1)


def _noon(today: date) -> datetime:
    """Noon of `today`, for the library that counts in times."""
    return datetime(today.year, today.month, today.day, 12)  # noqa: DTZ001 - the library wants a naive time
