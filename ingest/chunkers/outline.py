"""A document's text as sections: the lines under each heading, with the headings above them."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ingest.chunkers.marks import rule_number
from ingest.places import Places, of_heading, only_places
from rag_core.layout import Block, BlockKind, collapse

_CHAPTER = re.compile(r"(?:chapter|part|section|article)\s+\w{1,4}\b|[0-9A-Z]{1,3}(?:\.\d+)*[.)]\s", re.IGNORECASE)
_LONGEST_IN_PATH = 120
_HEADING_THAT_SAYS_SOMETHING = 4
"""Words from which a heading without text below it is kept as a text of its own."""


@dataclass(frozen=True, slots=True)
class Section:
    """Lines of text under one heading. `path`: the headings, outermost first; `level` of the last one, 0 for none."""

    path: tuple[str, ...]
    level: int
    places: Places
    anchor: str | None
    rule_number: str | None
    blocks: tuple[Block, ...]


@dataclass(slots=True)
class _Open:
    """A heading whose text is being read."""

    block: Block
    places: Places
    anchor: str | None
    rule: str | None
    lines: list[Block] = field(default_factory=list)


def sections(blocks: Sequence[Block], anchors: Mapping[int, str], title: str, places: Places) -> list[Section]:
    """The sections of a document in order. `anchors` by index in `blocks`; `places`: where the document holds.

    The path begins with the title, unless the only heading of level 1 begins it.
    """
    alone = _titles(blocks, title)
    beside = _beside(blocks)
    found: list[Section] = []
    open_: list[_Open] = []
    lines: list[Block] = []
    for at, block in enumerate(blocks):
        if block.kind is not BlockKind.HEADING:
            lines.append(block)
            continue
        following = blocks[at + 1] if at + 1 < len(blocks) else None
        found.extend(_closed(open_, lines, title, alone, places))
        lines = []
        while open_ and open_[-1].block.level >= block.level:
            open_.pop()
        around = open_[-1] if open_ else None
        open_.append(_opened(block, anchors.get(at), around, places, beside.get(at, ())))
        if _says_something(block, following):
            lines = [block]
    found.extend(_closed(open_, lines, title, alone, places))
    return found


def _titles(blocks: Sequence[Block], title: str) -> frozenset[str]:
    """The headings of level 1 that need no title above them: the title itself, or the only one.

    And all of them, if the title is only the first of numbered chapters.
    """
    chapters = [block.text for block in blocks if block.kind is BlockKind.HEADING and block.level == 1]
    is_chapter = title in chapters and sum(_CHAPTER.match(text) is not None for text in (title, *chapters[1:2])) == 2
    return frozenset(chapters if len(chapters) == 1 or is_chapter else (title,))


def _beside(blocks: Sequence[Block]) -> dict[int, tuple[str, ...]]:
    """For each heading, by its index, the places that the headings of its rank below the same one name."""
    groups: dict[tuple[int, int], list[int]] = {}
    above: list[int] = []
    for at, block in enumerate(blocks):
        if block.kind is BlockKind.HEADING:
            while above and blocks[above[-1]].level >= block.level:
                above.pop()
            groups.setdefault((above[-1] if above else -1, block.level), []).append(at)
            above.append(at)
    found: dict[int, tuple[str, ...]] = {}
    for group in groups.values():
        named = {at: only_places(blocks[at].text) for at in group}
        counts = Counter(code for codes in named.values() for code in codes)
        found |= {at: tuple(code for code, count in counts.items() if count > named[at].count(code)) for at in group}
    return found


def _opened(block: Block, anchor: str | None, around: _Open | None, places: Places, beside: tuple[str, ...]) -> _Open:
    within = of_heading(block.text, around.places if around else places, beside)
    number = rule_number(block.text, heading=True) or (around.rule if around else None)
    return _Open(block, within, anchor or (around.anchor if around else None), number)


def _says_something(block: Block, following: Block | None) -> bool:
    """Whether a heading is all there is: nothing below it, not even a deeper heading."""
    if following is not None and (following.kind is not BlockKind.HEADING or following.level > block.level):
        return False
    return len(block.text.split()) >= _HEADING_THAT_SAYS_SOMETHING


def _closed(
    open_: Sequence[_Open], lines: Sequence[Block], title: str, alone: frozenset[str], places: Places
) -> list[Section]:
    if not lines:
        return []
    headings = [_shortened(each.block.text) for each in open_]
    if not open_ or open_[0].block.level > 1 or open_[0].block.text not in alone:
        headings = [_shortened(title), *headings]
    path = tuple(text for at, text in enumerate(headings) if not at or text.casefold() != headings[at - 1].casefold())
    last = open_[-1] if open_ else None
    if last is None:
        return [Section(path, 0, places, None, None, tuple(lines))]
    return [Section(path, last.block.level, last.places, last.anchor, last.rule, tuple(lines))]


def _shortened(heading: str) -> str:
    text = collapse(heading).replace(" > ", " › ")
    if len(text) <= _LONGEST_IN_PATH:
        return text
    return text[:_LONGEST_IN_PATH].rsplit(" ", 1)[0] + " …"
