"""Does a rule hold in the place asked about, and is a list of places closed?"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from rag_core.published_places.names import codes_of, named
from rag_core.regions import GLOBAL, region_named, seen_from, specificity
from rag_core.rules.cues import opinion_of
from rag_core.rules.reader import Effect, RuleText
from rag_core.rules.rule import Rule, rules_in
from rag_core.rules.structure import RuleKind
from rag_core.vocabulary import pattern

_CLOSED = pattern("rules", "closed")
_FOLLOWING = pattern("rules", "following")
"""A list that is closed where what it says of its places is a permission."""

_SCOPE = re.compile(r"\W*(?:in|for|within)\s+(?:each\s+of\s+)?the\s+following\b", re.IGNORECASE)
"""A lead-in that begins with its places says what holds there, and nothing of others: "In the following countries"."""

_LISTED = pattern("rules", "listed")
_UNLISTED = pattern("rules", "unlisted")

_AVAILABLE = pattern("rules", "available")
"""A label of a list of places that is the whole list."""


_EXCEPTION = pattern("rules", "exception")


class Standing(StrEnum):
    """What a rule is to the place asked about."""

    HOLDS = "holds"
    ELSEWHERE = "elsewhere"
    LEFT_OUT = "left_out"
    EXCEPTED = "excepted"


@dataclass(frozen=True, slots=True)
class PlaceReading:
    """`names_place`: it names the asked place, or leaves it out of a closed list.

    `standing`: the rule HOLDS here, is about places ELSEWHERE, names a closed list that LEFT_OUT this place, or
    EXCEPTED it. `specificity` as in `regions.specificity`; `places` are those the rule itself names."""

    standing: Standing
    specificity: int
    places: frozenset[str]
    names_place: bool = False


def read_place(unit: Rule, place: str | None) -> PlaceReading:
    """How `unit` stands to `place` (None: no place asked, where a rule for named places is ELSEWHERE)."""
    chunk_regions = frozenset(unit.passage.chunk.regions)
    named = _named_places(unit)
    if place is None:
        special = max((specificity(region) for region in chunk_regions), default=0)
        local = GLOBAL not in chunk_regions or (bool(named) and not is_closed_list(unit))
        places = (named or chunk_regions) - {GLOBAL}
        return PlaceReading(Standing.ELSEWHERE if local else Standing.HOLDS, special, frozenset(places))
    return _in_place(unit, named, seen_from(place), chunk_regions)


def _in_place(unit: Rule, named: frozenset[str], seen: frozenset[str], chunk_regions: frozenset[str]) -> PlaceReading:
    special = max((specificity(region) for region in chunk_regions & seen), default=0)
    here = named & seen
    if not chunk_regions & seen:  # retrieval leaves such passages out; the rest of a section is not retrieved
        return PlaceReading(Standing.ELSEWHERE, special, named or chunk_regions)
    if _excepted_places(unit) & seen:
        return PlaceReading(Standing.EXCEPTED, max(special, 2), named)
    if here:
        return PlaceReading(
            Standing.HOLDS, max(special, *(specificity(each) for each in here)), named, names_place=True
        )
    if named and is_closed_list(unit):
        if _named_beside(unit) & seen:
            return PlaceReading(Standing.ELSEWHERE, special, named)
        return PlaceReading(Standing.LEFT_OUT, max(special, 1), named, names_place=True)
    speaks_of_here = not named or bool(chunk_regions & (seen - {GLOBAL}))
    return PlaceReading(Standing.HOLDS if speaks_of_here else Standing.ELSEWHERE, special, named)


def refers_to_list(unit: Rule) -> bool:
    """Whether it allows only places of a list that stands elsewhere: "in the countries of this table"."""
    return unit.kind is RuleKind.SENTENCE and bool(_LISTED.search(unit.text)) and not _named_places(unit)


def bans_unlisted(unit: Rule) -> bool:
    """Whether it bans in all places but those that the rules beside it name: "in all other countries"."""
    if unit.kind is not RuleKind.SENTENCE or not _UNLISTED.search(unit.text) or _named_places(unit):
        return False
    return opinion_of(RuleText((), "", split_exception(unit.text)[0])).effect is Effect.PROHIBITS


def is_closed_list(unit: Rule) -> bool:
    """Whether the places it names are the only ones: "only in the following countries: ..."; never those of a ban."""
    if not _named_places(unit) or (effect := opinion_of(unit.as_read()).effect) is Effect.PROHIBITS:
        return False
    if unit.kind is RuleKind.SENTENCE:
        text = unit.text
        return any(_places_in(text[match.start() :]) for match in _closings(text, effect))
    if unit.kind is RuleKind.ITEM and _AVAILABLE.match(unit.body[0].text):
        return True
    leads = [quote.text for quote in unit.lead if not _SCOPE.match(quote.text)]
    return any(True for lead in leads for _ in _closings(lead, effect))


def _closings(text: str, effect: Effect | None) -> Iterator[re.Match[str]]:
    """What closes a list, in `text` of a rule with `effect`."""
    yield from _CLOSED.finditer(text)
    if effect in (Effect.ALLOWS, Effect.LIMITS):
        yield from _FOLLOWING.finditer(text)


def _named_beside(unit: Rule) -> frozenset[str]:
    """The places that the other items of its list, or rows of its table, name."""
    if unit.kind not in (RuleKind.ITEM, RuleKind.ROW):
        return frozenset()
    beside = (each for each in rules_in(unit.passage) if each.kind is unit.kind and each.lead == unit.lead)
    return frozenset(place for each in beside for place in _named_places(each))


def _excepted_places(unit: Rule) -> frozenset[str]:
    """The places that a rule leaves out: "everywhere except France"; or that the sentence behind it does: "This does
    not apply to France."."""
    if unit.kind is RuleKind.ROW:
        return frozenset()
    texts = [unit.text]
    if _EXCEPTION.search(unit.passage.chunk.chunk_text):
        texts += [each.body[0].text for each in rules_in(unit.passage) if _excepts_from(each, unit)]
    return frozenset(place for text in texts for place in _places_in(split_exception(text)[1]))


def _excepts_from(later: Rule, unit: Rule) -> bool:
    """Whether `later` is nothing but an exception from `unit`, in front of which it stands."""
    if later.kind is not RuleKind.SENTENCE or later.lead[-1:] != unit.body[-1:]:
        return False
    text = later.body[0].text
    match = _EXCEPTION.search(text)
    return match is not None and len(text[: match.start()].split()) <= 1


def _named_places(unit: Rule) -> frozenset[str]:
    if unit.kind is RuleKind.ROW:
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


def split_exception(text: str) -> tuple[str, str]:
    """The main clause and what it excepts: "Except in France, ..." has its exception in front."""
    match = _EXCEPTION.search(text)
    if match is None:
        return text, ""
    if match.start() == 0:
        excepted, _, main = match["what"].partition(",")
        return main.strip(), excepted.strip()
    return text[: match.start()], match["what"].strip(" .,:")
