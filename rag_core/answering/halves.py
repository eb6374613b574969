"""A sentence that says two things: its halves, and claims that say of one half what holds for the other."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from rag_core.answering import facts
from rag_core.answering.measures import is_unit
from rag_core.questions import QueryTerm
from rag_core.regions import find_regions
from rag_core.understanding.terms import blank_out, terms_of
from rag_core.understanding.words import is_filler, words_of

_VERB = r"(?:is|are|was|were|must|may|can|could|should|shall|will|do|does|has|have|needs?|cannot|can['’]t)"
SPLIT = re.compile(
    rf";|,?\s+\b(?:but|while|whereas|yet|however)\b|,\s+and\b|\s+and\s*,|\s+and\b(?=\s+(?:[\w-]+\s+){{0,3}}?{_VERB}\b)",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(r"\b(?:is|are|do|does|may|can|must|will)\s+not\W*$", re.IGNORECASE)
_FIRST_VERB = re.compile(rf"\b{_VERB}\b", re.IGNORECASE)


@lru_cache(maxsize=8_000)
def side_by_side(text: str) -> tuple[tuple[str, str], ...]:
    """Content words that stand side by side, without as much as a comma between them."""
    found = words_of(text)
    return tuple(
        (one.stem, next_.stem)
        for one, next_ in pairwise(found)
        if text[one.end : next_.start].isspace() and not is_filler(one.text) and not is_filler(next_.text)
    )


def subject_of(text: str) -> str:
    """What stands before the verb."""
    verb = _FIRST_VERB.search(text)
    return text[: verb.start()] if verb else ""


@dataclass(frozen=True, slots=True)
class _Part:
    """A half of a sentence; `things` are stems of what it speaks of, those of the subject that it shares among them."""

    things: frozenset[str]
    own: frozenset[str]
    negative: bool
    numbers: frozenset[str]


@lru_cache(maxsize=4_000)
def _parts(text: str) -> tuple[_Part, ...]:
    parts: list[_Part] = []
    shared: frozenset[str] = frozenset()
    for piece in SPLIT.split(text):
        if not piece.strip():
            continue
        verb = _FIRST_VERB.search(piece)
        subject = frozenset(content_of(piece[: verb.start()])) if verb else frozenset()
        own = frozenset(content_of(piece))
        if verb and (subject or not parts):
            shared = subject
        negative = facts.negates(piece)
        if _ELLIPSIS.search(piece) and parts and parts[-1].negative:
            negative = False  # "Beer is banned; wine is not."
        parts.append(_Part(own | shared, own, negative, facts.numbers_in(piece)))
    return tuple(parts)


def mixes_parts(claim: str, source: str) -> bool:
    """Whether one half of the claim has words of two halves of the source, each of which has them alone."""
    theirs = _parts(source)
    if len(theirs) < 2:
        return False
    for part in _parts(claim):
        touched = 0
        for position, other in enumerate(theirs):
            elsewhere = frozenset().union(*(each.things for at, each in enumerate(theirs) if at != position))
            touched += bool(part.own & (other.own - elsewhere))
        if touched > 1:
            return True
    return False


def pieces_of(source: str) -> list[str]:
    return [piece for piece in SPLIT.split(source) if piece.strip()]


def about_the_same(claim: str, source: str) -> str:
    """The halves of the source that speak of what the claim does and no other half does; all of it, if none does."""
    pieces = pieces_of(source)
    words = [frozenset(content_of(piece)) for piece in pieces]
    ours = frozenset(content_of(claim))
    telling = [
        each & ours - frozenset().union(*(other for place, other in enumerate(words) if place != at))
        for at, each in enumerate(words)
    ]
    chosen = [piece for piece, found in zip(pieces, telling, strict=True) if found]
    return " ".join(chosen) or source


def moves_a_number(claim: str, source: str) -> bool:
    """Whether a number, or a day, is said of a half of the source that does not have it."""
    same = about_the_same(claim, source)
    return bool((facts.numbers_in(claim) & facts.numbers_in(source)) - facts.numbers_in(same))


def moves_a_negation(claim: str, source: str) -> bool:
    """Whether a "not" of one half of the source stands at the other half in the claim."""
    theirs = _parts(source)
    if len({part.negative for part in theirs}) < 2:
        return False
    for part in _parts(claim):
        for position, other in enumerate(theirs):
            elsewhere = frozenset().union(*(each.things for at, each in enumerate(theirs) if at != position))
            if part.own & (other.own - elsewhere) and part.negative != other.negative:
                return True
    return False


def has_mixed_parts(source: str) -> bool:
    """Whether one half of the source says no, and another does not."""
    return len({part.negative for part in _parts(source)}) > 1


def crosses_parts(claim: str, source: str) -> bool:
    """Whether a number of one half of the source is said of what only the other half speaks of."""
    theirs = [part for part in _parts_with_numbers(source) if part.numbers]
    if len(theirs) < 2:
        return False
    for part in _parts_with_numbers(claim):
        for number in part.numbers:
            own = frozenset().union(*(each.things for each in theirs if number in each.numbers))
            other = frozenset().union(*(each.own for each in theirs if number not in each.numbers))
            if own and part.things & (other - own):
                return True
    return False


_NUMBER_SPLIT = re.compile(rf"{SPLIT.pattern}|\s+and\b(?=\s+[€$£]?\d)", re.IGNORECASE)


@lru_cache(maxsize=4_000)
def _parts_with_numbers(text: str) -> tuple[_Part, ...]:
    parts: list[_Part] = []
    shared: frozenset[str] = frozenset()
    for piece in _NUMBER_SPLIT.split(text):
        if not piece.strip():
            continue
        verb = _FIRST_VERB.search(piece)
        if verb:
            shared = frozenset(content_of(piece[: verb.start()]))
        own = frozenset(content_of(piece))
        parts.append(_Part(own | shared, own - shared if not verb else own, False, facts.numbers_in(piece)))
    return tuple(parts)


@lru_cache(maxsize=8_000)
def terms_said(text: str) -> tuple[QueryTerm, ...]:
    """The content words of a sentence, with their synonyms; places are none of them."""
    return terms_of(without_places(text))


@lru_cache(maxsize=8_000)
def stems_said(text: str) -> frozenset[str]:
    """The stems of all words."""
    return frozenset(word.stem for word in words_of(text))


def without_places(text: str) -> str:
    return blank_out(text, [(each.start, each.end) for each in find_regions(text)])


@lru_cache(maxsize=8_000)
def content_of(text: str) -> tuple[str, ...]:
    """Stems of content words, in order."""
    return tuple(
        word.stem
        for word in words_of(text)
        if word.text[0].isalpha() and not is_filler(word.text) and not is_unit(word.text)
    )
