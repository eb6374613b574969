"""Which words of a question a text covers, by stem, phrase and the thesaurus."""

import re
from collections.abc import Iterable
from functools import lru_cache

from rag_core.questions import QueryTerm
from rag_core.understanding.thesaurus import stems_of_phrase
from rag_core.understanding.words import stem, words_of

_DENIES = re.compile(r"-(?:free|less)$|^(?:non|anti|no)-", re.IGNORECASE)


@lru_cache(maxsize=20_000)
def stem_line(text: str) -> str:
    """The stems of a text, each between spaces, so that a phrase is found as a substring."""
    return f" {' '.join(stems_of_phrase(text))} "


@lru_cache(maxsize=20_000)
def _needles(phrase: str) -> tuple[str, ...]:
    joined = " ".join(stems_of_phrase(phrase))
    return (f" {joined} ",) if joined else ()


def covers(text: str, term: QueryTerm) -> bool:
    """Whether `text` speaks of the term, or of something wider."""
    return _any_in(text, term.wordings)


def _any_in(text: str, wordings: Iterable[str]) -> bool:
    line = stem_line(text)
    whole = _whole_words(text)
    return any(
        needle in (line if " " in needle.strip() else whole) for wording in wordings for needle in _needles(wording)
    )


@lru_cache(maxsize=20_000)
def _whole_words(text: str) -> str:
    """As `stem_line`, with words that deny a part of themselves whole: "alcohol-free" speaks neither of alcohol nor of
    what is free."""
    stems = (
        stem(word.text) if _DENIES.search(word.text) else " ".join(stems_of_phrase(word.text))
        for word in words_of(text)
    )
    return f" {' '.join(stems)} "


def covered(text: str, terms: Iterable[QueryTerm]) -> tuple[QueryTerm, ...]:
    """The terms that `text` speaks of."""
    return tuple(term for term in terms if covers(text, term))
