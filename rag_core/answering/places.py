"""Does a rule hold in the place asked about, and is a list of places closed?"""

import re
from dataclasses import dataclass
from enum import StrEnum

from rag_core.answering.polarity import split_exception
from rag_core.answering.units import Unit, UnitKind
from rag_core.published_places.names import codes_of, named
from rag_core.regions import GLOBAL, region_named, seen_from, specificity

_CLOSED = re.compile(
    r"\bonly\b(?:\s+\w+){0,6}?\s+(?:in|to|within|for|from)\b"
    r"|\b(?:in|to|within)\s+(?:only\s+)?(?:the\s+)?following\b[^.]*\bonly\b"
    r"|\bonly\b[^.:]*\b(?:the\s+following|these|listed)\b|\blimited\s+to\b|\brestricted\s+to\b"
    r"|\b(?:in|to|within|for)\s+(?:the\s+)?following\s+(?:approved\s+|eligible\s+)?(?:countries|markets|places|territories"
    r"|regions|locations)|\b(?:countries|markets)\s+(?:listed|below)",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"\bonly\b[^.:]*\b(?:countries|places|markets|regions|territories)\b[^.:]*\b(?:listed|below|table|list|following)\b"
    r"|\bonly\b[^.:]*\b(?:listed|following|these)\s+(?:countries|places|markets|regions|territories)\b",
    re.IGNORECASE,
)

_AVAILABLE = re.compile(
    r"^\W*(?:available|eligible|permitted|supported|approved|allowed)\s+"
    r"(?:markets?|countr(?:y|ies)|regions?|locations?|territor(?:y|ies))\W*:",
    re.IGNORECASE,
)
"""A label of a list of places that is the whole list."""


class Standing(StrEnum):
    """What a rule is to the place asked about."""

    HOLDS = "holds"
    ELSEWHERE = "elsewhere"
    LEFT_OUT = "left_out"
    EXCEPTED = "excepted"


@dataclass(frozen=True, slots=True)
class PlaceReading:
    """`standing`: the rule HOLDS here, is about places ELSEWHERE, names a closed list that LEFT_OUT this place, or
    EXCEPTED it. `specificity` as in `regions.specificity`; `places` are those the rule itself names."""

    standing: Standing
    specificity: int
    places: frozenset[str]


def read_place(unit: Unit, place: str | None) -> PlaceReading:
    """How `unit` stands to `place` (None: no place asked, where a rule for named places is ELSEWHERE)."""
    chunk_regions = frozenset(unit.passage.chunk.regions)
    named = _named_places(unit)
    if place is None:
        special = max((specificity(region) for region in chunk_regions), default=0)
        local = GLOBAL not in chunk_regions or (bool(named) and not is_closed_list(unit))
        places = (named or chunk_regions) - {GLOBAL}
        return PlaceReading(Standing.ELSEWHERE if local else Standing.HOLDS, special, frozenset(places))
    return _in_place(unit, named, seen_from(place), chunk_regions)


def _in_place(unit: Unit, named: frozenset[str], seen: frozenset[str], chunk_regions: frozenset[str]) -> PlaceReading:
    special = max((specificity(region) for region in chunk_regions & seen), default=0)
    here = named & seen
    if not chunk_regions & seen:  # retrieval leaves such passages out; the rest of a section is not retrieved
        return PlaceReading(Standing.ELSEWHERE, special, named or chunk_regions)
    if _excepted_places(unit) & seen:
        return PlaceReading(Standing.EXCEPTED, max(special, 2), named)
    if here:
        return PlaceReading(Standing.HOLDS, max(special, *(specificity(each) for each in here)), named)
    if named and is_closed_list(unit):
        return PlaceReading(Standing.LEFT_OUT, max(special, 1), named)
    speaks_of_here = not named or bool(chunk_regions & (seen - {GLOBAL}))
    return PlaceReading(Standing.HOLDS if speaks_of_here else Standing.ELSEWHERE, special, named)


def refers_to_list(unit: Unit) -> bool:
    """Whether it allows only places of a list that stands elsewhere: "in the countries of this table"."""
    return unit.kind is UnitKind.SENTENCE and bool(_LISTED.search(unit.text)) and not _named_places(unit)


def is_closed_list(unit: Unit) -> bool:
    """Whether the places it names are the only ones: "only in the following countries: ..."."""
    if unit.kind is UnitKind.ROW:
        return False
    if unit.kind is UnitKind.SENTENCE:
        return bool(_CLOSED.search(unit.text)) and bool(_named_places(unit))
    if unit.kind is UnitKind.ITEM and _AVAILABLE.match(unit.body[0].text):
        return bool(named(unit.body[0].text))
    listed = any(named(quote.text) for quote in unit.body)
    return listed and any(_CLOSED.search(quote.text) for quote in unit.lead)


def _excepted_places(unit: Unit) -> frozenset[str]:
    """The places that a rule leaves out: "everywhere except France"."""
    if unit.kind is UnitKind.ROW:
        return frozenset()
    return _places_in(split_exception(unit.text)[1])


def _named_places(unit: Unit) -> frozenset[str]:
    if unit.kind is UnitKind.ROW:
        cells = [cell.strip(" *†‡") for quote in unit.body for cell in quote.text.split(" | ")]
        places = {code for cell in cells[:2] for code in _cell_places(cell)}
        return frozenset(places)
    return _places_in(split_exception(unit.text)[0])


def _cell_places(cell: str) -> set[str]:
    whole = region_named(cell)
    return {whole} if whole else set(_places_in(cell))


def _places_in(text: str) -> frozenset[str]:
    """As published texts name places; a group of countries is its members."""
    return frozenset(codes_of(named(text)))
