"""The day a question asks about: "as of March 2026", "on 1 July 2025", "in 2024", "two years ago", "until June"."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

from rag_core.errors import Rejected
from rag_core.understanding.periods import AGO, DAY, FULL, NOW, PART, RELATIVE, SHORT, YEAR, Period, back, period_of

_UNDATED = r"(?!\s+(?:not|i|we|be)\b)"
"""Behind "may": there it is no month."""
_COUNTED = (
    r"(?!\s*(?:px|pixels?|characters?|words|users?|followers?|people|players|members|calories|kcal|euros?|dollars?|pounds"
    r"|impressions|clicks|stores|shops|items|ads?|seconds|points|%))"
)
"""Behind a number of four digits that counts something."""
_BARE_YEAR = rf"{YEAR}{_COUNTED}"
_TIME = rf"(?:{PART}?(?:{FULL}|{_BARE_YEAR}|{RELATIVE}|{SHORT}{_UNDATED})|{PART}(?:week|month|quarter|year)|{AGO})"
_SURE = rf"(?:{PART}?(?:{FULL}|{RELATIVE})|{PART}(?:{YEAR}|{SHORT}|week|month|quarter|year)|{AGO})"
_VERSION = r"(?:versions?|polic(?:y|ies)|rules?|guidelines?|requirements?|restrictions|edition|terms)"
_SO_LATE = r"(?:late|yet|this\s+moment|(?:the\s+(?:time|moment)\s+of\s+)?writing)"
_LAST = (
    r"(?:the\s+)?(?:last|past|previous)\s+(?:(?P<count>\d{1,3}|two|three|four|six|few|couple\s+of|twelve)\s+)?"
    r"(?P<unit>day|week|month|quarter|year)(?P<plural>s)?"
)
_OTHER_LAST = re.sub(r"\?P<\w+>", "", _LAST)
_MARKED = re.compile(
    rf"""\b(?:(?P<as_of>as\s+(?:of|at|on|per)|effective|valid|in\s+force|back(?:\s+(?:in|on))?|dated|per|state\s+of|status
        |stand|by|around|circa|in|during|throughout|(?:what|how)\s+about|{_VERSION}\s+(?:of|from|dated|for|in))
        |(?P<until>until|till|up\s+to) | (?P<before>before|prior\s+to)
        |(?P<since>since|after|as\s+from|from|starting(?:\s+(?:in|from))?|beginning\s+in|ever\s+since))\s+
        (?!the\s+\d{{4}}\s+[a-z])(?:the\s+)?(?:(?:day|date|month|year|week|fy)\s+(?:of\s+)?)?(?P<date>{_TIME})(?![\w-])
      | \bas\s+(?:of|at)\s+(?P<so_late>{_SO_LATE})\b
      | \b(?:on|at)\s+(?:the\s+)?(?:day\s+(?:of\s+)?|date\s+)?(?P<on>{_SURE}|{DAY})(?![\w-])
      | \b(?:the\s+)?(?P<attribute>{FULL}|{YEAR}|{SHORT})(?=(?:\s+ad)?\s+{_VERSION}\b)
      | \b{_VERSION}\s*,?\s+(?P<behind>{YEAR})(?=\W*$)
      | (?:^|(?<=[,;:(\[]\s)|(?<=[,;:(\[])|(?<=\s-\s))(?P<alone>{PART}?{YEAR})(?=\s*(?:[,;:)\]?!]|-\s|$))
      | (?<![\w$€£/.-])(?P<bare>{_SURE})(?![\w/-]|\.\d)
      | \b(?:(?:in|over|during|within)\s+)?(?P<ago>{_OTHER_LAST})(?![\w-])
      | \b(?P<now>{NOW})(?=\s*(?:[?.!,]|$))""",
    re.IGNORECASE | re.VERBOSE,
)
_BETWEEN = re.compile(
    rf"\b(?:between|from)\s+(?P<first>{_TIME})\s+(?:and|to|until|till|through)\s+(?P<last>{_TIME}|{NOW})(?![\w-])",
    re.IGNORECASE,
)
_UNCLEAR = re.compile(
    r"\bas\s+(?:of|at)\s+(?!(?:the\s+)?(?:latest|current|newest|present)\b)(?P<words>\S+(?:\s+\S+){0,2})", re.IGNORECASE
)
_NOT_MEANT = re.compile(r"(?:may|march|fall|spring|mar|dec|h[12])", re.IGNORECASE)
"""Words that are a time only behind "in" and its like."""
_OF_A_THING = re.compile(
    r"\b(?:founded|launched|created|registered|started|opened|released|born|built|established|made|filmed|recorded|shot"
    r"|bought|signed|joined|expired|ended|died|won|dating)\s+(?:\w+\s+){0,1}$",
    re.IGNORECASE,
)
"""Before a day that says when something came to be, not as of when the rules are asked for."""
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
    found = period_of(words, today)
    if found is None or found.last.year < _LEAST_YEAR or _OF_A_THING.search(match.string[: match.start()]):
        return None
    return None if match["attribute"] and _NOT_MEANT.fullmatch(words) else _meant(match, found, today)


_WORDS = ("date", "on", "attribute", "behind", "alone", "bare", "ago", "now")


def _meant(match: re.Match[str], found: Period, today: date) -> DayMention:
    span, words = match.span(), match["date"] or ""
    is_day = found.first == found.last and not re.match(PART, words, re.IGNORECASE)
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
