"""Labels and openings that limit one line to places: `Germany: ...`, `In Germany, ...`, `Except in Norway, ...`."""

import re

from ingest.places.headings import EXCEPT, SCOPE_WORDS, scope_in_words
from ingest.places.scopes import Places, country_in, within
from rag_core.published_places.names import CONNECTS, named, only_places, without

_NUMBER = re.compile(r"^(?:(?:rule|section|§)\s*)?\d+(?:\.\d+)*[.)]?\s+", re.IGNORECASE)
_LABEL = re.compile(r"^([^:.!?]{2,120}):(?:\s+(.*))?$", re.DOTALL)
_DASH_LABEL = re.compile(r"^([^:.!?]{2,80}?)\s[-–—]\s+(.*)$", re.DOTALL)
_ABBREVIATED = re.compile(r"\b(U\.S(?:\.A)?|U\.K|E\.U|D\.C)\.(?=[\s:,]|$)|\bSt\.(?=\s)")
_IN_PLACE = re.compile(r"^(?:(?:In|For|Within|Only in)\s+)")
_SHOWN_IN_PLACE = re.compile(
    r"^(?:If|When|Where|For)\s+(?:(?:you|your|the|an|any|all|advertisers?|ads?|campaigns?|is|are|being|you're|that|"
    r"which|running|run|showing|advertise|advertising)\s+)*"
    r"(?:(?:shown|served|delivered|displayed|running|run|runs)\s+(?:in|to\s+(?:users|people)\s+in|within)|"
    r"targeting|targets?|targeted\s+(?:at|to))\s+"
)
_NOT_IN_PLACE = re.compile(r"^(?:Except(?:\s+(?:in|for))?|With the exception of|Outside(?:\s+of)?)\s+")
_ALL_BUT = re.compile(
    r"^(?:in\s+)?(?:all|any|every|each|the)?\s*(?:other\s+)?(?:countries|markets|regions|places|country)$",
    re.IGNORECASE,
)
_EVERYWHERE = re.compile(r"^(?:everywhere|worldwide|globally)$", re.IGNORECASE)
_LONGEST_OPENING = 120
_SENTENCE_GOES_ON = re.compile(r"[.!?]['”\")]?\s+[A-Z0-9“(]")


def of_label(line: str, around: Places) -> Places | None:
    """Where a paragraph or list item holds that begins with a place as its label: `Germany: ads must ...`.

    Also `In Germany, ads must ...` and `Except in Norway, ...`, if that is one sentence. None where there is no such
    label, and for a list of places behind a label (`Europe: France, Spain`), which says where something holds, not
    for whom it was written.
    """
    text = _NUMBER.sub("", _ABBREVIATED.sub(_without_dots, line))
    country = country_in(around.regions)
    for pattern in (_LABEL, _DASH_LABEL):
        match = pattern.match(text)
        if match and (found := _of_words(match[1], around, country, dashed=pattern is _DASH_LABEL)):
            return None if match[2] and only_places(match[2].rstrip("."), country) else found
    return _of_opening(text, around, country)


def _without_dots(match: re.Match[str]) -> str:
    return match[1].replace(".", "") if match[1] else "Saint"


def _of_words(label: str, around: Places, country: str | None, *, dashed: bool) -> Places | None:
    wide, *rest = EXCEPT.split(label, maxsplit=1)
    if rest and not dashed:
        excluded = only_places(rest[0].strip(" )"), country)
        if excluded and (not wide.strip() or _ALL_BUT.match(wide.strip()) or _EVERYWHERE.match(wide.strip())):
            return _all_but(excluded, around)
        scope = only_places(wide, country)
        return Places(within(scope, around), excluded) if scope and excluded else None
    if codes := only_places(_IN_PLACE.sub("", label), country):
        return _limited(codes, around)
    found = named(label)
    if dashed or not found or any(each.doubtful for each in found):
        return None
    codes = _limit_of(label)
    return _limited(codes, around) if codes else None


def _limited(codes: tuple[str, ...], around: Places) -> Places:
    regions = within(codes, around)
    return around if regions == around.regions else Places(regions)


def _all_but(codes: tuple[str, ...], around: Places) -> Places:
    return Places(around.regions, tuple(dict.fromkeys((*around.excluded, *codes))), around.doubt)


def _limit_of(label: str) -> tuple[str, ...]:
    """`Requirements for Germany`, `Users in France`: nothing but words of scope beside the places."""
    found = named(label)
    if CONNECTS.sub("", SCOPE_WORDS.sub("", without(label, found))):
        return ()
    return scope_in_words(label, found) or ()


def _of_opening(text: str, around: Places, country: str | None) -> Places | None:
    if _SENTENCE_GOES_ON.search(text):
        return None
    for pattern in (_NOT_IN_PLACE, _IN_PLACE, _SHOWN_IN_PLACE):
        opening = pattern.match(text)
        codes = _places_before_comma(text, opening.end(), country) if opening else ()
        if codes and pattern is _NOT_IN_PLACE:
            return _all_but(codes, around)
        if codes:
            return _limited(codes, around)
    return None


def _places_before_comma(text: str, start: int, country: str | None) -> tuple[str, ...]:
    """`... the European Union, Norway and Turkey, ads must ...`: all three."""
    commas = [start + match.start() for match in re.finditer(r",", text[start : start + _LONGEST_OPENING])]
    options = (only_places(text[start:comma], country) for comma in reversed(commas))
    return next((codes for codes in options if codes), ())
