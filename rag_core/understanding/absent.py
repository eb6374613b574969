"""Platforms that a question asks about and that there are no documents of."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from rag_core.documents import PolicySource
from rag_core.questions import Question
from rag_core.understanding.intents import ADVERTISING, RULES
from rag_core.understanding.platforms import SourceMention, find_sources
from rag_core.vocabulary import pattern

_WHERE = pattern("questions", "where")
_THERE = pattern("questions", "there")
_OF_IT = pattern("questions", "of_it")
_ABOUT = pattern("questions", "about")
_LETTER = re.compile(r"(?<=\bon )x(?=\W*(?:$|[?.!,]|(?:in|for|and|or|ads?|as)\b))")
"""The platform whose name is a letter, typed small where nothing else can stand."""
_ON_IT = re.compile(r"\b(?:on|via|across|within)\s+(?:the\s+)?$", re.IGNORECASE)
_BESIDE = re.compile(r"\b(?:on|via|across|within|compare|versus|vs\.?|than|and|or)\s+(?:the\s+)?$", re.IGNORECASE)
_DECIDES = pattern("questions", "decides")
"""What only somebody does who runs ads; "ads" and "allowed" follow what is advertised as well."""
_NAMES_ADS = re.compile(r"\b(?:ads?|advertising)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Absent:
    """Platforms without documents: their names as people read them, and the words that name them, in small letters."""

    names: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()

    def leave_out(self, question: Question) -> Question:
        """The question without these names among its terms: no rule of another platform has them."""
        kept = tuple(each for each in question.terms if not set(each.text.lower().split()) <= self.words)
        return replace(question, terms=kept)


def find_absent(text: str, platforms: Sequence[PolicySource], known: Iterable[PolicySource]) -> Absent:
    """Those among `platforms` on which `text` would advertise and which are not
    `known`. What is only advertised or mentioned ("Instagram followers") is none.
    """
    known = tuple(known)
    taken = {name.lower() for each in known for name in _names(each)}
    others = [each for each in platforms if not taken & {name.lower() for name in _names(each)}]
    if not others:
        return Absent()
    names = {each.slug: each.display_name for each in others}
    text = _LETTER.sub("X", text)
    placed = any(_ON_IT.search(text[: each.start]) for each in find_sources(text, known))
    found = [
        each
        for each in find_sources(text, others)
        if _is_where(text, each) and not (placed and _is_advertised(text, each))
    ]
    words = (text[each.start : each.end].lower().removesuffix("'s").removesuffix("’s").split() for each in found)
    return Absent(tuple(dict.fromkeys(names[each.slug] for each in found)), frozenset(chain.from_iterable(words)))


def _names(source: PolicySource) -> tuple[str, ...]:
    return (source.slug, source.display_name, *source.aliases)


def _is_advertised(text: str, mention: SourceMention) -> bool:
    """Whether, where the ads run is said, it is what they are for: "are Tinder ads allowed on Acme"."""
    return not _BESIDE.search(text[: mention.start]) and not _DECIDES.match(text[mention.end :])


def _is_where(text: str, mention: SourceMention) -> bool:
    """Whether the ads run there: "on TikTok", "TikTok's rules", "TikTok: vapes?", "TikTok age limit for beer"."""
    before, after = text[: mention.start], text[mention.end :]
    if _OF_IT.match(after):
        return False
    if _WHERE.search(before) or _NAMES_ADS.search(text[mention.start : mention.end]):
        return True
    if _THERE.match(after):
        return not _ABOUT.search(before)
    opens = not before.strip(" \"'(")
    return opens and bool(ADVERTISING.search(after) or RULES.search(after))
