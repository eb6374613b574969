"""Words and their stems; which words say what a question is about and which are only its manner."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

import snowballstemmer
from rapidfuzz.distance import Levenshtein
from spellchecker import SpellChecker

from rag_core.vocabulary import words

TALK_WORDS = words("questions", "talk_words")
"""Adverbs, small talk and verbs of saying and thinking: no rule is on them."""


_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_STEMMER = snowballstemmer.stemmer("english")

STOP_WORDS = words("questions", "stop_words")
"""English function words and the small talk around a question."""

ASKING_WORDS = words("questions", "asking_words")
"""Words of asking about advertising rules: they are in every question and in every rule, and tell none apart."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its place in the text. `stem` is lower-case."""

    text: str
    stem: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words of `text`, hyphenated ones whole."""
    return [Word(m[0], stem(m[0]), m.start(), m.end()) for m in _WORD.finditer(text)]


def stems_of(text: str) -> tuple[str, ...]:
    """The stems of `text` in order; a hyphenated word gives itself, then its parts."""
    found: list[str] = []
    for match in _WORD.finditer(text):
        found.append(stem(match[0]))
        if "-" in match[0]:
            found.extend(stem(part) for part in match[0].split("-"))
    return tuple(found)


_WHOLE = frozenset(
    {"dating", "united", "spirits", "targeting", "adults", "capital", "accountant", "accountants", "accounting"}
)
"""Words whose stem is that of another word: dating sites are not about dates, adults are no adult content."""

_OWN = {"influencer": "influencer", "influencers": "influencer"}
"""As `_WHOLE`, for words that keep their plural: influencers are no "influence of alcohol"."""


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The Snowball English (Porter2) stem, lower-case, without a possessive."""
    lowered = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    if lowered in _OWN:
        return _OWN[lowered]
    return lowered if lowered in _WHOLE else str(_STEMMER.stemWord(lowered))


_LONG_ENOUGH_TO_MISSPELL = 6
"""Letters: among shorter words one letter makes another word."""

_FILLERS = STOP_WORDS | ASKING_WORDS | TALK_WORDS
FILLER_STEMS = frozenset(stem(word) for word in _FILLERS)


def is_filler(word: str) -> bool:
    """Whether the word says nothing of what a question is about."""
    lowered = word.lower().replace("’", "'")
    if lowered in _FILLERS or stem(word) in FILLER_STEMS or len(lowered) == 1:
        return True
    return len(lowered) >= _LONG_ENOUGH_TO_MISSPELL and _is_misspelt_filler(lowered)


@lru_cache(maxsize=10_000)
def _is_misspelt_filler(word: str) -> bool:
    """Whether the word lacks or doubles a letter of a word of asking ("allowd"), or has a z for its s ("advertize").

    One letter for another mostly makes another word: brandy is not brands, consent not content.
    """
    return word.replace("z", "s") in ASKING_WORDS or any(
        word[0] == known[0] and len(word) != len(known) and Levenshtein.distance(word, known, score_cutoff=1) <= 1
        for known in ASKING_WORDS
        if len(known) >= _LONG_ENOUGH_TO_MISSPELL
    )


_SEEN_NOWHERE = 50
"""The count that the list gives to words which it has from dictionaries alone; misspellings are among them."""


def is_ordinary(word: str) -> bool:
    """Whether people write `word`, which is lower-case. The first call reads the list, which takes some 0.2 s."""
    return word in _words()


@cache
def _words() -> frozenset[str]:
    counts = SpellChecker(language="en").word_frequency.dictionary
    return frozenset(word for word, count in counts.items() if count > _SEEN_NOWHERE)
