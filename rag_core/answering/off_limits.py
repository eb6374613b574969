"""Places that ads must not be aimed at: "Advertisers may not target states where it is illegal (Ohio, Iowa)"."""

import re
from collections.abc import Sequence

from rag_core.answering.coverage import without
from rag_core.answering.units import Unit, UnitKind
from rag_core.questions import QueryTerm
from rag_core.regions import GLOBAL, find_regions, seen_from
from rag_core.understanding.words import FILLER_STEMS, stem

_NOT_THERE = re.compile(
    r"\b(?:(?:may|must|can|should|shall|do|does)(?:\s+not|n['’]?t)|cannot|can['’]t|never)\s+(?:be\s+)?"
    r"(?:target(?:ed)?(?:\s+(?:to|at|in))?|(?:shown|served|displayed|delivered|directed|run|appear|advertise)\s+(?:to|at|in))\b"
    r"(?P<where>[^.;]*)",
    re.IGNORECASE,
)
_OF_PLACES = FILLER_STEMS | frozenset(
    stem(word)
    for word in """
    state states province provinces territory territories resident residents living live located location locations
    remain remains illegal unlawful law laws listed following certain jurisdiction jurisdictions customers consumers
    """.split()
)


def is_off_limits(unit: Unit, terms: Sequence[QueryTerm], place: str | None) -> bool:
    """Whether a rule says that ads must not reach `place`, and not only somebody there: "minors in Ohio" are not
    Ohio."""
    if place is None or unit.kind is UnitKind.ROW:
        return False
    seen = seen_from(place) - {GLOBAL}
    return any(
        _is_there(match["where"], terms, seen) for quote in unit.body for match in _NOT_THERE.finditer(quote.text)
    )


def _is_there(where: str, terms: Sequence[QueryTerm], seen: frozenset[str]) -> bool:
    mentions = find_regions(where)
    if not any(mention.code in seen for mention in mentions):
        return False
    for mention in reversed(mentions):
        where = f"{where[: mention.start]} , {where[mention.end :]}"
    return not set(without(where, terms)) - _OF_PLACES
