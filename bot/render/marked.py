"""Pieces of a changed rule: the words that changed, and the text around them."""

import re
from collections.abc import Sequence

Span = tuple[int, int]

_WORD = re.compile(r"\S")
_MOST_WORDS = 24
"""Of what stands between two marked pieces."""


def marked_pieces(text: str, spans: Sequence[Span]) -> list[tuple[str, bool]]:
    """Each with whether it is marked, in whole words and on one line; what is far from any is left out, and dots stand
    for it. There are spaces between the pieces."""
    found: list[tuple[str, bool]] = []
    end = 0
    for start, stop in _whole_words(text, spans):
        found.append((_between(text[end:start], first=not found, last=False), False))
        found.append((" ".join(text[start:stop].split()), True))
        end = stop
    found.append((_between(text[end:], first=not found, last=True), False))
    return [each for each in found if each[0]]


def _between(text: str, *, first: bool, last: bool) -> str:
    words = text.split()
    if len(words) <= _MOST_WORDS or (first and last):
        return " ".join(words)
    half = _MOST_WORDS // 2
    ahead = [] if first else words[:half]
    behind = [] if last else words[-half:]
    return " ".join([*ahead, "…", *behind])


def _whole_words(text: str, spans: Sequence[Span]) -> list[Span]:
    """Spans grow to the next spaces, since not every client marks parts of words, and touching ones become one."""
    found: list[Span] = []
    for start, end in spans:
        if not _WORD.search(text[start:end]):
            continue
        while start > 0 and not text[start - 1].isspace():
            start -= 1
        while end < len(text) and not text[end].isspace():
            end += 1
        if found and start <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
