"""Lines of a PDF in reading order to the pieces of a document: paragraphs, lists, headings, tables."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

from ingest.parsers.broken_lines import joined
from ingest.parsers.parsed import Piece
from ingest.parsers.pdf.headings import Headings, Look, is_numbered
from ingest.parsers.pdf.order import Ordered
from ingest.parsers.pdf.page import PageTable, TextLine
from rag_core.layout import BlockKind, list_marker, row_text

_BULLET = re.compile(r"(?:[•●○▪■□◦‣·∙➢➤►▸✓–—*\uf0b7\uf0a7\uf0d8\uf076\u2043]|-|o(?= [A-Z]))\s+(?=\S)")
_NUMBER = re.compile(r"(\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})[.)])\s+(?=\S)")
_ENDS = re.compile(r"[.!?:;][\"'”’)\]]*$")
_FULL = 0.72
"""The part of its column that a line within a paragraph fills at least."""
_INDENT = 4.0
"""Points by which a deeper list stands further right."""


@dataclass(slots=True)
class _Open:
    """A paragraph or item that may go on in the next line."""

    kind: BlockKind
    text: str
    last: TextLine
    page: int
    marker: str = ""
    level: int = 0
    x: float = 0.0
    look: Look | None = None
    bold: bool = False


@dataclass(slots=True)
class PieceWriter:
    """Takes the lines of a document one after the other. `known`: its words in lower case."""

    headings: Headings
    known: Collection[str]
    pieces: list[Piece] = field(default_factory=list)
    looks: dict[int, Look] = field(default_factory=dict)
    open: _Open | None = None
    indents: list[float] = field(default_factory=list)
    table: PageTable | None = None
    leading: float = 0.0

    def page(self, number: int, ordered: Sequence[Ordered]) -> None:
        lines = [each for each in ordered if isinstance(each, TextLine)]
        self.leading = _leading(lines)
        for each in ordered:
            if isinstance(each, PageTable):
                self._table(each, number)
            else:
                self._line(each, number)

    def finished(self) -> list[Piece]:
        """All pieces; headings have their levels."""
        self._close()
        for at, look in self.looks.items():
            piece = self.pieces[at]
            self.pieces[at] = replace(piece, level=self.headings.level(look, piece.text))
        return self.pieces

    def _line(self, line: TextLine, page: int) -> None:
        look = self.headings.look_of(line)
        if look is None and (marked := _marker(line)) is not None:
            self._close()
            self._item(line, page, *marked)
        elif self._goes_on(line, look, page):
            self._continue(line)
        else:
            self._close()
            kind = BlockKind.PARAGRAPH if look is None else BlockKind.HEADING
            self.open = _Open(kind, line.text, line, page, x=line.x0, look=look, bold=line.bold)
            self.indents = []

    def _item(self, line: TextLine, page: int, marker: str, text: str) -> None:
        while self.indents and line.x0 < self.indents[-1] - _INDENT:
            self.indents.pop()
        if not self.indents or line.x0 > self.indents[-1] + _INDENT:
            self.indents.append(line.x0)
        level = len(self.indents) - 1
        self.open = _Open(BlockKind.ITEM, text, line, page, list_marker(marker), level, line.x0, bold=line.bold)

    def _goes_on(self, line: TextLine, look: Look | None, page: int) -> bool:
        current = self.open
        if current is None or current.look != look:
            return False
        if current.kind is BlockKind.HEADING:
            near = page == current.page and 0 < line.base - current.last.base <= 1.6 * line.size
            return near and not is_numbered(line.text)
        if current.bold != line.bold or abs(line.size - current.last.size) > 0.2 * line.size:
            return _flows(current, line, self.leading) and abs(line.size - current.last.size) <= 0.2 * line.size
        if line.base <= current.last.base or page != current.page:  # the next column, the next page
            return _runs_on(current, line)
        return _flows(current, line, self.leading)

    def _continue(self, line: TextLine) -> None:
        current = self.open
        if current is not None:
            current.text = joined(current.text, line.text, self.known)
            current.last = line
            current.bold = current.bold and line.bold

    def _close(self) -> None:
        current, self.open = self.open, None
        if current is None:
            return
        self.table = None
        if current.look is not None:
            self.headings.add(current.look, current.text)
            self.looks[len(self.pieces)] = current.look
        bold = current.bold and current.kind is BlockKind.PARAGRAPH
        self.pieces.append(
            Piece(current.kind, current.text, current.level, current.marker, bold=bold, page=current.page)
        )

    def _table(self, table: PageTable, page: int) -> None:
        self._close()
        self.indents = []
        rows, before = list(table.rows), self.table
        goes_on = before is not None and _same_columns(before, table)
        if goes_on and before is not None and rows[0] == before.rows[0]:
            rows = rows[1:]
        header = table.header and not goes_on
        for at, cells in enumerate(rows):
            kind = BlockKind.HEADER_ROW if header and not at else BlockKind.ROW
            self.pieces.append(Piece(kind, row_text(cells), page=page))
        self.table = replace(table, rows=before.rows) if goes_on and before is not None else table


def _flows(current: _Open, line: TextLine, leading: float) -> bool:
    """Whether `line` follows within a paragraph: near enough, and the line before is full or breaks off."""
    gap = line.base - current.last.base
    if not 0 < gap <= max(1.35 * leading, 1.25 * line.size):
        return False
    if current.kind is BlockKind.ITEM:
        return line.x0 > current.x + 2 or not _is_short(current.last) or line.text[:1].islower()
    ended = _ENDS.search(current.text) is not None
    if ended and line.x0 > current.last.x0 + line.size * 0.8 and current.last.x0 <= current.last.left + 2:
        return False  # an indented first line
    return not _is_short(current.last) or (not ended and line.text[:1].islower())


def _runs_on(current: _Open, line: TextLine) -> bool:
    """Whether a sentence that breaks off at the end of a column or page goes on in `line`, on top of the next."""
    last = current.last
    if abs(line.size - last.size) > 0.1 * line.size:
        return False
    width = max(last.right - last.left, line.right - line.left)
    is_full = last.x1 - last.left >= _FULL * width
    if line.text[:1].islower():
        return is_full or not _ENDS.search(current.text)
    return not _ENDS.search(current.text) and (is_full or current.text.endswith(("-", ",")))


def _is_short(line: TextLine) -> bool:
    return line.x1 < line.left + _FULL * (line.right - line.left)


def _leading(lines: Sequence[TextLine]) -> float:
    gaps = [after.base - before.base for before, after in pairwise(lines)]
    near = [gap for gap, line in zip(gaps, lines, strict=False) if 0.8 * line.size < gap < 2.2 * line.size]
    return median(near) if near else 0.0


def _marker(line: TextLine) -> tuple[str, str] | None:
    """The marker and the text of a line that begins a list item."""
    text = line.text
    if match := _BULLET.match(text):
        return "-", text[match.end() :]
    if match := _NUMBER.match(text):
        return match[1], text[match.end() :]
    return None


def _same_columns(before: PageTable, after: PageTable) -> bool:
    same = len(before.rows[0]) == len(after.rows[0])
    return same and abs(before.x0 - after.x0) < 6 and abs(before.x1 - after.x1) < 6
