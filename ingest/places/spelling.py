"""Misspelt names of places in headings: taken for the place only where one alone can be meant."""

from functools import cache

from rapidfuzz.distance import OSA

from rag_core.place_names import ADJECTIVES
from rag_core.regions import country_of, known_names, region_named

_SHORTEST_NAME = 5
_SHORTEST = 6
"""Letters of a word that may be a misspelling: shorter ones are too near to other words."""
_LONG = 8
"""Letters from which two mistakes are forgiven; below, one."""


def corrected(text: str, country: str | None = None) -> tuple[str, ...]:
    """The codes of every place that `text`, as a whole, may be a misspelling of; () if of none, or if it names one.

    More than one code: it is near to several names ("Austrlia"), and nobody can tell. `country`: whose states count.
    """
    cleaned = " ".join(text.split()).strip(" .:*")
    if len(cleaned) < _SHORTEST or not cleaned[:1].isupper() or region_named(cleaned) is not None:
        return ()
    word = cleaned.lower()
    if region_named(word.removesuffix("s")) is not None:
        return ()
    limit = 2 if len(word) >= _LONG else 1
    near = {
        code
        for name, code in _names().items()
        if name[0] == word[0]
        and ("-" not in code or country_of(code) == country)
        and OSA.distance(name, word, score_cutoff=limit) <= limit
    }
    return tuple(sorted(near))


@cache
def _names() -> dict[str, str]:
    return {
        name: code for name, code in known_names().items() if len(name) >= _SHORTEST_NAME and name not in ADJECTIVES
    }
