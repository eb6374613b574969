"""The content words of a question with their synonyms, and which of them a text covers."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from rag_core.questions import QueryTerm
from rag_core.understanding.thesaurus import Entry, corrected, entry_of, longest_phrase, stems_of_phrase
from rag_core.understanding.words import STOP_WORDS, is_filler, stem, words_of

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

_LIKE = re.compile(r"-(?:like|type|style|esque)\b", re.IGNORECASE)
"""Behind these a thing of that kind is meant: "tinder-like" is about dating."""


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    stem: str
    start: int
    end: int


def blank_out(text: str, spans: list[tuple[int, int]]) -> str:
    """`text` with the spans replaced by bars, which end phrases, so that offsets stay."""
    for start, end in spans:
        text = text[:start] + "|" * (end - start) + text[end:]
    return text


@dataclass(frozen=True, slots=True)
class TermMention:
    """A content word or phrase of a text, with its offsets."""

    term: QueryTerm
    start: int
    end: int

    @property
    def is_of_the_trade(self) -> bool:
        """Whether the thesaurus knows it."""
        return bool(self.term.synonyms or self.term.broader)


def terms_of(text: str) -> tuple[QueryTerm, ...]:
    """What `text` is about: phrases of the thesaurus, longest first, then the other words that are no filler."""
    return once_each(find_terms(text))


def once_each(mentions: Iterable[TermMention]) -> tuple[QueryTerm, ...]:
    """The terms of `mentions`, each once, in order."""
    terms: dict[str, QueryTerm] = {}
    for mention in mentions:
        terms.setdefault(mention.term.text.lower(), mention.term)
    return tuple(terms.values())


def find_terms(text: str) -> list[TermMention]:
    """The mentions of `terms_of`, in order."""
    tokens = [_Token(m[0], stem(m[0]), m.start(), m.end()) for m in _TOKEN.finditer(text)]
    found: list[TermMention] = []
    position = 0
    while position < len(tokens):
        length, term = _phrase_at(tokens, position, text) or _word_at(tokens, position, text)
        if term is not None:
            found.append(TermMention(term, tokens[position].start, tokens[position + length - 1].end))
        position += length
    return found


def _phrase_at(tokens: list[_Token], position: int, text: str) -> tuple[int, QueryTerm] | None:
    for length in range(min(longest_phrase(), len(tokens) - position), 0, -1):
        window = tokens[position : position + length]
        if length == 1 and window[0].text.lower() in STOP_WORDS:
            continue
        if not _adjacent(window, text) or _inside_hyphenation(window, text):
            continue
        entry = entry_of(tuple(token.stem for token in window)) or _misspelt(window)
        if entry is not None:
            return length, QueryTerm(text[window[0].start : window[-1].end], entry.synonyms, entry.broader)
    return None


def _misspelt(window: list[_Token]) -> Entry | None:
    """The entry of what was probably meant, of a phrase with a misspelt word as well ("lotery tickets"); that is one of
    the synonyms."""
    meant = [(None if is_filler(each.text) else corrected(each.text.lower())) or each.stem for each in window]
    if meant == [each.stem for each in window]:
        return None
    entry = entry_of(tuple(meant))
    return Entry((" ".join(meant), *entry.synonyms), entry.broader) if entry else None


def _word_at(tokens: list[_Token], position: int, text: str) -> tuple[int, QueryTerm | None]:
    length = 1
    while position + length < len(tokens) and _joined(tokens[position + length - 1], tokens[position + length], text):
        length += 1
    word = text[tokens[position].start : tokens[position + length - 1].end]
    return length, None if is_filler(word) else QueryTerm(word)


def _adjacent(window: list[_Token], text: str) -> bool:
    return all(text[a.end : b.start] in (" ", "-", "/", "’", "'") for a, b in pairwise(window))


def _joined(left: _Token, right: _Token, text: str) -> bool:
    return text[left.end : right.start] == "-"


def _inside_hyphenation(window: list[_Token], text: str) -> bool:
    """Whether the window would cut a hyphenated word: "alcohol-free" is not about alcohol."""
    behind = text[window[-1].end :]
    return (behind.startswith("-") and not _LIKE.match(behind)) or text[: window[0].start].endswith("-")


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
