"""What a parser gives: a document's lines in normal form, and what the document says about itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rag_core.layout import Block, BlockKind


@dataclass(frozen=True, slots=True)
class Piece:
    """A line as a format gives it, before `outline.settle` decides which lines are headings.

    `bold`: the whole text is emphasised as a heading would be. `glued`: the emphasised words at the end of
    `text`, where they follow the sentence before without a space. `target`: the fragment, if the whole text is
    a link within the page. `anchor`: the id under which the page knows the line. `page`: where a format has
    pages, the one on which the line begins, from 1; else 0.
    """

    kind: BlockKind
    text: str
    level: int = 0
    marker: str = ""
    bold: bool = False
    glued: str = ""
    target: str | None = None
    anchor: str | None = None
    page: int = 0


@dataclass(frozen=True, slots=True)
class ParseWarning:
    """Something that could not be read although the document could: a code and the facts that explain it."""

    code: str
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document read: `blocks` without offsets, `anchors` by the index of a heading in `blocks`.

    `metadata` is what its front matter (or `adpolicy:` meta elements) says, as written; `metadata_lines` the line
    of each key in the file, where known. `url` is the canonical address that the document itself names.
    `pages`: where there are pages, the page from the block with this index on. `page_count`: how many there are.
    """

    blocks: tuple[Block, ...]
    anchors: Mapping[int, str] = field(default_factory=dict)
    metadata: Mapping[str, object] = field(default_factory=dict)
    metadata_lines: Mapping[str, int] = field(default_factory=dict)
    title: str | None = None
    url: str | None = None
    pages: Mapping[int, int] = field(default_factory=dict)
    page_count: int | None = None
    warnings: tuple[ParseWarning, ...] = ()


def pages_of(pieces: Sequence[Piece]) -> dict[int, int]:
    """`ParsedDocument.pages` of the pieces that became its blocks."""
    numbers = [piece.page for piece in pieces]
    return {at: page for at, page in enumerate(numbers) if not at or page != numbers[at - 1]}


def title_of(blocks: Sequence[Block]) -> str | None:
    """The first heading of level 1, else the first heading: what a reader takes for the title."""
    headings = [block for block in blocks if block.kind is BlockKind.HEADING]
    first = next((block for block in headings if block.level == 1), headings[0] if headings else None)
    return first.text if first else None
