"""Where the parts of a sentence end, as offsets in the text."""

import re

_CLAUSE_END = re.compile(r"(?<=[;:,])\s+")
_WORD_END = re.compile(r"\s+")


def clause_spans(text: str) -> tuple[tuple[int, int], ...]:
    """(start, end) of the parts between commas, semicolons and colons."""
    return _between(text, _CLAUSE_END)


def word_spans(text: str) -> tuple[tuple[int, int], ...]:
    return _between(text, _WORD_END)


def _between(text: str, separator: re.Pattern[str]) -> tuple[tuple[int, int], ...]:
    spans, start = [], 0
    for match in separator.finditer(text):
        if match.start() > start:
            spans.append((start, match.start()))
        start = match.end()
    if start < len(text):
        spans.append((start, len(text)))
    return tuple(spans)
