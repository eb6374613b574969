"""A document's text as sections: the lines under each heading, with the headings above them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ingest.chunkers.marks import rule_number
from ingest.places import Places, of_heading
from rag_core.layout import Block, BlockKind, collapse

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

    The path begins with the title, unless a heading of level 1 begins it.
    """
    found: list[Section] = []
    open_: list[_Open] = []
    lines: list[Block] = []
    for at, block in enumerate(blocks):
        if block.kind is not BlockKind.HEADING:
            lines.append(block)
            continue
        following = blocks[at + 1] if at + 1 < len(blocks) else None
        found.extend(_closed(open_, lines, title, places))
        lines = []
        while open_ and open_[-1].block.level >= block.level:
            open_.pop()
        around = open_[-1] if open_ else None
        open_.append(_opened(block, anchors.get(at), around, places))
        if _says_something(block, following):
            lines = [block]
    found.extend(_closed(open_, lines, title, places))
    return found


def _opened(block: Block, anchor: str | None, around: _Open | None, places: Places) -> _Open:
    within = of_heading(block.text, around.places if around else places)
    number = rule_number(block.text, heading=True) or (around.rule if around else None)
    return _Open(block, within, anchor or (around.anchor if around else None), number)


def _says_something(block: Block, following: Block | None) -> bool:
    """Whether a heading is all there is: nothing below it, not even a deeper heading."""
    if following is not None and (following.kind is not BlockKind.HEADING or following.level > block.level):
        return False
    return len(block.text.split()) >= _HEADING_THAT_SAYS_SOMETHING


def _closed(open_: Sequence[_Open], lines: Sequence[Block], title: str, places: Places) -> list[Section]:
    if not lines:
        return []
    headings = [_shortened(each.block.text) for each in open_]
    if not open_ or open_[0].block.level > 1:
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
