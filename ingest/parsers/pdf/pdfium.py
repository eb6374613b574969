"""What is drawn on a page of a PDF: lines that may rule a table, dots that may be bullets, pictures."""

import ctypes
import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import pypdfium2
import pypdfium2.raw as pdfium

from ingest.parsers.encoding import visible
from ingest.parsers.pdf.page import Box, LaidPage, Word
from ingest.parsers.runs import raised
from rag_core.errors import Rejected

_MOST_PATHS = 5_000
"""A page with more drawn paths is a chart or a map."""
_MOST_EDGES = 4_000
_MOST_SEGMENTS = 400
_STRAIGHT = 1.5
_SHORTEST = 3.0
_DOT = (1.2, 7.0)
_MARKS = frozenset("•-–—*")
_LATIN = re.compile("[A-Za-z0-9]{2}")
_LEAST_SIZE = 1.0
"""Points."""
_CONTRAST = 16
"""Of 255: the palest grey that is read on white paper differs by three times as much."""


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


MOST_PAGES = 3_000
_LONGEST_SIDE = 4_000
"""Pixels of a page's picture: a page may claim to be kilometres wide."""
_DOTS_PER_POINT = 200 / 72
_HYPHENS = (0x02, 0xFFFE)
"""How PDFium marks the hyphen at the end of a line where a word is broken."""
_BOLD = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
_FORCE_BOLD = 1 << 18
_TURNS = (0, 90, 180, 270)
_NOTES = frozenset(
    {
        pdfium.FPDF_ANNOT_TEXT,
        pdfium.FPDF_ANNOT_FREETEXT,
        pdfium.FPDF_ANNOT_STAMP,
        pdfium.FPDF_ANNOT_WIDGET,
        pdfium.FPDF_ANNOT_FILEATTACHMENT,
    }
)
"""What may say something beside the text of a page."""


class PdfiumLayout:
    """`pdf_page.PageLayout`."""

    def pages(self, content: bytes) -> Iterator[LaidPage]:
        with _opened(content) as document:
            for at in range(len(document)):
                yield _laid(document, at)

    def picture(self, content: bytes, number: int) -> tuple[bytes, float]:
        with _opened(content) as document, _page(document, number - 1) as page:
            scale = min(_DOTS_PER_POINT, _LONGEST_SIDE / max(*page.get_size(), 1))
            bitmap = page.render(scale=scale, grayscale=True)
            png = io.BytesIO()
            bitmap.to_pil().save(png, "PNG")
            bitmap.close()
            return png.getvalue(), scale

    def facts(self, content: bytes) -> dict[str, str]:
        with _opened(content) as document:
            return dict(document.get_metadata_dict(skip_empty=True))


@contextmanager
def _opened(content: bytes) -> Iterator[pypdfium2.PdfDocument]:
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise _translate(error) from error
    try:
        if not len(document):
            raise Rejected("pdf_no_pages")
        if len(document) > MOST_PAGES:
            raise Rejected("pdf_too_many_pages", pages=len(document), most=MOST_PAGES)
        yield document
    finally:
        document.close()


def _translate(error: pypdfium2.PdfiumError) -> Rejected:
    if error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
        return Rejected("pdf_encrypted")
    return Rejected("pdf_damaged", problem=str(error))


@contextmanager
def _page(document: pypdfium2.PdfDocument, at: int) -> Iterator[pypdfium2.PdfPage]:
    try:
        page = document[at]
    except pypdfium2.PdfiumError as error:
        raise Rejected("pdf_damaged", page=at + 1, problem=str(error)) from error
    try:
        yield page
    finally:
        page.close()


def _laid(document: pypdfium2.PdfDocument, at: int) -> LaidPage:
    with _page(document, at) as page:
        x0, y0, x1, y1 = page.get_cropbox()
        left, bottom, right, top = min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)  # any two opposite corners
        text = page.get_textpage()
        try:
            found = list(_words(text))
        finally:
            text.close()
        found = _shown(page, found)
        turn = _main_turn(found)
        frame = _Frame(turn, left, bottom, right, top)
        words = tuple(word for each in found if each.turn == turn and (word := frame.word(each)))
        drawn = drawn_on(page)
        edges = tuple(frame.box(*edge) for edge in drawn.edges)
        bullets = bullets_of([frame.box(*dot) for dot in drawn.dots], words)
        turned = sum(each.turn not in (turn, None) for each in found)
        sizes = frame.width, frame.height
        return LaidPage(at + 1, *sizes, (*words, *bullets), edges, drawn.has_image, turned, _notes_on(page))


def _notes_on(page: pypdfium2.PdfPage) -> int:
    count = 0
    for at in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, at)
        count += pdfium.FPDFAnnot_GetSubtype(annotation) in _NOTES
        pdfium.FPDFPage_CloseAnnot(annotation)
    return count


@dataclass(frozen=True, slots=True)
class _Found:
    """A word in the page's own space (y upwards). `start` and `end`: the corners of its first and last letter."""

    text: str
    origin: tuple[float, float]
    start: Box
    end: Box
    size: float
    bold: bool
    turn: int | None


