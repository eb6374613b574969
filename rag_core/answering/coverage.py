"""Which words of a question a text covers, by stem, phrase and the thesaurus."""

from collections.abc import Iterable
from functools import lru_cache

from rag_core.questions import QueryTerm
from rag_core.understanding.thesaurus import stems_of_phrase
from rag_core.understanding.words import stems_of


@lru_cache(maxsize=20_000)
def stem_line(text: str) -> str:
    """The stems of a text, each between spaces, so that a phrase is found as a substring."""
    return " " + " ".join(stems_of(text.replace("/", " ").replace("-", " "))) + " " + _hyphenated(text)


def _hyphenated(text: str) -> str:
    return " ".join(each for each in stems_of(text) if "-" in each) + " "


@lru_cache(maxsize=20_000)
def _needles(phrase: str) -> tuple[str, ...]:
    joined = " ".join(stems_of_phrase(phrase))
    return (f" {joined} ",) if joined else ()


def wordings(term: QueryTerm) -> tuple[str, ...]:
    """The term's own words and everything that means it."""
    return (term.text, *term.synonyms)


def covers(text: str, term: QueryTerm) -> bool:
    """Whether `text` speaks of the term in any of its wordings."""
    line = stem_line(text)
    return any(needle in line for wording in wordings(term) for needle in _needles(wording))


def covered(text: str, terms: Iterable[QueryTerm]) -> tuple[QueryTerm, ...]:
    """The terms that `text` speaks of."""
    return tuple(term for term in terms if covers(text, term))


def without(text: str, terms: Iterable[QueryTerm]) -> tuple[str, ...]:
    """The stems of `text` that belong to none of the terms."""
    line = stem_line(text)
    for term in terms:
        for wording in sorted(wordings(term), key=len, reverse=True):
            for needle in _needles(wording):
                line = line.replace(needle, " | ")
    return tuple(each for each in line.split() if each != "|")
