"""PDFs made for tests: policies of invented publishers, laid out as real ones are."""

import io
from collections.abc import Callable, Sequence
from typing import Any

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, Table, TableStyle

WIDTH, HEIGHT = A4
_BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10, leading=13)
Draw = Callable[[Canvas], None]


def pdf(*pages: Draw, title: str = "", password: str = "", turned: int = 0) -> bytes:
    """One page for each of `pages`; `password`: needed to open it."""
    file = io.BytesIO()
    encryption = StandardEncryption(password, ownerPassword="owner") if password else None
    canvas = Canvas(file, pagesize=A4, encrypt=encryption, invariant=1)
    if title:
        canvas.setTitle(title)
    for draw in pages:
        canvas.setPageRotation(turned)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def line(canvas: Canvas, text: str, top: float, x: float = 72, size: float = 10, bold: bool = False) -> None:
    """`text` with its baseline `top` points below the page's top."""
    canvas.setFont("Helvetica-Bold" if bold else "Helvetica", size)
    canvas.drawString(x, HEIGHT - top, text)


def prose(canvas: Canvas, text: str, top: float, x: float = 72, width: float = WIDTH - 144) -> float:
    """A paragraph of 10 points; returns where it ends."""
    paragraph = Paragraph(text, _BODY)
    _, height = paragraph.wrap(width, HEIGHT)
    paragraph.drawOn(canvas, x, HEIGHT - top - height)
    return top + height


def ruled(
    canvas: Canvas, rows: Sequence[Sequence[str]], top: float, *, header: bool = True, spans: Sequence[Any] = ()
) -> float:
    """A table with rulings, its first row bold if it is a header; `spans`: reportlab's SPAN commands."""
    style = [("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("FONTSIZE", (0, 0), (-1, -1), 9), *spans]
    if header:
        style.append(("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold"))
    table = Table([list(row) for row in rows], colWidths=[(WIDTH - 144) / len(rows[0])] * len(rows[0]))
    table.setStyle(TableStyle(style))
    _, height = table.wrap(WIDTH, HEIGHT)
    table.drawOn(canvas, 72, HEIGHT - top - height)
    return float(top + height)


def picture_of(png: bytes) -> bytes:
    """A scanned document: one page that is only a picture."""

    def draw(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(io.BytesIO(png)), 0, 0, WIDTH, HEIGHT)

    return pdf(draw)


def long_policy(pages: int) -> bytes:
    """A rulebook of `pages` pages: running header and footer, headings, lists, two columns, tables."""

    def page(number: int) -> Draw:
        def draw(canvas: Canvas) -> None:
            line(canvas, "Acme Advertising Rulebook", 40, size=8)
            line(canvas, f"Page {number} of {pages}", HEIGHT - 30, x=270, size=8)
            line(canvas, f"{number}. Goods of kind {number}", 90, size=14, bold=True)
            top = prose(canvas, _words(number, 120), 105)
            line(canvas, f"{number}.1 Conditions", top + 22, size=12, bold=True)
            left = prose(canvas, _words(number + 7, 190), top + 32, width=215)
            right = prose(canvas, _words(number + 3, 190), top + 32, x=72 + 235, width=215)
            top = max(left, right) + 14
            for at in range(6):
                line(canvas, f"• Condition {at + 1} for goods of kind {number} applies.", top + 14 * at, x=80)
            rows = [
                ["Country", "Allowed?", "Note"],
                *([f"Place {at}", "yes" if at % 2 else "no", "-"] for at in range(5)),
            ]
            ruled(canvas, rows, top + 90)

        return draw

    return pdf(*(page(number) for number in range(1, pages + 1)))


def _words(seed: int, count: int) -> str:
    stock = "ads for these goods must carry a notice where the law of place asks it and never address minors".split()
    words = [stock[(seed * 7 + at * at) % len(stock)] for at in range(count)]
    sentences = [" ".join(words[at : at + 12]).capitalize() + "." for at in range(0, count, 12)]
    return " ".join(sentences)
