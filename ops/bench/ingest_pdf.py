"""A long rulebook as PDF: what a person's longest document may look like."""

import io

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, Table, TableStyle

_WIDTH, _HEIGHT = A4
_BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10, leading=13)
_MARGIN = 72
_WORDS = "ads for these goods must carry a notice where the law of a place asks for it and never address minors".split()


def long_rulebook(pages: int) -> bytes:
    """Each page has a running header and footer, two headings, prose, two columns, a list and a ruled table."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=1)
    for number in range(1, pages + 1):
        _draw(canvas, number, pages)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _draw(canvas: Canvas, number: int, pages: int) -> None:
    _line(canvas, "A made rulebook", 40, size=8)
    _line(canvas, f"Page {number} of {pages}", _HEIGHT - 30, x=270, size=8)
    _line(canvas, f"{number}. Goods of kind {number}", 90, size=14, bold=True)
    top = _prose(canvas, number, 120, 105, _MARGIN, _WIDTH - 2 * _MARGIN)
    _line(canvas, f"{number}.1 Conditions", top + 22, size=12, bold=True)
    columns = [_prose(canvas, number + at, 190, top + 32, _MARGIN + at * 235, 215) for at in (0, 1)]
    top = max(columns) + 14
    for at in range(6):
        _line(canvas, f"• Condition {at + 1} for goods of kind {number} applies.", top + 14 * at, x=_MARGIN + 8)
    _table(canvas, top + 90)


def _line(canvas: Canvas, text: str, top: float, x: float = _MARGIN, size: float = 10, bold: bool = False) -> None:
    canvas.setFont("Helvetica-Bold" if bold else "Helvetica", size)
    canvas.drawString(x, _HEIGHT - top, text)


def _prose(canvas: Canvas, seed: int, words: int, top: float, x: float, width: float) -> float:
    """Where the paragraph ends."""
    chosen = [_WORDS[(seed * 7 + at * at) % len(_WORDS)] for at in range(words)]
    sentences = [" ".join(chosen[at : at + 12]).capitalize() + "." for at in range(0, words, 12)]
    paragraph = Paragraph(" ".join(sentences), _BODY)
    _, height = paragraph.wrap(width, _HEIGHT)
    paragraph.drawOn(canvas, x, _HEIGHT - top - height)
    return top + float(height)


def _table(canvas: Canvas, top: float) -> None:
    rows = [["Country", "Allowed?", "Note"], *([f"Place {at}", "yes" if at % 2 else "no", "-"] for at in range(5))]
    table = Table(rows, colWidths=[(_WIDTH - 2 * _MARGIN) / 3] * 3)
    table.setStyle(
        TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")])
    )
    _, height = table.wrap(_WIDTH, _HEIGHT)
    table.drawOn(canvas, _MARGIN, _HEIGHT - top - height)
