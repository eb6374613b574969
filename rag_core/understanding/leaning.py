"""Does a question lean on what was said before it, and how?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from rag_core.questions import Intent
from rag_core.understanding.reading import Reading
from rag_core.understanding.terms import TermMention
from rag_core.vocabulary import pattern, words

_GAP = re.compile(r"\s+|-|/|\s+(?:and|or|&|of|of\s+the|n)\s+", re.IGNORECASE)
_NOUN_FOLLOWS = pattern("questions", "noun_follows")
_MOST_TERMS = 4
"""Terms of a phrase that still reads like one thing."""

_ASPECTS = frozenset(
    {"age limit", "licence", "certification", "approval", "disclaimer", "price", "size", "length", "targeting"}
)
_ASPECT_WORDS = words("questions", "aspect_words")


@dataclass(frozen=True, slots=True)
class Topic:
    """Words of a text with their offsets."""

    text: str
    start: int
    end: int


def is_aspect(mention: TermMention) -> bool:
    """Whether a term asks something of a topic (its age limit, a licence for it) and is none itself."""
    words = {mention.term.text.lower(), *mention.term.synonyms}
    return bool(words & _ASPECTS) or mention.term.text.lower() in _ASPECT_WORDS


def topic_of(reading: Reading) -> Topic | None:
    """The words that say what the question is about: of the trade before names, names before the longest other."""
    groups = _groups([each for each in reading.subject if not is_aspect(each)], reading.text)
    if not groups:
        groups = _groups(list(reading.terms), reading.text)
    if not groups:
        return None
    best = max(groups, key=lambda group: _weight(group, reading.text))
    best = best[:_MOST_TERMS]
    start, end = best[0].start, best[-1].end
    return Topic(_inside_a_sentence(reading.text[start:end], best[0], start), start, end)


def _inside_a_sentence(words: str, first: TermMention, start: int) -> str:
    """Without the capital that a word of the trade has at the beginning of a sentence."""
    if start == 0 and first.is_of_the_trade and words[1:2].islower():
        return f"{words[0].lower()}{words[1:]}"
    return words


def _groups(mentions: Sequence[TermMention], text: str) -> list[list[TermMention]]:
    """Neighbours together: "beer and wine", "weight loss gummies"."""
    groups: list[list[TermMention]] = []
    for mention in mentions:
        if groups and _GAP.fullmatch(text[groups[-1][-1].end : mention.start]):
            groups[-1].append(mention)
        else:
            groups.append([mention])
    return groups


def _weight(group: Sequence[TermMention], text: str) -> tuple[bool, bool, bool, int, int]:
    """The first one of the trade; else names, then what stands where a noun does, then the longer, then the earlier."""
    if any(each.is_of_the_trade for each in group):
        return True, True, True, 0, -group[0].start
    named = any(each.term.text[:1].isupper() and text[: each.start].strip(" \"'(“") for each in group)
    is_noun = _NOUN_FOLLOWS.search(text[: group[0].start]) is not None
    return False, named, is_noun, min(len(group), 3), -group[0].start


_MARK = pattern("questions", "mark")
_WHY = pattern("questions", "why")
_ADDS = pattern("questions", "adds")
_EXPLETIVE = pattern("questions", "expletive")
POINTS_BACK = pattern("questions", "points_back")
_PEOPLE = pattern("questions", "people")
"""Who sees an ad: asked about beside a topic, not instead of it."""
_CLAUSE = pattern("questions", "clause")
_MOST_WORDS = 7
"""Of a question that asks for an aspect alone: "do I need a licence for it" said shortly."""

_ALONE = frozenset({Intent.SMALL_TALK, Intent.HELP, Intent.LIST_SOURCES, Intent.OUT_OF_SCOPE})


class Lean(Enum):
    """`WHY`: the reason for what was said. `POINTS`: a pronoun stands for the topic. `ASPECT`: asks something more of
    the topic. `TOPIC`: the same of another topic. `CLAUSE`: a question of its own, for the same place and platform.
    `SLOTS`: the same for another place, platform, day or material. `ADDS`: the same under one more condition.
    `AUDIENCE`: the same for certain people."""

    WHY = auto()
    POINTS = auto()
    ASPECT = auto()
    TOPIC = auto()
    CLAUSE = auto()
    SLOTS = auto()
    ADDS = auto()
    AUDIENCE = auto()


@dataclass(frozen=True, slots=True)
class Leaning:
    """How a question leans; `body_at`: where its words begin after "and", "what about"."""

    how: Lean
    body_at: int = 0


def leaning_of(reading: Reading) -> Leaning | None:
    """How the question leans on earlier ones; None for one that stands alone."""
    if _WHY.match(reading.text):
        return Leaning(Lean.WHY)
    if reading.question.intent in _ALONE or (reading.rule is not None and not reading.places):
        return None
    mark = _MARK.match(reading.text)
    topics = [each for each in reading.subject if not is_aspect(each)]
    points = _points_back(reading, topics) and not (mark and _is_same(mark))
    if points and (topics or not all(match["place"] for match in pointers(reading.text))):
        return Leaning(Lean.POINTS, mark.end() if mark else 0)
    return _with_mark(reading, mark, topics, is_marked=points or mark is not None)


def _with_mark(
    reading: Reading, mark: re.Match[str] | None, topics: list[TermMention], *, is_marked: bool
) -> Leaning | None:
    text, at = reading.text, mark.end() if mark else 0
    is_short = len(text[at:].split()) <= _MOST_WORDS
    if _ADDS.match(text) and is_short and (reading.terms or not _has_slot(reading)):
        return Leaning(Lean.ADDS)
    if not topics:
        return _without_topic(reading, at, is_marked=is_marked)
    if mark is not None and all(_PEOPLE.fullmatch(each.term.text) for each in topics):
        return Leaning(Lean.AUDIENCE, at)
    if mark is None or not (is_short or any(each.is_of_the_trade for each in topics)):
        return None
    return Leaning(Lean.CLAUSE if _CLAUSE.match(text[at:]) else Lean.TOPIC, at)


def _without_topic(reading: Reading, at: int, *, is_marked: bool) -> Leaning | None:
    aspects = reading.subject
    if aspects and (is_marked or (not reading.materials and len(reading.text.split()) <= _MOST_WORDS)):
        return Leaning(Lean.ASPECT, at)
    if aspects:
        return None
    if reading.materials and not is_marked and len(reading.text.split()) > 3:
        return None
    return Leaning(Lean.SLOTS, at)


def _is_same(mark: re.Match[str]) -> bool:
    """Whether the pronoun is in the opening itself: "does that apply to", "is it the same in"."""
    return POINTS_BACK.search(mark[0]) is not None


def _points_back(reading: Reading, topics: list[TermMention]) -> bool:
    """Whether a pronoun stands for something that was said before; "is it ok to" and "are there" point nowhere."""
    masked = _EXPLETIVE.sub(lambda match: "|" * len(match[0]), reading.text)
    found = list(POINTS_BACK.finditer(masked))
    if not found:
        return False
    if any(match["place"] for match in found) and not reading.places:
        return True
    if any(each.is_of_the_trade for each in topics):
        return False
    # "did the pandemic end before it ..." : what the pronoun stands for is in the question itself
    first = min((each.start for each in topics), default=len(reading.text))
    return any(match.start() < first and (match["thing"] or match["owner"] or match["kind"]) for match in found)


def _has_slot(reading: Reading) -> bool:
    return bool(reading.places or reading.platforms or reading.day or reading.labels)


def pointers(text: str) -> list[re.Match[str]]:
    """The words that point back, in order."""
    masked = _EXPLETIVE.sub(lambda match: "|" * len(match[0]), text)
    return list(POINTS_BACK.finditer(masked))
