"""HTML tables to rows: spans laid out, several header rows made one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from ingest.parsers.parsed import Piece
from rag_core.layout import BlockKind, row_text

_MOST_COLUMNS = 60
"""A span reaches no further, across or down: `rowspan="99999999"` costs nothing to write."""


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    header: bool
    columns: int
    rows: int


def is_layout(table: LexborNode) -> bool:
    """Whether a table only places things on the page."""
    if table.attributes.get("role") in ("presentation", "none"):
        return True
    if table.css_first("table table, td h1, td h2, td h3, td h4") is not None:
        return True
    return all(len(_cell_nodes(row)) <= 1 for row in _row_nodes(table))


def table_pieces(table: LexborNode, text_of: Callable[[LexborNode], str]) -> list[Piece]:
    """The rows of a table, the header row marked as such; its caption before it."""
    rows = [[_cell(node, text_of) for node in _cell_nodes(row)] for row in _row_nodes(table)]
    in_head = [row.parent is not None and row.parent.tag == "thead" for row in _row_nodes(table)]
    headers = _leading_headers(rows, in_head) or _bold_headers(_row_nodes(table))
    grid = _laid_out(rows)
    caption = table.css_first("caption")
    pieces = [Piece(BlockKind.PARAGRAPH, text_of(caption))] if caption is not None and text_of(caption) else []
    if headers:
        pieces.append(Piece(BlockKind.HEADER_ROW, row_text(_merged(grid[:headers]))))
    pieces.extend(Piece(BlockKind.ROW, row_text(cells)) for cells in grid[headers:] if any(map(str.strip, cells)))
    return pieces


def _row_nodes(table: LexborNode) -> list[LexborNode]:
    return table.css("tr")


def _cell_nodes(row: LexborNode) -> list[LexborNode]:
    return [node for node in row.iter() if node.tag in ("td", "th")]


def _cell(node: LexborNode, text_of: Callable[[LexborNode], str]) -> _Cell:
    return _Cell(text_of(node) or _pictured(node), node.tag == "th", _span(node, "colspan"), _span(node, "rowspan"))


def _pictured(node: LexborNode) -> str:
    """What the pictures of a cell without words say: a tick or a cross."""
    return " ".join(image.attributes.get("alt") or "" for image in node.css("img[alt]")).strip()


def _span(node: LexborNode, name: str) -> int:
    written = node.attributes.get(name) or "1"
    return min(max(int(written), 1), _MOST_COLUMNS) if written.isascii() and written.isdigit() else 1


def _leading_headers(rows: Sequence[Sequence[_Cell]], in_head: Sequence[bool]) -> int:
    """How many rows at the top are header rows; never all of them."""
    count = 0
    for cells, head in zip(rows[:-1], in_head[:-1], strict=True):
        if not (head or (cells and all(cell.header for cell in cells))):
            break
        count += 1
    return count


def _bold_headers(rows: Sequence[LexborNode]) -> int:
    """Rows at the top, at most two, that are wholly bold, where the others are not."""
    bold = [_is_bold(row) for row in rows[:3]]
    count = bold.index(False) if False in bold else len(bold)
    return count if count < min(len(rows), 3) else 0


def _is_bold(row: LexborNode) -> bool:
    cells = [cell for cell in _cell_nodes(row) if cell.text(strip=True)]
    if len(cells) < 2:
        return False
    return all(
        "".join(part.text(strip=True) for part in cell.css("b, strong")) == cell.text(strip=True) for cell in cells
    )


def _laid_out(rows: Sequence[Sequence[_Cell]]) -> list[list[str]]:
    """The text of every place in the grid. A cell across a whole row is written once, and so is one that stands beyond
    `_MOST_COLUMNS`."""
    width = max((sum(cell.columns for cell in row) for row in rows), default=0)
    reaching: dict[int, tuple[str, int]] = {}
    grid: list[list[str]] = []
    for cells in rows:
        line: list[str] = []
        waiting = list(cells)
        while waiting or len(line) in reaching:
            column = len(line)
            if column in reaching:
                text, left = reaching.pop(column)
                line.append(text)
                if left > 1:
                    reaching[column] = (text, left - 1)
                continue
            cell = waiting.pop(0)
            alone = len(cells) == 1 and cell.columns >= width
            line.extend([cell.text] + [("" if alone else cell.text)] * (cell.columns - 1))
            if cell.rows > 1:
                reaching.update(dict.fromkeys(range(column, len(line)), (cell.text, cell.rows - 1)))
            if len(line) >= _MOST_COLUMNS:
                line.extend(cell.text for cell in waiting)
                break
        grid.append(line)
    return grid


def _merged(rows: Sequence[Sequence[str]]) -> list[str]:
    """One header row out of several: the words above a column, each once."""
    width = max(len(row) for row in rows)
    columns = [[row[at] for row in rows if at < len(row) and row[at]] for at in range(width)]
    return [" ".join(dict.fromkeys(column)) for column in columns]
