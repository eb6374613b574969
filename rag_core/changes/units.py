"""A document's text as the units that are compared: headings, sentences, list items, table rows."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import pairwise

from rag_core.changes.direction import clauses_of
from rag_core.changes.words import key_of
from rag_core.layout import Block, BlockKind, read_blocks, sentence_spans
from rag_core.vocabulary import pattern

ROOT = -1
STAMP = "\0"
"""The key of what is no policy: "last updated ...", tables of contents, "related articles"."""

_STAMPS = pattern("changes", "stamps")
_ELSEWHERE = pattern("changes", "elsewhere")
_SENTENCE_END = re.compile(r"[.!?][\"”’')\]]*\s+(?=\S)")
_MOST_CUT = 60_000
"""Characters that are cut into sentences with care; what is beyond them is cut at every full stop."""

_LEADS_ON = re.compile(r":\W*$|\b(?:following|below)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Unit:
    """`parent`: the position of what it stands under: a heading, the lead-in of its list, the item above it, the
    header of its table; ROOT for none. `path`: the headings above it."""

    kind: BlockKind
    text: str
    key: str
    parent: int
    path: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many words it has."""
        return self.key.count(" ") + 1 if self.key else 0


def units_of_both(one: str, other: str) -> tuple[list[Unit], list[Unit]]:
    """The units of two texts in normal form, as alike as they can be cut: blocks that both have are not cut into
    sentences, and a line that is a heading in the other text is one here."""
    first, second = read_blocks(one), read_blocks(other)
    whole = {key_of(block.text) for block in first} & {key_of(block.text) for block in second}
    return _units(first, second, whole), _units(second, first, whole)


def _units(blocks: Sequence[Block], others: Sequence[Block], whole: AbstractSet[str]) -> list[Unit]:
    reading = _Reading()
    levels = _levels(blocks, others)
    for block in blocks:
        if block.kind is BlockKind.PARAGRAPH and (level := levels.get(key_of(block.text))):
            block = replace(block, kind=BlockKind.HEADING, level=level)
        reading.add(block, whole)
    return reading.units


def _levels(blocks: Sequence[Block], others: Sequence[Block]) -> dict[str, int]:
    """Paragraphs that are headings in the other text, as often, and in this one never: the level they have there."""
    headings = {key_of(block.text) for block in blocks if block.kind is BlockKind.HEADING}
    lines = Counter(key_of(block.text) for block in blocks if block.kind is BlockKind.PARAGRAPH)
    there = [(key_of(block.text), block.level) for block in others if block.kind is BlockKind.HEADING]
    counts = Counter(key for key, _ in there)
    return {key: level for key, level in there if key and key not in headings and lines[key] == counts[key]}


class _Reading:
    """Where in the document the reading is: what the next unit stands under."""

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self._headings: list[tuple[int, int, str]] = []
        self._items: list[tuple[int, int]] = []
        self._lead = ROOT
        self._header = ROOT
        self._elsewhere = False
        self._cut = 0

    def add(self, block: Block, whole: AbstractSet[str]) -> None:
        match block.kind:
            case BlockKind.HEADING:
                self._heading(block)
            case BlockKind.ITEM:
                while self._items and self._items[-1][0] >= block.level:
                    self._items.pop()
                parent = self._items[-1][1] if self._items else self._lead
                self._items.append((block.level, len(self.units)))
                self._sentences(block, self._under_heading() if parent == ROOT else parent, whole)
            case BlockKind.HEADER_ROW:
                self._items, self._header = [], len(self.units)
                self._append(block.kind, block.text, self._under_heading() if self._lead == ROOT else self._lead)
            case BlockKind.ROW:
                self._append(block.kind, block.text, self._under_heading() if self._header == ROOT else self._header)
            case BlockKind.PARAGRAPH:
                self._elsewhere = self._elsewhere or bool(_ELSEWHERE.fullmatch(block.text))
                self._items, self._header = [], ROOT
                self._sentences(block, self._under_heading(), whole)
                self._lead = len(self.units) - 1 if _LEADS_ON.search(block.text) else ROOT

    def _heading(self, block: Block) -> None:
        while self._headings and self._headings[-1][0] >= block.level:
            self._headings.pop()
        self._items, self._lead, self._header = [], ROOT, ROOT
        self._elsewhere = bool(_ELSEWHERE.fullmatch(block.text))
        self._append(block.kind, block.text, self._under_heading())
        self._headings.append((block.level, len(self.units) - 1, block.text))

    def _sentences(self, block: Block, parent: int, whole: AbstractSet[str]) -> None:
        if key_of(block.text) in whole:
            self._append(block.kind, block.text, parent)
            return
        for start, end in self._spans(block.text):
            self._append(block.kind, block.text[start:end], parent)

    def _spans(self, text: str) -> Iterable[tuple[int, int]]:
        if not _SENTENCE_END.search(text):
            return ((0, len(text)),)
        self._cut += len(text)
        if self._cut <= _MOST_CUT:
            return sentence_spans(text)
        ends = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
        return ((start, start + len(text[start:end].rstrip())) for start, end in pairwise(ends) if start < end)

    def _append(self, kind: BlockKind, text: str, parent: int) -> None:
        stamp = self._elsewhere or bool(_STAMPS.fullmatch(text))
        if stamp and clauses_of(text):  # a rule after all, and what follows it may be its list
            stamp = self._elsewhere = False
        key = STAMP if stamp else key_of(text)
        self.units.append(Unit(kind, text, key, parent, tuple(title for _, _, title in self._headings)))

    def _under_heading(self) -> int:
        return self._headings[-1][1] if self._headings else ROOT
