"""Tables of a PDF: ruled by lines drawn on the page, or plain where the alignment of the cells leaves no doubt."""

from collections.abc import Sequence

from pdfplumber.table import cells_to_tables, edges_to_intersections, intersections_to_cells, merge_edges

from ingest.parsers.broken_lines import joined_lines
from ingest.parsers.pdf.order import Ordered
from ingest.parsers.pdf.page import Box, PageTable, TextLine, Word, rows_of
from rag_core.layout import collapse

_LEAST_ROWS = 3
_ALIGNED = 3.0


def with_plain_tables(ordered: Sequence[Ordered]) -> list[Ordered]:
    """Three lines or more, each of the same number of cells that begin at the same places, are a table."""
    found: list[Ordered] = []
    run: list[TextLine] = []
    for each in ordered:
        if isinstance(each, TextLine) and run and _aligned(run[-1], each):
            run.append(each)
            continue
        found.extend(_made(run))
        run = []
        if isinstance(each, TextLine):
            run = [each]
        else:
            found.append(each)
    return [*found, *_made(run)]


def _aligned(before: TextLine, line: TextLine) -> bool:
    cells, others = line.segments, before.segments
    if len(cells) < 2 or len(cells) != len(others) or line.base - before.base > 3 * line.size:
        return False
    if len(cells[0].text) <= 3 and len(cells) == 2:  # the markers of a list
        return False
    return all(abs(a.x0 - b.x0) <= _ALIGNED for a, b in zip(cells, others, strict=True))


def _made(run: Sequence[TextLine]) -> Sequence[Ordered]:
    if len(run) < _LEAST_ROWS:
        return run
    box = (run[0].x0, run[0].base - run[0].size, max(line.x1 for line in run), run[-1].base)
    rows = tuple(tuple(cell.text for cell in line.segments) for line in run)
    return [PageTable(box, rows, run[0].bold and not all(line.bold for line in run))]


_NEAR = 3.0
"""Points within which two rulings are one."""


def ruled_tables(edges: Sequence[Box], words: Sequence[Word]) -> list[PageTable]:
    """Tables of at least two rows and columns. A cell that reaches over several places is in each of them."""
    if len(edges) < 4:
        return []
    merged = merge_edges([_edge(edge) for edge in edges], _NEAR, _NEAR, _NEAR, _NEAR)
    cells = intersections_to_cells(edges_to_intersections(merged, _NEAR, _NEAR))
    tables = (_table([_box(cell) for cell in group], words) for group in cells_to_tables(cells))
    return [table for table in tables if table is not None]


def _edge(box: Box) -> dict[str, object]:
    x0, top, x1, bottom = box
    lies = bottom - top <= x1 - x0
    return {
        "x0": x0,
        "x1": x1,
        "top": top,
        "bottom": top if lies else bottom,
        "width": x1 - x0,
        "height": 0 if lies else bottom - top,
        "orientation": "h" if lies else "v",
    }


def _box(cell: Sequence[float]) -> Box:
    return float(cell[0]), float(cell[1]), float(cell[2]), float(cell[3])


def _table(cells: Sequence[Box], words: Sequence[Word]) -> PageTable | None:
    lefts = sorted({cell[0] for cell in cells})
    tops = sorted({cell[1] for cell in cells})
    if len(lefts) < 2 or len(tops) < 2:
        return None
    box = (lefts[0], tops[0], max(cell[2] for cell in cells), max(cell[3] for cell in cells))
    inside = [word for word in words if within(word, box)]
    held = {cell: [word for word in inside if within(word, cell)] for cell in cells}
    rows = [_row(cells, held, lefts, top) for top in tops]
    filled = [(cells_, bold) for cells_, bold in rows if any(cells_)]
    if len(filled) < 2:
        return None
    header = filled[0][1] and not all(bold for _, bold in filled)
    return PageTable(box, tuple(texts for texts, _ in filled), header)


def _row(
    cells: Sequence[Box], held: dict[Box, list[Word]], lefts: Sequence[float], top: float
) -> tuple[tuple[str, ...], bool]:
    places = [_covering(cells, left + 1, top + 1) for left in lefts]
    texts = [_cell_text(held[cell]) if cell is not None else "" for cell in places]
    words = [word for cell in places if cell is not None for word in held[cell]]
    bold = bool(words) and all(word.bold for word in words)
    if len(places) > 1 and places[0] is not None and all(cell == places[0] for cell in places):
        texts[1:] = [""] * (len(texts) - 1)  # across the whole row: written once
    return tuple(texts), bold


def _covering(cells: Sequence[Box], x: float, y: float) -> Box | None:
    return next((cell for cell in cells if cell[0] <= x <= cell[2] and cell[1] <= y <= cell[3]), None)


def _cell_text(words: Sequence[Word]) -> str:
    return collapse(joined_lines([" ".join(word.text for word in row) for row in rows_of(words)]))


def within(word: Word, box: Box) -> bool:
    """Whether the middle of `word` lies in `box`."""
    x, y = (word.x0 + word.x1) / 2, word.base - 0.3 * word.size
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]
