"""Where the parts of a sentence end, as offsets in the text."""

import re

_CLAUSE_END = re.compile(r"(?<=[;:,])\s+")
_WORD_END = re.compile(r"\s+")
_LONGEST_WORD = 40
_PIECE = re.compile(r"\S{1,23}[。！？；：、，/&=?]|\S{1,24}")
"""Of a word that is none: Japanese and Chinese have no spaces, addresses have none either."""


def clause_spans(text: str) -> tuple[tuple[int, int], ...]:
    """(start, end) of the parts between commas, semicolons and colons."""
    return _between(text, _CLAUSE_END)


def word_spans(text: str) -> tuple[tuple[int, int], ...]:
    """(start, end) of the words; of one that is longer than words are, of its pieces."""
    return tuple(part for word in _between(text, _WORD_END) for part in _pieces(text, *word))


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    if end - start <= _LONGEST_WORD:
        return [(start, end)]
    return [match.span() for match in _PIECE.finditer(text, start, end)]


def _between(text: str, separator: re.Pattern[str]) -> tuple[tuple[int, int], ...]:
    spans, start = [], 0
    for match in separator.finditer(text):
        if match.start() > start:
            spans.append((start, match.start()))
        start = match.end()
    if start < len(text):
        spans.append((start, len(text)))
    return tuple(spans)
