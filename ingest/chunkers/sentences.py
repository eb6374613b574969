"""Where sentences end, as offsets in the text."""

import re

from syntok import segmenter

_CLAUSE_END = re.compile(r"(?<=[;:,])\s+")
_WORD_END = re.compile(r"\s+")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """(start, end) of each sentence, white space between them left out."""
    spans: list[tuple[int, int]] = []
    for paragraph in segmenter.analyze(text):
        for sentence in paragraph:
            tokens = list(sentence)
            if tokens:
                last = tokens[-1]
                spans.append((tokens[0].offset, last.offset + len(last.value)))
    return _covering(text, spans)


def clause_spans(text: str) -> list[tuple[int, int]]:
    """(start, end) of the parts between commas, semicolons and colons."""
    return _between(text, _CLAUSE_END)


def word_spans(text: str) -> list[tuple[int, int]]:
    return _between(text, _WORD_END)


def _covering(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """`spans` moved so that they leave out nothing but white space."""
    found: list[tuple[int, int]] = []
    starts = [0, *(start for start, _ in spans[1:])]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        part = text[start:end]
        if part.strip():
            left = start + len(part) - len(part.lstrip())
            found.append((left, left + len(part.strip())))
    return found


def _between(text: str, separator: re.Pattern[str]) -> list[tuple[int, int]]:
    spans, start = [], 0
    for match in separator.finditer(text):
        if match.start() > start:
            spans.append((start, match.start()))
        start = match.end()
    if start < len(text):
        spans.append((start, len(text)))
    return spans
