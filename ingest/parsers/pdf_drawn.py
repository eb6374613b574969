"""What is drawn on a page of a PDF: lines that may rule a table, dots that may be bullets, pictures."""

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pypdfium2
import pypdfium2.raw as pdfium

from ingest.parsers.pdf_page import Box, Word

_MOST_PATHS = 5_000
"""A page with more drawn paths is a chart or a map."""
_MOST_EDGES = 4_000
_MOST_SEGMENTS = 400
_STRAIGHT = 1.5
_SHORTEST = 3.0
_DOT = (1.2, 7.0)
_MARKS = frozenset("•-–—*")


@dataclass(slots=True)
class Drawn:
    """Boxes in the page's own space (y upwards)."""

    edges: list[Box] = field(default_factory=list)
    dots: list[Box] = field(default_factory=list)
    has_image: bool = False


def drawn_on(page: pypdfium2.PdfPage) -> Drawn:
    """The strokes, dots and pictures of a page; of a chart or a map only that it is a picture."""
    found = Drawn()
    paths = 0
    for shape in page.get_objects(max_depth=3):
        if shape.type == pdfium.FPDF_PAGEOBJ_IMAGE:
            found.has_image = True
        elif shape.type == pdfium.FPDF_PAGEOBJ_PATH and shape.level == 0:
            paths += 1
            if paths > _MOST_PATHS or len(found.edges) > _MOST_EDGES:
                return Drawn(has_image=True)
            box = shape.get_bounds()
            if _is_dot(box):
                found.dots.append(box)
            else:
                found.edges.extend(_strokes(shape))
    return found


def _is_dot(box: Box) -> bool:
    wide, high = box[2] - box[0], box[3] - box[1]
    return _DOT[0] <= wide <= _DOT[1] and 0.7 <= high / wide <= 1.4


def _strokes(shape: pypdfium2.PdfObject) -> Iterator[Box]:
    matrix = shape.get_matrix()
    count = pdfium.FPDFPath_CountSegments(shape)
    if not 2 <= count <= _MOST_SEGMENTS:
        return
    start = before = (0.0, 0.0)
    for at in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(shape, at)
        x, y = ctypes.c_float(), ctypes.c_float()
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        here = matrix.on_point(x.value, y.value)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = here
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            yield from _straight(before, here)
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield from _straight(here, start)
        before = here


def _straight(a: tuple[float, float], b: tuple[float, float]) -> Iterator[Box]:
    wide, high = abs(a[0] - b[0]), abs(a[1] - b[1])
    if (high <= _STRAIGHT) != (wide <= _STRAIGHT) and max(wide, high) > _SHORTEST:
        yield min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])


def bullets_of(dots: Sequence[Box], words: Sequence[Word]) -> list[Word]:
    """Browsers draw the bullets of a list: a dot just before the first word of a line is one."""
    found: list[Word] = []
    for x0, top, x1, bottom in dots:
        middle = (top + bottom) / 2
        line = [word for word in words if word.top <= middle <= word.bottom]
        after = min((word for word in line if word.x0 >= x1 - 1), key=lambda word: word.x0, default=None)
        near = [word for word in line if word.x1 <= x0 + 1 and x0 - word.x1 < 1.5 * word.size]
        if after is not None and after.x0 - x1 < 2.5 * after.size and not near and after.text not in _MARKS:
            found.append(Word("•", x0, x1, after.base, after.size, after.bold))
    return found
