"""PDF: text in reading order with headings, lists, tables and the page of every block."""

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from ingest.parsers.outline import settled, split
from ingest.parsers.parsed import ParsedDocument, ParseWarning, Piece, pages_of, title_of
from ingest.parsers.pdf.blocks import PieceWriter
from ingest.parsers.pdf.headings import Headings, body_size
from ingest.parsers.pdf.margins import without_margins
from ingest.parsers.pdf.ocr import installed_reader
from ingest.parsers.pdf.order import Ordered, reading_order
from ingest.parsers.pdf.page import LaidPage, PageLayout, PageReader, TextLine
from ingest.parsers.pdf.pdfium import PdfiumLayout
from ingest.parsers.pdf.tables import ruled_tables, with_plain_tables, within
from rag_core.errors import PolicyBotError, Rejected
from rag_core.layout import collapse

_MOST_SCANNED = 100
"""Pages of one document that are read from their pictures; each takes seconds."""
_SCANNING_SECONDS = 60.0
"""Then no further picture is read: half of what a document may take (`ParsingLimits.seconds`)."""
_IN_CONTENTS = re.compile(r"(?:\.\s?){5,}\s*(?:\d{1,4}|[ivxlc]{1,6})?$")
"""A line of a table of contents: dots that lead to a page number."""
_NO_TITLE = re.compile(r"microsoft word|untitled|^document\d*$|\.(?:docx?|pdf|indd|pptx?)$|^\W*$", re.IGNORECASE)


def parse_pdf(content: bytes) -> ParsedDocument:
    """The document in `content`; scanned pages are read by Tesseract where it is installed. See `PdfParser.parse`."""
    return PdfParser(PdfiumLayout(), installed_reader()).parse(content)


class PdfParser:
    """Reads PDFs with any layout; `reader` is asked for pages that are only pictures, None reports them."""

    def __init__(
        self, layout: PageLayout, reader: PageReader | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._layout = layout
        self._reader = reader
        self._clock = clock

    def parse(self, content: bytes) -> ParsedDocument:
        """The document, with a warning for every page that could not be read.

        Raises Rejected: see `PageLayout.pages`, and where no page has text "pdf_without_text" (some page is a
        picture) or "pdf_pages_empty".
        """
        warnings: list[ParseWarning] = []
        until = self._clock() + _SCANNING_SECONDS
        found = [self._with_text(content, page, warnings, until) for page in self._layout.pages(content)]
        warnings += _unread(found)
        pages = without_margins(found)
        ordered = [(page.number, _ordered(page)) for page in pages]
        lines = [each for _, page in ordered for each in page if isinstance(each, TextLine)]
        if not any(page.words for page in found):
            if not any(page.has_image for page in found):
                raise Rejected("pdf_pages_empty", pages=len(pages))
            raise Rejected("pdf_without_text", pages=len(pages), reader=self._reader is not None)
        pieces = settled(_pieces(ordered, lines))
        blocks, anchors = split(pieces)
        if not blocks:
            raise Rejected("document_empty")
        firsts = [piece for piece in pieces if piece.level == 1 and piece.page == pieces[0].page]
        title = title_of(blocks) if firsts else _title(self._layout.facts(content)) or title_of(blocks)
        return ParsedDocument(
            blocks, anchors, title=title, pages=pages_of(pieces), page_count=len(pages), warnings=tuple(warnings)
        )

    def _with_text(self, content: bytes, page: LaidPage, warnings: list[ParseWarning], until: float) -> LaidPage:
        if page.words or not page.has_image:
            return page
        if self._reader is None or len(warnings) >= _MOST_SCANNED or self._clock() >= until:
            warnings.append(ParseWarning("pdf_page_without_text", {"page": page.number}))
            return page
        try:
            words = tuple(self._reader.read(*self._layout.picture(content, page.number)))
        except PolicyBotError as error:
            warnings.append(ParseWarning(error.code, {"page": page.number, **error.details}))
            return page
        warnings.append(ParseWarning("pdf_page_scanned", {"page": page.number, "words": len(words)}))
        return replace(page, words=words)


def _unread(pages: Iterable[LaidPage]) -> list[ParseWarning]:
    return [
        ParseWarning(code, {"page": page.number, what: count})
        for page in pages
        for code, what, count in (
            ("pdf_words_turned", "words", page.turned),
            ("pdf_notes_unread", "notes", page.notes),
        )
        if count
    ]


def _ordered(page: LaidPage) -> list[Ordered]:
    tables = ruled_tables(page.edges, page.words)
    outside = [word for word in page.words if not any(within(word, table.box) for table in tables)]
    ordered = with_plain_tables(reading_order(outside, tables))
    return [each for each in ordered if not (isinstance(each, TextLine) and _IN_CONTENTS.search(each.text))]


def _pieces(ordered: Iterable[tuple[int, list[Ordered]]], lines: list[TextLine]) -> list[Piece]:
    known = {word.text.lower().strip(".,;:()\"'“”") for line in lines for word in line.words}
    writer = PieceWriter(Headings(body_size(lines)), known)
    for number, page in ordered:
        writer.page(number, page)
    return writer.finished()


def _title(facts: dict[str, str]) -> str | None:
    title = collapse(facts.get("Title", ""))
    return None if _NO_TITLE.search(title) or len(title) > 200 else title
