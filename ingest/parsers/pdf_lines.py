"""Words to rows by their baselines."""

from collections.abc import Iterable, Sequence

from ingest.parsers.pdf_page import Segment, Word

_WIDE_GAP = 1.1
"""Times the type size: wider gaps part columns or cells."""


def rows_of(words: Iterable[Word]) -> list[list[Word]]:
    """`words` by line, each from left to right. Raised and lowered marks stay in the line that they stand in."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda each: (each.base, each.x0)):
        if rows and _same_line(rows[-1], word):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda each: each.x0) for row in rows]


def _same_line(row: Sequence[Word], word: Word) -> bool:
    largest = max(row, key=lambda each: each.size)
    apart = abs(word.base - largest.base)
    small = min(word.size, largest.size) < 0.92 * max(word.size, largest.size)
    return apart <= (0.5 if small else 0.3) * max(word.size, largest.size)


def segments_of(row: Sequence[Word]) -> list[Segment]:
    """A row cut at its wide gaps."""
    parts: list[list[Word]] = []
    for word in row:
        before = parts[-1][-1] if parts else None
        if before is not None and word.x0 - before.x1 <= _WIDE_GAP * max(before.size, word.size):
            parts[-1].append(word)
        else:
            parts.append([word])
    return [Segment(tuple(part)) for part in parts]
