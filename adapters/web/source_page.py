"""A version's text as a page shows it: blocks, lists nested, tables with cells, one range highlighted. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from aiohttp import web

from adapters.web.api.library import is_id
from adapters.web.callers import caller_of
from adapters.web.pages import render
from adapters.web.parts import PARTS, WebParts
from adapters.web.problems import RequestRefused
from bot.access.tokens import Permission
from rag_core.documents import SAMPLE_LABEL
from rag_core.layout import Block, BlockKind, read_blocks
from rag_core.ports import VersionText

Range = tuple[int, int]
"""Offsets in the version's text, end excluded."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that is highlighted or not; `first` is true for the first highlighted one of the page."""

    text: str
    marked: bool = False
    first: bool = False


Line = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """`level` is that of the page, 2 to 6: the page's title is level 1, the document's highest headings are 2."""

    level: int
    line: Line
    kind: str = "heading"


@dataclass(frozen=True, slots=True)
class Paragraph:
    line: Line
    kind: str = "paragraph"


@dataclass(slots=True)
class Item:
    """`marker` is the document's own number or letter, "" for a bullet; `items` are the ones nested below it."""

    marker: str
    line: Line
    items: list["Item"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ItemList:
    items: tuple[Item, ...]
    kind: str = "list"


@dataclass(frozen=True, slots=True)
class Table:
    header: tuple[Line, ...]
    rows: tuple[tuple[Line, ...], ...]
    kind: str = "table"


PageBlock = Heading | Paragraph | ItemList | Table


def page_blocks(text: str, title: str, marked: Range | None) -> list[PageBlock]:
    """The blocks of a version's text. A heading that only repeats `title` at the top is left out, unless marked."""
    pen = _Pen(marked)
    blocks = read_blocks(text)
    if blocks and _repeats_title(blocks[0], title) and not pen.touches(blocks[0]):
        blocks = blocks[1:]
    highest = min((block.level for block in blocks if block.kind is BlockKind.HEADING), default=1)
    return list(_grouped(blocks, pen, 2 - highest))


def _repeats_title(block: Block, title: str) -> bool:
    return block.kind is BlockKind.HEADING and block.text.casefold() == title.casefold()


class _Pen:
    """Cuts text where the highlight begins and ends, and remembers whether the first one was drawn."""

    def __init__(self, marked: Range | None) -> None:
        self._from, self._to = marked or (0, 0)
        self._drawn = False

    def touches(self, block: Block) -> bool:
        return max(block.start, self._from) < min(block.end, self._to)

    def line(self, text: str, start: int) -> Line:
        """`text`, which begins at offset `start`, as pieces."""
        first, last = (min(max(edge - start, 0), len(text)) for edge in (self._from, self._to))
        if first >= last:
            return (Piece(text),)
        around = (Piece(text[:first]), Piece(text[first:last], True, not self._drawn), Piece(text[last:]))
        self._drawn = True
        return tuple(piece for piece in around if piece.text)

    def cells(self, row: Block) -> tuple[Line, ...]:
        position, lines = row.start, []
        for cell in row.text.split(" | "):
            lines.append(self.line(cell, position))
            position += len(cell) + len(" | ")
        return tuple(lines)


_ROWS = (BlockKind.HEADER_ROW, BlockKind.ROW)


def _group_of(block: Block) -> str:
    return "table" if block.kind in _ROWS else block.kind.value


def _grouped(blocks: Sequence[Block], pen: _Pen, deeper: int) -> Iterator[PageBlock]:
    for group, members in groupby(blocks, key=_group_of):
        if group == "table":
            yield from _tables(list(members), pen)
        elif group == BlockKind.ITEM.value:
            yield _item_list(members, pen)
        elif group == BlockKind.HEADING.value:
            for block in members:
                yield Heading(min(block.level + deeper, 6), pen.line(block.text, block.start))
        else:
            for block in members:
                yield Paragraph(pen.line(block.text, block.start))


def _tables(rows: list[Block], pen: _Pen) -> Iterator[Table]:
    starts = [at for at, row in enumerate(rows) if at == 0 or row.kind is BlockKind.HEADER_ROW]
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        table = rows[start:end]
        header = pen.cells(table[0]) if table[0].kind is BlockKind.HEADER_ROW else ()
        yield Table(header, tuple(pen.cells(row) for row in table if row.kind is BlockKind.ROW))


def _item_list(blocks: Iterator[Block], pen: _Pen) -> ItemList:
    top: list[Item] = []
    open_items: list[tuple[int, Item]] = []
    for block in blocks:
        item = Item("" if block.marker == "-" else block.marker, pen.line(block.text, block.start))
        while open_items and open_items[-1][0] >= block.level:
            open_items.pop()
        (open_items[-1][1].items if open_items else top).append(item)
        open_items.append((block.level, item))
    return ItemList(tuple(top))


routes = web.RouteTableDef()

_OFFSET_DIGITS = 12


@routes.get("/sources/{doc_id}")
async def source(request: web.Request) -> web.Response:
    """The page; one and the same 404 for what does not exist and for what the reader may not see."""
    parts, groups = request.app[PARTS], caller_of(request, Permission.READ).groups
    doc_id = request.match_info["doc_id"]
    found = await parts.store.version_text(doc_id, groups) if is_id(doc_id) else None
    if found is None:
        raise RequestRefused(404, "source_not_found")
    return render(request, "source.html", await _context(parts, groups, found, await _marked(request, groups, found)))


async def _context(
    parts: WebParts, groups: frozenset[str], found: VersionText, marked: Range | None
) -> dict[str, object]:
    version = found.version
    key, value = SAMPLE_LABEL
    return {
        "version": version,
        "blocks": page_blocks(found.text, version.title, marked),
        "marked": marked is not None,
        "versions": list(reversed(await parts.store.versions(groups, version.document_id))),
        "names": parts.links.source_names,
        "original": web_address(version.url),
        "is_sample": version.labels.get(key) == value,
        "today": parts.today(),
    }


async def _marked(request: web.Request, groups: frozenset[str], found: VersionText) -> Range | None:
    """The range the address asks to highlight (`from`, `to`), else the chunk it names, if either is in the text."""
    start, end = (_offset(request.query.get(name, "")) for name in ("from", "to"))
    if start is not None and end is not None:
        return _within(found, start, end)
    chunk_id = request.query.get("chunk", "")
    passages = await request.app[PARTS].store.passages([chunk_id], groups, None) if is_id(chunk_id) else []
    mine = [passage.chunk for passage in passages if passage.chunk.doc_id == found.version.doc_id]
    return _within(found, mine[0].char_start, mine[0].char_end) if mine else None


def _within(found: VersionText, start: int, end: int) -> Range | None:
    return (start, end) if 0 <= start < end <= len(found.text) else None


def _offset(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _OFFSET_DIGITS else None


def web_address(url: str | None) -> str | None:
    """`url` if a browser may be sent there: a document can name any scheme, `javascript:` too."""
    return url if url is not None and url.lower().startswith(("https://", "http://")) else None
