"""Words to rows by their baselines, and broken words made whole."""

import re
from collections.abc import Collection, Iterable, Sequence

from ingest.parsers.pdf_page import Segment, Word

_WIDE_GAP = 1.1
"""Times the type size: wider gaps part columns or cells."""
_BROKEN = re.compile(r"(\w+)[-‐]$")
_KEEP_HYPHEN = frozenset("non self cross ex well third anti age pre co multi e-mail high low long short".split())


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


def joined_lines(lines: Sequence[str], known: Collection[str] = ()) -> str:
    """Lines as one text. A word broken at a line's end is made whole.

    `known`: words of the document in lower case; they tell `adver-tising` from `age-restricted`.
    """
    text = ""
    for line in lines:
        text = joined(text, line, known)
    return text


def joined(text: str, line: str, known: Collection[str] = ()) -> str:
    """`text` with the next line after it: see `joined_lines`."""
    broken = _BROKEN.search(text)
    if not text or broken is None or not line[:1].islower():
        return f"{text} {line}".strip()
    first, second = broken[1].lower(), (re.match(r"[\w-]+", line) or [""])[0].lower()
    whole = first + second not in known and (f"{first}-{second}" in known or first in _KEEP_HYPHEN)
    return text + line if whole else text[:-1] + line
