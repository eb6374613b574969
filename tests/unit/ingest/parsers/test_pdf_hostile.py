"""PDFs that claim more than they hold, loop, run programs, or hide what they say."""

import io
import time
from collections.abc import Sequence

import pypdfium2
import pytest

from ingest.parsers.parsed import ParsedDocument
from ingest.parsers.pdf.document import PdfParser, parse_pdf
from ingest.parsers.pdf.page import Word
from ingest.parsers.pdf.pdfium import PdfiumLayout
from rag_core.errors import Rejected
from rag_core.layout import write_blocks
from tests.fakes.odd_pdfs import SHOWN, odd_pdf, picture, stream
from tests.fakes.pdfs import line, pdf, picture_of

TEXT = "Beer is restricted everywhere.\n"
SCRIPT = b"<</S/JavaScript/JS(while\\(true\\){})>>"
PICTURE = b"/XObject<</I 6 0 R>>"


def scanned(pages: int) -> bytes:
    """Pages that are only pictures."""
    png, _ = PdfiumLayout().picture(pdf(lambda canvas: line(canvas, "Beer", 90, size=18)), 1)
    whole = pypdfium2.PdfDocument(picture_of(png))
    one = pypdfium2.PdfDocument(picture_of(png))
    for _ in range(pages - 1):
        whole.import_pages(one)
    file = io.BytesIO()
    whole.save(file)
    one.close()
    whole.close()
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        odd_pdf(catalog=b"/OpenAction" + SCRIPT + b"/AA<</WC" + SCRIPT + b">>/Names<</JavaScript<</Names[(a)" + SCRIPT),
        odd_pdf(pages=b"/Kids[3 0 R]/Count 2000000000"),
        odd_pdf(pages=b"/Kids[3 0 R]/Count 1/X" + b"[" * 50_000),
        odd_pdf(media=b"600 800 0 0"),
        odd_pdf(media=b"0 0 99999999 99999999"),
        odd_pdf(SHOWN + b" " * 50_000_000),
        odd_pdf(SHOWN + b"0 0 m 10 10 l S " * 100_000),
    ],
    ids="script count nesting corners size blanks paths".split(),
)
def test_what_it_shows_is_read_in_bounded_time(content: bytes) -> None:
    before = time.process_time()

    assert write_blocks(parse_pdf(content).blocks) == TEXT
    assert time.process_time() - before < 10


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (odd_pdf(pages=b"/Kids[" + b"3 0 R " * 3_001 + b"]/Count 3001"), "pdf_too_many_pages"),
        (odd_pdf(pages=b"/Kids[2 0 R]/Count 9"), "pdf_damaged"),
        (odd_pdf(b"/I Do", resources=PICTURE, more=[picture(2_000_000_000, 2_000_000_000, b"x")]), "pdf_without_text"),
        (odd_pdf(b"/I Do", resources=PICTURE, more=[picture(20_000, 20_000, bytes(50_000_000))]), "pdf_without_text"),
    ],
    ids="pages loop claim picture".split(),
)
def test_what_cannot_be_read_is_rejected_in_bounded_time(content: bytes, code: str) -> None:
    before = time.process_time()

    with pytest.raises(Rejected, match=code):
        PdfParser(PdfiumLayout(), None).parse(content)
    assert time.process_time() - before < 10


class SlowReader:
    """Takes 25 seconds for a page, by its own clock."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def clock(self) -> float:
        return self.seconds

    def read(self, png: bytes, scale: float) -> Sequence[Word]:
        self.seconds += 25
        return [Word("Beer", 72, 90, 400, 10), Word("forbidden.", 94, 150, 400, 10)]


def test_a_long_scanned_document_is_read_as_far_as_time_allows_and_the_rest_reported() -> None:
    reader = SlowReader()

    document: ParsedDocument = PdfParser(PdfiumLayout(), reader, reader.clock).parse(scanned(5))

    assert [each.code for each in document.warnings] == ["pdf_page_scanned"] * 3 + ["pdf_page_without_text"] * 2
    assert reader.seconds == 75


def test_what_is_not_read_of_a_page_is_told() -> None:
    sideways = SHOWN + b" BT /F 12 Tf 0 1 -1 0 40 100 Tm (Wine is prohibited.) Tj ET"
    note = b"/Annots[<</Type/Annot/Subtype/Text/Rect[10 10 30 30]/Contents(Gin is allowed.)>>]"
    found = parse_pdf(odd_pdf(sideways, media=b"0 0 600 800]" + note + b"/X["))

    assert write_blocks(found.blocks) == TEXT
    assert [(each.code, dict(each.details)) for each in found.warnings] == [
        ("pdf_words_turned", {"page": 1, "words": 3}),
        ("pdf_notes_unread", {"page": 1, "notes": 1}),
    ]


def test_of_two_revisions_the_last_is_read() -> None:
    first = odd_pdf(SHOWN)
    before = first.rsplit(b"startxref\n", 1)[1].split(b"\n")[0]
    changed = b"\n4 0 obj\n" + stream(b"BT /F 12 Tf 72 700 Td (Beer is allowed.) Tj ET") + b"\nendobj\n"
    table = b"xref\n4 1\n%010d 00000 n \n" % (len(first) + 1)
    end = b"trailer\n<</Size 6/Root 1 0 R/Prev %b>>\nstartxref\n%d\n%%%%EOF" % (before, len(first) + len(changed))

    assert write_blocks(parse_pdf(first + changed + table + end).blocks) == "Beer is allowed.\n"
