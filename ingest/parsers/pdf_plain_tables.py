"""Tables without rulings, where the alignment of their cells leaves no doubt."""

from collections.abc import Sequence

from ingest.parsers.pdf_order import Ordered
from ingest.parsers.pdf_page import PageTable, TextLine

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