@dataclass(frozen=True, slots=True)
class _Frame:
    """The page turned so that its text runs from left to right."""

    turn: int
    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        return self.right - self.left if self.turn in (0, 180) else self.top - self.bottom

    @property
    def height(self) -> float:
        return self.top - self.bottom if self.turn in (0, 180) else self.right - self.left

    def point(self, x: float, y: float) -> tuple[float, float]:
        match self.turn:
            case 90:
                return y - self.bottom, x - self.left
            case 180:
                return self.right - x, y - self.bottom
            case 270:
                return self.top - y, self.right - x
        return x - self.left, self.top - y

    def box(self, x0: float, y0: float, x1: float, y1: float) -> Box:
        (ax, ay), (bx, by) = self.point(x0, y0), self.point(x1, y1)
        return min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)

    def word(self, found: _Found) -> Word | None:
        """None if it stands outside of what the page shows."""
        start, end = self.box(*found.start), self.box(*found.end)
        _, base = self.point(*found.origin)
        inside = -1 <= base <= self.height + 1 and end[2] >= 0 and start[0] <= self.width
        return Word(found.text, start[0], max(end[2], start[2]), base, found.size, found.bold) if inside else None


def _shown(page: pypdfium2.PdfPage, found: list[_Found]) -> list[_Found]:
    """Those that can be seen in the picture of the page: none that is as white as the paper, transparent, covered, cut
    away or in a layer that is off. All of them where none can: what a scan says stands over it, unseen, and a font may
    be missing."""
    scale = min(1.0, _LONGEST_SIDE / max(*page.get_size(), 1))
    bitmap = page.render(scale=scale, grayscale=True)
    try:
        rows = memoryview(bytes(bitmap.buffer))
        lines = [rows[start : start + bitmap.width] for start in range(0, bitmap.height * bitmap.stride, bitmap.stride)]
        seen = [each for each in found if _is_seen(page, lines, each)]
    finally:
        bitmap.close()
    return seen if any(_LATIN.search(each.text) for each in seen) else found


def _is_seen(page: pypdfium2.PdfPage, lines: Sequence[memoryview], word: _Found) -> bool:
    """Whether the picture (`lines` of grey points) is not of one colour where the word stands; of what no font here may
    draw, it is believed."""
    if not _LATIN.search(word.text) or word.size < _LEAST_SIZE:
        return word.size >= _LEAST_SIZE
    height, width = len(lines), len(lines[0])
    x, y = ctypes.c_int(), ctypes.c_int()
    corners = []
    for at_x, at_y in (word.start[:2], word.start[2:], word.end[:2], word.end[2:]):
        pdfium.FPDF_PageToDevice(page, 0, 0, width, height, 0, at_x, at_y, x, y)
        corners.append((x.value, y.value))
    xs, ys = sorted(each[0] for each in corners), sorted(each[1] for each in corners)
    across = slice(max(xs[0], 0), max(xs[-1], 0) + 1)
    part = b"".join(line[across] for line in lines[max(ys[0], 0) : max(ys[-1], 0) + 1])
    return not part or max(part) - min(part) >= _CONTRAST


def _main_turn(found: list[_Found]) -> int:
    """The direction of most of the text: a watermark across the page is left out, a sideways page is turned."""
    letters: Counter[int] = Counter()
    for word in found:
        if word.turn is not None:
            letters[word.turn] += len(word.text)
    return letters.most_common(1)[0][0] if letters else 0


def _words(text: pypdfium2.PdfTextPage) -> Iterator[_Found]:
    letters: list[str] = []
    first = 0
    for at in range(text.count_chars()):
        code = pdfium.FPDFText_GetUnicode(text, at)
        hyphen = code in _HYPHENS
        letter = "-" if hyphen else chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else " "
        if letter.isspace():
            yield from _word(text, letters, first, at - 1)
            letters = []
            continue
        if letters and letter.isdigit() and _is_raised(text, first, at):
            yield from _word(text, letters, first, at - 1)
            letters = []
        if not letters:
            first = at
        letters.append(letter)
        if hyphen:
            yield from _word(text, letters, first, at)
            letters = []
    yield from _word(text, letters, first, text.count_chars() - 1)


def _word(text: pypdfium2.PdfTextPage, letters: list[str], first: int, last: int) -> Iterator[_Found]:
    written = visible("".join(letters)).strip()
    if not written:
        return
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(text, first, matrix)
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(text, first, x, y)
    scale = math.hypot(matrix.c, matrix.d) or 1.0
    size = pdfium.FPDFText_GetFontSize(text, first) * scale
    angle = math.degrees(math.atan2(matrix.b, matrix.a)) % 360
    turn = next((each for each in _TURNS if min(abs(angle - each), 360 - abs(angle - each)) < 5), None)
    if written.isdigit() and first and _is_raised(text, first - 1, first):
        written = raised(written)
    start, end = _letter_box(text, first), _letter_box(text, last)
    yield _Found(written, (x.value, y.value), start, end, size, _is_bold(text, first), turn)


def _is_raised(text: pypdfium2.PdfTextPage, before: int, at: int) -> bool:
    """Whether a letter is the mark of a note after another: much smaller, and above its baseline."""
    if pdfium.FPDFText_GetFontSize(text, at) > 0.92 * pdfium.FPDFText_GetFontSize(text, before):
        return False
    return _letter_box(text, at)[1] > _letter_box(text, before)[1] + 1


def _letter_box(text: pypdfium2.PdfTextPage, at: int) -> Box:
    left, right, bottom, top = ctypes.c_double(), ctypes.c_double(), ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharBox(text, at, left, right, bottom, top)
    return left.value, bottom.value, right.value, top.value


def _is_bold(text: pypdfium2.PdfTextPage, at: int) -> bool:
    name = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(text, at, name, 128, flags)
    if _BOLD.search(name.value.decode("utf-8", "replace")) or flags.value & _FORCE_BOLD:
        return True
    return bool(pdfium.FPDFText_GetFontWeight(text, at) >= 600)
