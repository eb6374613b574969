"""What a question is mainly about, as words that can stand for "it" in the next one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag_core.understanding.reading import Reading
from rag_core.understanding.terms import TermMention

_GAP = re.compile(r"\s+|-|/|\s+(?:and|or|&|of|of\s+the|n)\s+", re.IGNORECASE)
_NOUN_FOLLOWS = re.compile(
    r"\b(?:an?|the|of|about|for|in|on|with|between|from|my|our|your|their|its|his|her|some|any|all|many|much|what|which"
    r"|is|are|was|were)\s+$",
    re.IGNORECASE,
)
_MOST_TERMS = 4
"""Terms of a phrase that still reads like one thing."""

_ASPECTS = frozenset(
    {"age limit", "licence", "certification", "approval", "disclaimer", "price", "size", "length", "targeting"}
)
_ASPECT_WORDS = frozenset(
    "age ages time times hour hours deadline exception exceptions proof penalty penalties limit limits format formats"
    " document documents paperwork reason reasons definition process registration evidence wording text".split()
)


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
