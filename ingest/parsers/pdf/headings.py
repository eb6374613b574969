"""Which lines of a PDF are headings, and of what level: by type size, numbering and capitals."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ingest.parsers.pdf.page import TextLine

_LARGER = 1.12
_LONGEST = 160
_MOST_WORDS = 22
_NUMBERED = re.compile(
    r"(?:(?:chapter|section|part|article|annex|appendix|schedule|rule)\s+(?:\d+(?:\.\d+)*|[ivxlc]+|[a-z])\b[.:]?"
    r"|\d{1,2}(?:\.\d{1,3})*\.?)(?=\s+\S)",
    re.IGNORECASE,
)
_ENDS_SENTENCE = re.compile(r"[.;,!]$")


@dataclass(frozen=True, slots=True)
class Look:
    """What a heading looks like."""

    size: float
    capitals: bool
    bold: bool


@dataclass(slots=True)
class Headings:
    """The headings of one document; `body` is the size of its text."""

    body: float
    looks: Counter[Look] = field(default_factory=Counter)
    depths: dict[Look, Counter[int]] = field(default_factory=dict)

    def look_of(self, line: TextLine) -> Look | None:
        """The look of a line that may be a heading, None for others."""
        text = line.text
        letters = [letter for letter in text if letter.isalpha()]
        if len(letters) < 2 or len(text) > _LONGEST or len(text.split()) > _MOST_WORDS:
            return None
        larger = line.size >= _LARGER * self.body
        capitals = len(letters) >= 4 and all(letter.isupper() for letter in letters)
        sentence = _ENDS_SENTENCE.search(text) is not None
        numbered = is_numbered(text)
        if larger and not (sentence and not numbered and not capitals and line.size < 1.5 * self.body):
            return Look(line.size, capitals, line.bold)
        if line.size < 0.95 * self.body or sentence:
            return None
        return Look(line.size, capitals, line.bold) if capitals or (numbered and line.bold) else None

    def add(self, look: Look, text: str) -> None:
        self.looks[look] += 1
        if (depth := number_depth(text)) is not None:
            self.depths.setdefault(look, Counter())[depth] += 1

    def level(self, look: Look, text: str) -> int:
        """1 to 6. Numbers decide among headings of one look: `3.1` stands below `3`."""
        level = self._ranked().index(look) + 1
        depth = number_depth(text)
        depths = self.depths.get(look)
        if depth is not None and depths:
            level += depth - min(depths)
        return min(level, 6)

    def _ranked(self) -> list[Look]:
        return sorted(self.looks, key=lambda look: (-look.size, not look.capitals, not look.bold))


def is_numbered(text: str) -> bool:
    """Whether a line begins as a numbered heading does: "3.1 Beer", "Chapter 4: Drinks"."""
    return _NUMBERED.match(text) is not None


def number_depth(text: str) -> int | None:
    """How many numbers a heading's number has: 2 for "3.1 Alcohol", None for one without."""
    match = re.match(r"(\d{1,2}(?:\.\d{1,3})*)\.?\s+\S", text)
    return match[1].count(".") + 1 if match else None


def body_size(lines: Sequence[TextLine]) -> float:
    """The type size that most letters have."""
    letters: Counter[float] = Counter()
    for line in lines:
        letters[line.size] += len(line.text)
    return letters.most_common(1)[0][0] if letters else 10.0
