"""Numbers with their units: "14 days" is neither "14 weeks" nor "14". Units are told apart, never converted."""

import re
from functools import lru_cache

_UNITS = {
    name: unit
    for unit, names in {
        "second": "second seconds sec secs s",
        "minute": "minute minutes min mins",
        "hour": "hour hours hr hrs h",
        "day": "day days",
        "working day": "working-day",
        "week": "week weeks",
        "month": "month months",
        "quarter": "quarter quarters",
        "year": "year years yr yrs",
        "time": "time times",
        "millimetre": "millimetre millimetres millimeter millimeters mm",
        "centimetre": "centimetre centimetres centimeter centimeters cm",
        "metre": "metre metres meter meters m",
        "kilometre": "kilometre kilometres kilometer kilometers km",
        "inch": "inch inches",
        "foot": "foot feet ft",
        "yard": "yard yards",
        "mile": "mile miles",
        "gram": "gram grams g",
        "milligram": "milligram milligrams mg",
        "kilogram": "kilogram kilograms kg",
        "litre": "litre litres liter liters l",
        "millilitre": "millilitre millilitres milliliter milliliters ml",
        "pixel": "pixel pixels px",
        "byte": "byte bytes",
        "kilobyte": "kilobyte kilobytes kb",
        "megabyte": "megabyte megabytes mb",
        "gigabyte": "gigabyte gigabytes gb",
        "character": "character characters",
        "word": "word words",
        "frame": "frame frames fps",
        "percentage point": "pp",
        "euro": "euro euros eur",
        "dollar": "dollar dollars usd",
        "pound": "pound pounds gbp",
    }.items()
    for name in names.split()
}
_NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty ninety hundred"
).split()
_VALUES = [*range(1, 21), 30, 40, 50, 60, 90, 100]
_BY_WORD = {word: str(value) for word, value in zip(_NUMBER_WORDS, _VALUES, strict=True)}
_MEASURE = re.compile(
    rf"(?<![\w.,])(?P<number>\d+(?:[.,]\d+)*|\b(?:{'|'.join(_NUMBER_WORDS)})\b)(?:[\s-]+(?P<kind>working|business|calendar)\b)?"
    r"[\s-]*(?P<unit>[a-z]+)?\b",
    re.IGNORECASE,
)


def is_unit(word: str) -> bool:
    """Whether `word` is the name of a unit, spelled out."""
    return len(word) > 2 and word.lower() in _UNITS


@lru_cache(maxsize=2_000)
def measures_in(text: str) -> dict[str, frozenset[str]]:
    """The units of each number ("" for one without); a number spelled out is its figure."""
    found: dict[str, frozenset[str]] = {}
    for match in _MEASURE.finditer(text):
        number = _BY_WORD.get(match["number"].lower(), match["number"].replace(",", ""))
        unit = _UNITS.get((match["unit"] or "").lower(), "")
        kind = (match["kind"] or "").lower().replace("business", "working").replace("calendar", "")
        found[number] = found.get(number, frozenset()) | {f"{kind} {unit}".strip() if unit else ""}
    return found


_EACH = re.compile(
    r"\b(?:(?:an?|each|every)\s+(?=hour|day|week|month|quarter|year)|per\s+(?!cent))(?P<period>[a-z]+)", re.IGNORECASE
)


_AGE = re.compile(r"\d\s+\w+\s+old\b", re.IGNORECASE)
_AGE_TOO = re.compile(
    r"\b(?:old|older|young\w*|age|aged|ages|adults?|minors?|born|\d+\s*\+|(?:over|under)\s+\d+)\b", re.IGNORECASE
)


def changes_a_unit(claim: str, source: str) -> bool:
    """Whether a number of `claim` has another unit than in `source`, or "a month" becomes "a week"."""
    ours, known_periods = ({each["period"].lower() for each in _EACH.finditer(text)} for text in (claim, source))
    if ours - known_periods or (_AGE.search(claim) and not _AGE_TOO.search(source)):
        return True
    theirs = measures_in(source)
    for number, units in measures_in(claim).items():
        known = theirs.get(number, frozenset())
        if units - {""} - known and known - {""}:
            return True
    return False
