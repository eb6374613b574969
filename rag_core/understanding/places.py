"""The places that a question names: countries and states, groups of countries, cities, and misspelt names."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from rapidfuzz.distance import OSA

from rag_core.place_names import ADJECTIVES, GROUPS, cities, longest_of, need_a_capital
from rag_core.questions import NoteKind, ScopeNote
from rag_core.regions import GLOBAL, country_of, find_regions, known_names
from rag_core.understanding.thesaurus import corrected, entry_of, stems_of_phrase
from rag_core.understanding.words import is_filler
from rag_core.vocabulary import words

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BETWEEN = re.compile(r"\s*,?\s*(?:in\s+|\()?", re.IGNORECASE)
_IN = re.compile(r"\b(?:in|across|throughout|outside)\s+(?:the\s+)?$", re.IGNORECASE)

_SHORTEST = 6
"""Letters of a word that may be a misspelt place; after "in" one less. Shorter ones are too near to other words."""
_LONG = 8
"""Letters from which two mistakes are forgiven; below, one."""

_RIGHT = words("questions", "right")
"""Right words, and names of other things, that are a letter or two away from the name of a place."""

_ALSO_GOODS = frozenset("nice cologne bordeaux cork bologna limerick havana bombay buffalo porto essen oxford".split())
"""Cities whose names, in small letters, may be what is advertised, or how it is, wherever they stand."""


@dataclass(frozen=True, slots=True)
class PlaceMention:
    """Places named in a text, with the offsets of the words that name them; `kind` where it was not by their names."""

    codes: tuple[str, ...]
    start: int
    end: int
    kind: NoteKind | None = None

    def note(self, text: str) -> ScopeNote | None:
        """What is said of how the words were read; nothing where they are the places' names."""
        return ScopeNote(self.kind, text[self.start : self.end], self.codes) if self.kind else None


@lru_cache(maxsize=5_000)
def find_places(text: str) -> tuple[PlaceMention, ...]:
    """Every place named in `text`, in order; overlapping names count once, the longest first, "global" is none."""
    regions = [PlaceMention((each.code,), each.start, each.end) for each in find_regions(text)]
    named = _apart([*regions, *_groups(text), *_cities(text)])
    settled = _settled([each for each in named if each.codes != (GLOBAL,)], text)
    return tuple(_apart([*settled, *_misspelt(text, [(each.start, each.end) for each in named])]))


def _groups(text: str) -> Iterable[PlaceMention]:
    for match in _group_pattern().finditer(text):
        yield PlaceMention(GROUPS[match[0].lower()], *match.span(), NoteKind.PLACE_GROUP)


def _cities(text: str) -> Iterable[PlaceMention]:
    shouted = text.isupper()
    for match in _city_pattern().finditer(text):
        name = match[0].lower()
        capital = match[0][:1].isupper() and not shouted
        if name not in need_a_capital() or capital or _is_where_a_place_stands(text, match):
            yield PlaceMention((cities()[name],), *match.span(), NoteKind.CITY)


def _is_where_a_place_stands(text: str, name: re.Match[str]) -> bool:
    """Whether a city in small letters is meant as one: "in paris", or at the end ("online casino paris?")."""
    if name[0].lower() in _ALSO_GOODS:
        return False
    return bool(_IN.search(text[: name.start()])) or not text[name.end() :].strip(" ?!.|")


def _apart(mentions: list[PlaceMention]) -> list[PlaceMention]:
    kept: list[PlaceMention] = []
    for mention in sorted(mentions, key=lambda each: (each.start, -each.end)):
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return kept


def _settled(mentions: list[PlaceMention], text: str) -> list[PlaceMention]:
    """With a city that says itself where it lies as one place: "Paris, Texas", "Munich, Germany"."""
    found: list[PlaceMention] = []
    for mention in mentions:
        before = found[-1] if found else None
        if (
            before is not None
            and before.kind is NoteKind.CITY
            and mention.kind is None
            and _BETWEEN.fullmatch(text[before.end : mention.start])
        ):
            lies_in = country_of(before.codes[0]) == mention.codes[0]
            found[-1] = replace(mention, codes=before.codes if lies_in else mention.codes, start=before.start)
        else:
            found.append(mention)
    return found


def _misspelt(text: str, taken: list[tuple[int, int]]) -> Iterable[PlaceMention]:
    for match in _WORD.finditer(text):
        word = match[0].lower()
        shortest = _SHORTEST - 1 if _IN.search(text[: match.start()]) else _SHORTEST
        if len(word) < shortest or any(match.start() < end and start < match.end() for start, end in taken):
            continue
        if codes := meant_places(word):
            kind = NoteKind.MISSPELT_PLACE if len(codes) == 1 else NoteKind.UNCLEAR_PLACE
            yield PlaceMention(codes, *match.span(), kind)


@lru_cache(maxsize=20_000)
def meant_places(word: str) -> tuple[str, ...]:
    """The places that a misspelt `word` (small letters) may be; more than one where nobody can tell.

    A word of the trade or of asking, misspelt or not, is none.
    """
    if word.removesuffix("s") in known_names():  # Indians are not Indiana
        return ()
    if word in _RIGHT or is_filler(word) or entry_of(stems_of_phrase(word)) or corrected(word):
        return ()
    near: dict[str, int] = {}
    for name, code in _names().get(word[0], ()):
        limit = 2 if min(len(name), len(word)) >= _LONG and name not in ADJECTIVES else 1
        if (distance := OSA.distance(name, word, score_cutoff=limit)) <= limit:
            near[code] = min(distance, near.get(code, distance))
    best = min(near.values(), default=0)
    return tuple(sorted(code for code, distance in near.items() if distance == best))


@cache
def _names() -> dict[str, list[tuple[str, str]]]:
    """One-word names that may be misspelt, by first letter, which people get right: of countries and states, their
    longer adjectives, the longest of cities; with their codes."""
    found = {name: code for name, code in cities().items() if name not in need_a_capital() and len(name) > _LONG}
    found |= {name: code for name, code in known_names().items() if name not in ADJECTIVES or len(name) >= _LONG}
    by_letter: dict[str, list[tuple[str, str]]] = {}
    for name, code in found.items():
        if len(name) >= _SHORTEST - 1 and name.isalpha():
            by_letter.setdefault(name[0], []).append((name, code))
    return by_letter


@cache
def _group_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){longest_of(GROUPS)}(?![\w-])", re.IGNORECASE)


@cache
def _city_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){longest_of(cities())}(?![\w-])", re.IGNORECASE)
