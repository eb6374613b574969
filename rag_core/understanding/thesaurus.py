"""The trade's words: what people type -> the words policies use. Used at query time, by every index.

A line of `vocabulary/thesaurus.txt` lists words for the same thing; `narrow, narrower < wide` says that a rule on the
wide thing covers the narrow ones, never the other way round: a rule on wine does not answer a question on alcohol.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

from rapidfuzz.distance import OSA

from rag_core.understanding.words import is_ordinary, stems_of
from rag_core.vocabulary import lines_of

_LONG_ENOUGH_TO_MISSPELL = 6
"""Letters: among shorter words one letter makes another word."""

_RIGHT = frozenset(("contexts", "prebiotics"))
"""Right words that the list of ordinary ones lacks, one letter away from a word of the trade."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Other phrases for the same thing, and phrases for the wider things it belongs to."""

    synonyms: tuple[str, ...]
    broader: tuple[str, ...]


@cache
def _entries() -> dict[tuple[str, ...], Entry]:
    """By the stems of a phrase."""
    same: dict[str, list[str]] = {}
    wider: dict[str, list[str]] = {}
    for line in lines_of("thesaurus"):
        narrow, _, wide = line.partition("<")
        phrases = [each.strip() for each in narrow.split(",")]
        broad = [each.strip() for each in wide.split(",") if each.strip()]
        for phrase in phrases:
            # Words that share a wider one are kinds of it, not each other's synonyms: beer is not wine.
            same.setdefault(phrase, []).extend([] if broad else phrases)
            wider.setdefault(phrase, []).extend(broad)
    found: dict[tuple[str, ...], Entry] = {}
    for phrase, others in same.items():
        key = stems_of_phrase(phrase)
        before = found.get(key, Entry((), ()))
        broader = [each for wide in wider[phrase] for each in (wide, *same.get(wide, []))]
        found[key] = Entry(_others(key, [*before.synonyms, *others]), _others(key, [*before.broader, *broader]))
    return found


def _others(key: tuple[str, ...], phrases: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for each in phrases if stems_of_phrase(each) != key))


@cache
def longest_phrase() -> int:
    """Words in the longest phrase of the thesaurus."""
    return max(map(len, _entries()))


@lru_cache(maxsize=20_000)
def corrected(word: str) -> str | None:
    """The stem of the word of the trade that a misspelt one is one letter away from ("tabacco"); None if it is none.

    Whole words are compared: among stems "mineral" would be a minor, "positions" politics.
    """
    if len(word) < _LONG_ENOUGH_TO_MISSPELL or word in _RIGHT or stems_of(word) in _entries():
        return None
    if is_ordinary(word):
        return None  # lasers are no lager, and candles no candy
    near = {
        stems_of(known)[0]
        for known in _single_words().get(word[0], ())
        if OSA.distance(known, word, score_cutoff=1) <= 1
    }
    return near.pop() if len(near) == 1 else None


@cache
def _single_words() -> dict[str, list[str]]:
    """Words that may be misspelt, by first letter."""
    phrases = {each.strip() for line in lines_of("thesaurus") for each in line.replace("<", ",").split(",")}
    by_letter: dict[str, list[str]] = {}
    for each in sorted(phrases):
        if each.isalpha() and len(each) >= _LONG_ENOUGH_TO_MISSPELL:
            by_letter.setdefault(each[0], []).append(each)
    return by_letter


def entry_of(stems: tuple[str, ...]) -> Entry | None:
    """What the thesaurus says of the phrase with these stems; None if it is no phrase of the trade."""
    return _entries().get(stems)


@cache
def _kinds() -> dict[tuple[str, ...], tuple[str, ...]]:
    """The narrower phrases by the stems of a wide one."""
    found: dict[tuple[str, ...], list[str]] = {}
    for line in lines_of("thesaurus"):
        narrow, _, wide = line.partition("<")
        for phrase in wide.split(","):
            found.setdefault(stems_of_phrase(phrase), []).extend(each.strip() for each in narrow.split(","))
    return {stems: tuple(phrases) for stems, phrases in found.items() if stems}


def kinds_of(phrase: str) -> tuple[str, ...]:
    """What the thesaurus knows as kinds of a thing: beer and wine of alcohol."""
    return _kinds().get(stems_of_phrase(phrase), ())


def stems_of_phrase(phrase: str) -> tuple[str, ...]:
    """The stems by which a phrase is looked up: a hyphenated word counts as its parts."""
    return stems_of(phrase.replace("-", " ").replace("/", " "))
