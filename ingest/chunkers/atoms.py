"""The lines of a section as pieces that stay whole, each with what it needs to be understood alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.chunkers.marks import rule_number
from ingest.chunkers.outline import Section
from ingest.places import Places, names_only_places, of_label
from rag_core.layout import Block, BlockKind

_IN_TABLE = (BlockKind.HEADER_ROW, BlockKind.ROW)
_LABEL_WORDS = 3
"""A lead-in of so few words ("Examples:") needs the sentence before it."""


Scope = tuple[Places, str | None]
"""Where a line holds, and its rule number: lines of different scope never share a chunk."""


@dataclass(frozen=True, slots=True)
class Atom:
    """`text[start:end]`: a line with its marker, or a part of a long one.

    `block` is the index of its line in the section; `opens`: whether it is the line's beginning; `joined`: it must
    not be parted from the next one, whose meaning hangs on it.
    """

    start: int
    end: int
    tokens: int
    block: int
    opens: bool
    joined: bool
    scope: Scope


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a section with its span in the text and its scope."""

    block: Block
    start: int
    end: int
    joined: bool
    scope: Scope


def lines_of(section: Section, text: str) -> list[Line]:
    """The lines of a section of `text`."""
    scopes = list(_scopes(section))
    found = []
    for at, block in enumerate(section.blocks):
        start, end = _span(block, text)
        found.append(Line(block, start, end, _is_joined(section.blocks, at), scopes[at]))
    return found


def _span(block: Block, text: str) -> tuple[int, int]:
    """A line with its marker; a header row with the line below it; of a heading only its words."""
    if block.kind is BlockKind.HEADING:
        return block.start, block.end
    start = text.rfind("\n", 0, block.start) + 1
    end = _line_end(text, block.end)
    return start, _line_end(text, end + 1) if block.kind is BlockKind.HEADER_ROW else end


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _is_joined(blocks: Sequence[Block], at: int) -> bool:
    block, following = blocks[at], blocks[at + 1] if at + 1 < len(blocks) else None
    if following is None:
        return False
    if block.kind is BlockKind.ITEM:
        return following.kind is BlockKind.ITEM and (following.level > block.level or block.text.endswith(":"))
    if block.kind is BlockKind.PARAGRAPH:
        return following.kind in (BlockKind.ITEM, *_IN_TABLE) or block.text.endswith(":")
    return block.kind is BlockKind.HEADER_ROW


def is_label(text: str) -> bool:
    """Whether a line only announces what follows: "Examples:"."""
    return text.endswith(":") and len(text.split()) <= _LABEL_WORDS


def _scopes(section: Section) -> Iterator[Scope]:
    """For each line where it holds and its rule number.

    A place's label reaches over its own line, over the list or table that the line leads into, and over the items
    below an item. A rule number reaches over what follows it directly but is no sentence of its own: a wrong number
    in a citation is worse than none.
    """
    rule = section.rule_number
    places, reach = section.places, -1
    previous: Block | None = None
    for at, block in enumerate(section.blocks):
        rule = _rule_of(block) or (section.rule_number if _ends_rule(previous, block) else rule)
        if not _reaches(reach, previous, block):
            places, reach = section.places, -1
        label = _label(section.blocks, at, places)
        if label is not None:
            places = label
            reach = block.level if block.kind is BlockKind.ITEM else -2
        yield places, rule
        previous = block


def _label(blocks: Sequence[Block], at: int, around: Places) -> Places | None:
    """Where the line `at` holds by its own label; an item that is only a place is one for the items below it."""
    block, following = blocks[at], blocks[at + 1] if at + 1 < len(blocks) else None
    if block.kind not in (BlockKind.PARAGRAPH, BlockKind.ITEM):
        return None
    has_items = following is not None and following.kind is BlockKind.ITEM and following.level > block.level
    if block.kind is BlockKind.ITEM and has_items and names_only_places(block.text):
        return of_label(f"{block.text.rstrip(':')}:", around)
    return of_label(block.text, around)


def _rule_of(block: Block) -> str | None:
    is_rule_line = block.kind is BlockKind.PARAGRAPH or (block.kind is BlockKind.ITEM and block.level == 0)
    return rule_number(block.text) if is_rule_line else None


def _ends_rule(previous: Block | None, block: Block) -> bool:
    """Whether a line without a number is no part of the rule before it."""
    if block.kind is not BlockKind.PARAGRAPH or previous is None:
        return False
    return previous.kind is not BlockKind.PARAGRAPH or previous.text.endswith((".", "!", "?", ";"))


def _reaches(reach: int, previous: Block | None, block: Block) -> bool:
    """Whether a label at `reach` (an item's level, -2 for a paragraph, -1 for none) still covers `block`."""
    if reach >= 0:
        return block.kind is BlockKind.ITEM and block.level > reach
    if reach == -1 or previous is None:
        return False
    if previous.kind is BlockKind.PARAGRAPH:
        return previous.text.endswith(":")
    return block.kind is previous.kind or (block.kind is BlockKind.ROW and previous.kind is BlockKind.HEADER_ROW)
