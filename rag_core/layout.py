"""The normal form of a document's text: what parsers write, and what chunking and answering read.

One block a line, so that a line's meaning survives being cut out of its document:

    ## Heading            level = number of `#`
    A paragraph.          one line, white space collapsed
    - item                two spaces of indentation a level; ordered items keep their marker: `1.`, `a)`
    | cell | cell |       a table row; the header row is followed by a `| --- | --- |` line

Inline mark-up is gone: the text is what a reader of the page sees. Headings, paragraphs, lists and tables are
separated by one empty line. A paragraph that would read as another kind of block starts with a backslash,
which is not part of its text.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from syntok import segmenter


@lru_cache(maxsize=4096)
def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """(start, end) of every sentence of `text`, without the white space between them; they cover all else."""
    starts = [sentence[0].offset for paragraph in segmenter.analyze(text) for sentence in paragraph if sentence]
    if not starts:
        return ((0, len(text)),) if text.strip() else ()
    starts[0] = len(text) - len(text.lstrip())
    spans = []
    for start, following in zip(starts, [*starts[1:], len(text)], strict=True):
        spans.append((start, start + len(text[start:following].rstrip())))
    return tuple(spans)


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    HEADER_ROW = "header_row"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Block:
    """One line of a document.

    `level`: 1-6 for headings, nesting from 0 for items, else 0. `marker`: an item's bullet or number, else "".
    `start` and `end` are the offsets of `text` in the document (-1 before it is written). A row's text is its
    cells joined by " | ".
    """

    kind: BlockKind
    text: str
    level: int = 0
    marker: str = ""
    start: int = -1
    end: int = -1

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of a table row."""
        return tuple(cell.strip() for cell in self.text.split(" | "))


_HEADING = re.compile(r"(#{1,6}) (?=\S)")
_MARKER = r"(?:-|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})[.)])"
_WHOLE_MARKER = re.compile(_MARKER)
_ITEM = re.compile(rf"((?:  )*)({_MARKER}) (?=\S)")
_ROW = re.compile(r"\| (.*) \|$")
_RULE = re.compile(r"\|( --- \|)+$")
_LOOKS_LIKE_BLOCK = re.compile(rf"#{{1,6}} |{_MARKER} |\| |\\")


def collapse(text: str) -> str:
    """`text` with every run of white space as one space."""
    return " ".join(text.split())


def row_text(cells: Iterable[str]) -> str:
    """The text of a table row; a bar inside a cell becomes a slash, an empty cell or a line of dashes a dash."""
    return " | ".join(_cell_text(collapse(cell)) for cell in cells)


def _cell_text(cell: str) -> str:
    return cell.replace("|", "/") if cell.strip("-") else "-"


def list_marker(marker: str) -> str:
    """`marker` if a list item can be read back with it, else a dash."""
    return marker if _WHOLE_MARKER.fullmatch(marker) else "-"


def write_blocks(blocks: Iterable[Block]) -> str:
    """The document text of `blocks`, which `read_blocks` reads back. A block without text is left out."""
    lines: list[str] = []
    previous: Block | None = None
    for block in blocks:
        if not collapse(block.text):
            continue
        if previous is not None and not _continues(previous, block):
            lines.append("")
        lines.extend(_lines_of(block))
        previous = block
    return "\n".join(lines) + "\n" if lines else ""


def _continues(previous: Block, block: Block) -> bool:
    rows = (BlockKind.HEADER_ROW, BlockKind.ROW)
    if block.kind is BlockKind.ITEM:
        return previous.kind is BlockKind.ITEM
    return block.kind is BlockKind.ROW and previous.kind in rows


def _lines_of(block: Block) -> list[str]:
    text = collapse(block.text)
    match block.kind:
        case BlockKind.HEADING:
            return [f"{'#' * min(max(block.level, 1), 6)} {text}"]
        case BlockKind.ITEM:
            return [f"{'  ' * block.level}{list_marker(block.marker)} {text}"]
        case BlockKind.HEADER_ROW:
            return [f"| {text} |", "|" + " --- |" * len(block.cells)]
        case BlockKind.ROW:
            return [f"| {text} |"]
        case BlockKind.PARAGRAPH:
            return [f"\\{text}" if _LOOKS_LIKE_BLOCK.match(text) else text]


def read_blocks(text: str, offset: int = 0) -> list[Block]:
    """The blocks of a document's text or of a slice of it that starts `offset` characters into the document."""
    blocks: list[Block] = []
    for start, line in _lines(text, offset):
        if _RULE.match(line):
            if blocks and blocks[-1].kind is BlockKind.ROW:
                header = blocks[-1]
                blocks[-1] = Block(BlockKind.HEADER_ROW, header.text, start=header.start, end=header.end)
            continue
        blocks.append(_read_line(line, start))
    return blocks


def _lines(text: str, offset: int) -> Iterator[tuple[int, str]]:
    position = offset
    for line in text.split("\n"):
        if line.strip():
            yield position, line.rstrip()
        position += len(line) + 1


def _read_line(line: str, start: int) -> Block:
    if match := _HEADING.match(line):
        return _block(BlockKind.HEADING, line, match.end(), start, level=len(match[1]))
    if match := _ITEM.match(line):
        return _block(BlockKind.ITEM, line, match.end(), start, level=len(match[1]) // 2, marker=match[2])
    if match := _ROW.match(line):
        return Block(BlockKind.ROW, match[1], start=start + 2, end=start + 2 + len(match[1]))
    return _block(BlockKind.PARAGRAPH, line, 1 if line.startswith("\\") else 0, start)


def _block(kind: BlockKind, line: str, skip: int, start: int, level: int = 0, marker: str = "") -> Block:
    return Block(kind, line[skip:], level, marker, start + skip, start + len(line))
