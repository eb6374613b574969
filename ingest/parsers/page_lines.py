"""Lines of a document as they come, put into the lists they stand in: what both formats' readers write to."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ingest.parsers.parsed import Piece
from ingest.parsers.runs import Line
from rag_core.layout import BlockKind

_ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv".split()


@dataclass(slots=True)
class OpenList:
    """A list being read: `style` is "1", "a", "A", "i" or "I", `delimiter` what follows a number."""

    ordered: bool
    number: int = 1
    delimiter: str = "."
    style: str = "1"

    def marker(self) -> str:
        if not self.ordered:
            return "-"
        if self.style in ("a", "A") and 1 <= self.number <= 26:
            return chr(ord(self.style) + self.number - 1) + self.delimiter
        if self.style in ("i", "I") and 1 <= self.number <= len(_ROMAN):
            roman = _ROMAN[self.number - 1]
            return (roman.upper() if self.style == "I" else roman) + self.delimiter
        return f"{self.number}{self.delimiter}"


@dataclass(slots=True)
class OpenItem:
    """A list item being read. `at`: where its line is in the pieces, -1 before it has one.

    A `section` is an item that only holds other blocks (a card, an accordion): its lines are paragraphs.
    """

    level: int
    marker: str
    section: bool = False
    at: int = -1


@dataclass(slots=True)
class PageLines:
    """The pieces of one document, with the lists and items that are open."""

    pieces: list[Piece] = field(default_factory=list)
    lists: list[OpenList] = field(default_factory=list)
    items: list[OpenItem] = field(default_factory=list)

    def open_item(self, section: bool = False) -> None:
        current = self.lists[-1]
        self.items.append(OpenItem(len(self.lists) - 1, current.marker(), section))

    def close_item(self) -> None:
        self.items.pop()
        self.lists[-1].number += 1

    def add(self, piece: Piece) -> None:
        self.pieces.append(piece)

    def add_lines(self, lines: Iterable[Line], anchor: str | None = None) -> None:
        for line in lines:
            if self.items and not self.items[-1].section:
                self._add_to_item(line, self.items[-1], anchor)
            else:
                self._append(BlockKind.PARAGRAPH, line, anchor)
            anchor = None

    def _append(self, kind: BlockKind, line: Line, anchor: str | None, level: int = 0, marker: str = "") -> None:
        self.pieces.append(Piece(kind, line.text, level, marker, line.bold, line.glued, line.target, anchor))

    def _add_to_item(self, line: Line, item: OpenItem, anchor: str | None) -> None:
        """The first line of an item is its text, and what follows is joined to it.

            A bold first line with paragraphs below is a heading; a line after a nested list, or one that leads into
        another list, is an item of its own.
        """
        last = len(self.pieces) - 1
        if item.at < 0:
            item.at = last + 1
            self._append(BlockKind.ITEM, line, anchor, item.level, item.marker)
        elif item.at < last or (line.text.endswith(":") and not self.pieces[last].bold):
            self._append(BlockKind.ITEM, line, anchor, item.level, "-")
        elif self.pieces[last].bold:
            self.pieces[last] = replace(self.pieces[last], kind=BlockKind.PARAGRAPH, level=0, marker="")
            item.section = True
            self._append(BlockKind.PARAGRAPH, line, anchor)
        else:
            before = self.pieces[last]
            self.pieces[last] = replace(before, text=f"{before.text} {line.text}", glued=line.glued, target=None)
