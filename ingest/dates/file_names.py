"""Dates and version marks in the names of files: "alcohol_v2_20260301.pdf"."""

import re
from collections.abc import Iterator
from datetime import date

from ingest.dates.phrases import read_day

_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_WORD = r"(?<![0-9A-Za-z]){}(?![0-9A-Za-z])"
_YEAR = r"(?:19|20)\d\d"
_HAS_YEAR = re.compile(_YEAR)
_OTHERS = tuple(
    re.compile(_WORD.format(form), re.IGNORECASE)
    for form in (
        rf"(?P<year>{_YEAR})(?P<month>\d\d)(?P<day>\d\d)",
        rf"(?P<year>{_YEAR})(?P<sign>[-_. ])(?P<month>\d\d)(?P=sign)(?P<day>\d\d)",
        rf"(?P<one>\d\d)(?P<sign>[-_. ])(?P<two>\d\d)(?P=sign)(?P<year>{_YEAR})",
        rf"(?P<written>\d{{1,2}}(?:st|nd|rd|th)?[-_. ]?[a-z]{{3,9}}[-_. ,]{{0,2}}{_YEAR})",
        rf"(?P<written>[a-z]{{3,9}}[-_. ]?\d{{1,2}}(?:st|nd|rd|th)?[-_. ,]{{1,2}}{_YEAR})",
    )
)
_YEARS = range(1995, 2100)
"""Of the forms that a number which is no date may have too."""
_VERSION = re.compile(_WORD.format(r"(?:v\.?|(?:version|ver)[-_. ]*)(\d{1,3}(?:\.\d{1,3}){0,3})"), re.IGNORECASE)
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")


def stem_of(file_name: str) -> str:
    """The last part of a path without its extension; ".1" is none: "Alcohol Policy v2.1"."""
    name = _last_part(file_name)
    return _EXTENSION.sub("", name) or name


def date_in_name(file_name: str) -> date | None:
    """The day in "2026-02-26_ab12.md", "alcohol.2025-03-01.md", "alcohol_20250301.pdf" or "alcohol 31-12-2025.md".

    None if there is none, no such day, several, or one that could be another: 01-03-2026 (with dots too: people who
    write the month first use them where a name may hold no strokes), march-2026.
    """
    name = _last_part(file_name)
    if match := _ISO.search(name):
        return _day(match[1], match[2], match[3])
    days = {day for _, day in _dates(name)}
    return days.pop() if len(days) == 1 else None


def without_dates(stem: str) -> str:
    """`stem` without what `date_in_name` may read; and without what looks like an ISO date, though it is no day."""
    if _ISO.search(stem):
        return _ISO.sub("", stem)
    found = list(_dates(stem))
    if len({day for _, day in found}) != 1:
        return stem
    for start, end in sorted((span for span, _ in found), reverse=True):
        stem = stem[:start] + stem[end:]
    return stem


def version_in_name(file_name: str) -> tuple[int, ...] | None:
    """The version that a name states: "alcohol_v1.md" -> (1,), "Alcohol Policy v2.1.pdf" -> (2, 1); else None.

    None also if it states several. Versions compare as tuples do.
    """
    versions = {match[1] for match in _VERSION.finditer(without_dates(stem_of(file_name)))}
    return tuple(int(part) for part in versions.pop().split(".")) if len(versions) == 1 else None


def without_version(stem: str) -> str:
    """`stem` without what `version_in_name` reads."""
    versions = {match[1] for match in _VERSION.finditer(stem)}
    return _VERSION.sub("", stem) if len(versions) == 1 else stem


def _last_part(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _dates(name: str) -> Iterator[tuple[tuple[int, int], date]]:
    if _HAS_YEAR.search(name) is None:
        return
    for form in _OTHERS:
        for match in form.finditer(name):
            day = _read(match.groupdict())
            if day is not None and day.year in _YEARS:
                yield match.span(), day


def _read(parts: dict[str, str | None]) -> date | None:
    if "written" in parts:
        meant = read_day(re.sub(r"[-_. ,]+", " ", str(parts["written"])))
        return meant.day if meant is not None else None
    if "one" not in parts:
        return _day(str(parts["year"]), str(parts["month"]), str(parts["day"]))
    one, two, year = str(parts["one"]), str(parts["two"]), str(parts["year"])
    readings = {day for day in (_day(year, two, one), _day(year, one, two)) if day is not None}
    return readings.pop() if len(readings) == 1 else None


def _day(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
