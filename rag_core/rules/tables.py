"""A table's row as words: each cell behind the name of its column."""

import re

from rag_core.published_places.names import codes_of, named
from rag_core.regions import seen_from

_EMPTY = frozenset({"-", "", "n/a"})
_ELSEWHERE = re.compile(
    r"(?:the )?(?:rest(?: of (?:the )?world)?|(?:all )?others?(?: \w+)?|elsewhere|row)", re.IGNORECASE
)
"""The name of a column for all places that have none of their own."""


def row_as_words(header: str, row: str, place: str | None = None) -> str | None:
    """ "Category: Betting; Germany: No", without columns of other places than the asked one; None where header and row
    have not the same number of cells."""
    names, cells = (tuple(cell.strip() for cell in text.split(" | ")) for text in (header, row))
    if len(names) != len(cells) or len(cells) < 2:
        return None
    own = place is not None and any(places_of(name) & seen_from(place) for name in names)
    pairs = [
        (name, cell)
        for name, cell in zip(names, cells, strict=True)
        if cell.lower() not in _EMPTY
        and not (place and _is_of_another_place(name, place))
        and not (own and _ELSEWHERE.fullmatch(name))
    ]
    return "; ".join(f"{name}: {cell}" if name not in ("-", "") else cell for name, cell in pairs)


def places_of(text: str) -> frozenset[str]:
    """The places that a published text names; a group of countries is its members."""
    return frozenset(codes_of(named(text)))


def _is_of_another_place(name: str, place: str) -> bool:
    places = places_of(name)
    return bool(places) and not places & seen_from(place)
