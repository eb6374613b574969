"""The facts in a sentence that can be compared exactly: amounts with unit and limit, days, places."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from rag_core.published_places.names import codes_of, named, without

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = re.compile(
    rf"\b(?:(?P<y1>\d{{4}})-(?P<m1>\d{{2}})-(?P<d1>\d{{2}})"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m2>{_MONTH}),?\s+(?P<y2>\d{{4}})"
    rf"|(?P<m3>{_MONTH})\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y3>\d{{4}})"
    rf"|(?P<m4>{_MONTH}),?\s+(?:of\s+)?(?P<y4>\d{{4}})"
    rf"|(?P<d5>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<m5>(?-i:{'|'.join(name.capitalize() for name in _MONTHS)}))"
    rf"|(?P<m6>(?-i:{'|'.join(name.capitalize() for name in _MONTHS if name != 'may')})))(?!\w)",
    re.IGNORECASE,
)
_TWO_TO_TWENTY = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_TWO_TO_TWENTY, 2)} | {
    "twice": "2", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100",
}  # fmt: skip
_UNITS = {
    name: names.split()[0]
    for names in """
    seconds second secs sec s|minutes minute mins min|hours hour hrs hr h|days day|weeks week|months month
    quarters quarter|years year yrs yr|times time|millimetres millimetre millimeters millimeter mm
    centimetres centimetre centimeters centimeter cm|metres metre meters meter m
    kilometres kilometre kilometers kilometer km|inches inch|feet foot ft|yards yard|miles mile|milligrams milligram mg
    grams gram g|kilograms kilogram kg|millilitres millilitre milliliters milliliter ml|litres litre liters liter l
    pixels pixel px|bytes byte|kilobytes kilobyte kb|megabytes megabyte mb|gigabytes gigabyte gb|characters character
    words word|frames frame fps|am a.m|pm p.m
    %|percent|€ euros euro eur|$ dollars dollar usd|£ pounds pound gbp|¥ yen jpy
    """.replace("\n", "|").split("|")
    for name in names.split()
} | {"percent": "%", "per cent": "%"}
_AGE = frozenset({"", "years"})
"""An age is said with and without its unit."""

_LARGER, _SMALLER = "more|greater|longer|larger|bigger|higher", "less|fewer|shorter|smaller|lower"
_LEAST = (
    rf"at\s+least|minimum(?:\s+age)?(?:\s+of|\s+is|:)?|(?:no|not)\s+(?:{_SMALLER}|younger|earlier)\s+than"
    rf"|(?<!no\s)(?<!not\s)(?:{_LARGER}|older)\s+than|over|above|exceed(?:s|ing)?"
)
_MOST = (
    rf"at\s+most|maximum(?:\s+of|\s+is|:)?|up\s+to|(?:no|not)\s+(?:{_LARGER}|older|later)\s+than|not\s+exceed(?:ing)?"
    rf"|(?<!no\s)(?<!not\s)(?:{_SMALLER}|younger)\s+than|under|below|within"
)
_AMOUNT = re.compile(
    rf"(?:\b(?:(?P<least>{_LEAST})|(?P<most>{_MOST}))\s+(?:the\s+age\s+of\s+)?)?(?P<currency>[€$£¥]\s?)?(?<![\w.])"
    rf"(?:(?P<clock>\d{{1,2}}:\d{{2}})|(?P<digits>\d+(?:[.,]\d+)*)|\b(?P<word>{'|'.join(_NUMBER_WORDS)})\b)"
    r"(?:[\s-]*(?P<unit>%|[€$£¥]|percent\b|per\s+cent\b|[ap]\.m(?!\w)|(?!(?:or|and)\b)[a-z]+\b(?![-'’]\w)))?"
    rf"(?P<behind_least>\s*\+|\s+(?:old\s+|of\s+age\s+)?(?:or|and)\s+(?:over|older|above|up|{_LARGER})\b)?"
    rf"(?P<behind_most>\s+(?:old\s+|of\s+age\s+)?(?:or|and)\s+(?:under|younger|below|{_SMALLER})\b)?",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_ALL_LEAST, _ALL_MOST = (re.compile(rf"\b{word}\b", re.IGNORECASE) for word in ("minimum", "maximum"))

_WHEN = {
    "before": re.compile(r"\b(?:before|prior\s+to|ahead\s+of|in\s+advance)\b", re.IGNORECASE),
    "after": re.compile(r"\b(?:after|following\s+(?:the|an?)|once|afterwards)\b", re.IGNORECASE),
    "within": re.compile(r"\b(?:within|no\s+later\s+than)\b", re.IGNORECASE),
    "until": re.compile(r"\b(?i:until|till|through|by|to|up\s+to\s+and\s+including)\s+(?=\d|[A-Z][a-z]+\s+\d)"),
    "from": re.compile(
        r"\b(?i:from|since|starting|beginning|effective|as\s+of|on\s+or\s+after)\s+(?i:on\s+|from\s+)?(?=\d|[A-Z][a-z]+\s+\d)"
    ),
}


@dataclass(frozen=True, slots=True)
class Amount:
    """`unit` "" where none is said; `limits`: "least", "most" or none."""

    number: str
    unit: str
    limits: frozenset[str]


@dataclass(frozen=True, slots=True)
class Facts:
    """Of one text. `rest`: the text without them."""

    amounts: tuple[Amount, ...]
    days: tuple[str, ...]
    places: frozenset[str]
    times: frozenset[str]
    rest: str

    @property
    def numbers(self) -> frozenset[str]:
        return frozenset(each.number for each in self.amounts)

    def units_of(self, number: str) -> frozenset[str]:
        return frozenset("" if each.unit in _AGE else each.unit for each in self.amounts if each.number == number)

    def limits_of(self, number: str) -> frozenset[str]:
        return frozenset().union(*(each.limits for each in self.amounts if each.number == number))


@lru_cache(maxsize=8_000)
def facts_of(text: str) -> Facts:
    """The amounts, days, places and words of time in `text`."""
    places = named(text)
    undated = _DAY.sub(" ; ", without(text, places))
    rest = _AMOUNT.sub(_rest, undated)
    days = tuple(_day(match) for match in _DAY.finditer(text))
    times = frozenset(name for name, pattern in _WHEN.items() if pattern.search(text))
    return Facts(tuple(_amounts(undated)), days, frozenset(codes_of(places)), times, rest)


def _amounts(text: str) -> Iterator[Amount]:
    around = {"least"} if _ALL_LEAST.search(text) else {"most"} if _ALL_MOST.search(text) else set()
    for match in _AMOUNT.finditer(text):
        limits = {
            side
            for side, groups in (("least", ("least", "behind_least")), ("most", ("most", "behind_most")))
            if any(match[group] for group in groups)
        }
        yield Amount(_number(match), _unit(match), frozenset(limits or around))


def _number(match: re.Match[str]) -> str:
    if match["word"]:
        return _NUMBER_WORDS[match["word"].lower()]
    if match["clock"]:
        return match["clock"].zfill(5)
    digits = match["digits"]
    return re.sub(r"\.0+$", "", digits.replace(",", "") if _THOUSANDS.fullmatch(digits) else digits)


def _unit(match: re.Match[str]) -> str:
    said = " ".join((match["currency"] or match["unit"] or "").lower().split())
    return _UNITS.get(said, "")


def _rest(match: re.Match[str]) -> str:
    """What is no amount after all: the word behind a number that is no unit."""
    return f" {match['unit']} " if match["unit"] and not _unit(match) else " ; "


def _day(match: re.Match[str]) -> str:
    groups = match.groupdict()
    year, month, day = (
        next((value for name, value in groups.items() if name[0] == kind and value), "") for kind in "ymd"
    )
    return f"{year}-{_month(month):02}-{day.zfill(2)}"


def _month(word: str) -> int:
    if word.isdigit():
        return int(word)
    return next(number for number, name in enumerate(_MONTHS, 1) if name[:3] == word.lower()[:3])
