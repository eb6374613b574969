import io
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import pypdfium2
import pytest
from reportlab.pdfgen.canvas import Canvas

from ingest.parsers.parsed import ParsedDocument
from ingest.parsers.pdf.document import PdfParser, parse_pdf
from ingest.parsers.pdf.ocr import TesseractReader
from ingest.parsers.pdf.page import Word
from ingest.parsers.pdf.pdfium import PdfiumLayout
from rag_core.errors import Rejected, Unavailable
from rag_core.layout import BlockKind, write_blocks
from tests.fakes.missing import program
from tests.fakes.pdfs import HEIGHT, WIDTH, Draw, line, long_policy, pdf, picture_of, prose, ruled

LEFT = "Ads for beer must carry a notice in every place that asks for one and never address minors. " * 4
RIGHT = "Wine is another matter and nothing of what the other column says holds for it in any place. " * 4


def parsed(*pages: Draw) -> ParsedDocument:
    return parse_pdf(pdf(*pages))


def text_of(*pages: Draw) -> str:
    return write_blocks(parsed(*pages).blocks)


def test_columns_are_read_one_after_the_other_and_what_crosses_them_in_its_place() -> None:
    def page(canvas: Canvas) -> None:
        line(canvas, "Alcohol policy of the publisher", 90, size=20, bold=True)
        left = prose(canvas, LEFT, 120, width=210)
        right = prose(canvas, RIGHT, 123, x=310, width=210)
        end = prose(canvas, "Across both columns: " + LEFT, max(left, right) + 20)
        prose(canvas, "Left again. " + LEFT, end + 20, width=210)
        prose(canvas, "Right again. " + RIGHT, end + 20, x=310, width=210)

    blocks = [block.text for block in parsed(page).blocks]

    assert blocks[0] == "Alcohol policy of the publisher"
    assert blocks[1:] == [
        LEFT.strip(),
        RIGHT.strip(),
        f"Across both columns: {LEFT}".strip(),
        f"Left again. {LEFT}".strip(),
        f"Right again. {RIGHT}".strip(),
    ]


def test_a_heading_below_both_columns_belongs_to_what_follows() -> None:
    def page(canvas: Canvas) -> None:
        left = prose(canvas, LEFT, 120, width=210)
        right = prose(canvas, RIGHT, 120, x=310, width=210)
        line(canvas, "Places", max(left, right) + 25, size=13, bold=True)
        ruled(canvas, [["Country", "Allowed?"], ["Chile", "yes"]], max(left, right) + 40)

    assert [block.text for block in parsed(page).blocks] == [
        LEFT.strip(),
        RIGHT.strip(),
        "Places",
        "Country | Allowed?",
        "Chile | yes",
    ]


def test_headers_footers_and_page_numbers_go_and_headings_on_top_of_pages_stay() -> None:
    def page(number: int) -> Draw:
        def draw(canvas: Canvas) -> None:
            line(canvas, f"Acme rulebook - version 7 - {number}", 40, size=8)
            line(canvas, f"Rule {number}", 80, size=14, bold=True)
            prose(canvas, f"Text of rule {number}.", 120)
            line(canvas, str(number), HEIGHT - 30, x=WIDTH / 2)
            line(canvas, "Confidential", HEIGHT - 45 - 0.4 * number)

        return draw

    assert text_of(page(1), page(2), page(3)) == (
        "# Rule 1\n\nText of rule 1.\n\n# Rule 2\n\nText of rule 2.\n\n# Rule 3\n\nText of rule 3.\n"
    )


def test_a_line_in_the_margin_of_one_page_stays() -> None:
    def page(canvas: Canvas) -> None:
        line(canvas, "This notice holds from 2026.", 40)
        prose(canvas, "Beer is restricted.", 100)
        line(canvas, "* except lotteries", HEIGHT - 40)
        line(canvas, "Page 1 of 1", HEIGHT - 20)

    assert text_of(page) == "This notice holds from 2026.\n\nBeer is restricted.\n\n- except lotteries\n"


def test_headings_by_size_numbers_capitals_and_bold_lines() -> None:
    def page(canvas: Canvas) -> None:
        line(canvas, "Advertising rules", 90, size=20, bold=True)
        line(canvas, "CHAPTER ONE: DRINKS", 120)
        prose(canvas, LEFT, 130)
        line(canvas, "3 Alcohol", 250, size=13, bold=True)
        line(canvas, "3.1 Beer", 270, size=13, bold=True)
        prose(canvas, RIGHT, 285)
        line(canvas, "Mexico", 370, bold=True)
        prose(canvas, "Not allowed at all.", 380)

    found = [(block.level, block.text) for block in parsed(page).blocks if block.kind is BlockKind.HEADING]

    assert found == [
        (1, "Advertising rules"),
        (3, "CHAPTER ONE: DRINKS"),
        (2, "3 Alcohol"),
        (3, "3.1 Beer"),
        (4, "Mexico"),
    ]


def test_a_table_of_contents_is_left_out() -> None:
    def page(canvas: Canvas) -> None:
        line(canvas, "Contents", 90, size=14, bold=True)
        line(canvas, "1 Beer . . . . . . . . . . . . . . . 4", 110)
        line(canvas, "2 Wine............................. 12", 124)
        line(canvas, "1 Beer", 160, size=14, bold=True)
        prose(canvas, "No ...", 180)

    assert text_of(page) == "# 1 Beer\n\nNo ...\n"


def test_words_broken_at_the_end_of_a_line_are_made_whole() -> None:
    def page(canvas: Canvas) -> None:
        line(canvas, "All advertising of age-restricted goods that is published here needs an adver-", 90)
        line(canvas, "tising licence of its own, and so do all the other goods that are age-", 103)
        line(canvas, "restricted.", 116)

    assert text_of(page) == (
        "All advertising of age-restricted goods that is published here needs an advertising licence of its own, "
        "and so do all the other goods that are age-restricted.\n"
    )


def test_lists_nest_by_indent_and_keep_their_numbers() -> None:
    def page(canvas: Canvas) -> None:
        line(canvas, "The following is not allowed:", 90)
        line(
            canvas,
            "•  ads that address minors in any way, shape or form, and all ads that could be mistaken for such",
            104,
        )
        line(canvas, "ads by minors", 117, x=82)
        line(canvas, "–  cartoons", 131, x=92)
        line(canvas, "•  ads for spirits", 145)
        line(canvas, "1.  first", 175)
        line(canvas, "(a)  deeper", 189, x=92)
        line(canvas, "2.  second", 203)

    assert text_of(page) == (
        "The following is not allowed:\n\n"
        "- ads that address minors in any way, shape or form, and all ads that could be mistaken for such "
        "ads by minors\n  - cartoons\n- ads for spirits\n1. first\n  (a) deeper\n2. second\n"
    )


def test_bullets_that_are_drawn_are_bullets() -> None:
    def page(canvas: Canvas) -> None:
        line(canvas, "Not allowed:", 90)
        for at, text in enumerate(["minors", "drivers"]):
            canvas.circle(80, HEIGHT - 107 - 14 * at, 2, stroke=0, fill=1)
            line(canvas, text, 110 + 14 * at, x=90)

    assert text_of(page) == "Not allowed:\n\n- minors\n- drivers\n"


def test_ruled_tables_keep_headers_and_spans_and_go_on_over_pages() -> None:
    rows = [["Country", "Allowed?", "From"], ["Sweden", "no", "18"], ["", "never", "20"], ["All others", "", ""]]

    def first(canvas: Canvas) -> None:
        prose(canvas, "Where beer is allowed:", 80)
        ruled(canvas, rows, 110, spans=[("SPAN", (0, 1), (0, 2)), ("SPAN", (0, 3), (2, 3))])

    def second(canvas: Canvas) -> None:
        ruled(canvas, [rows[0], ["Chile", "yes", "18"]], 80)
        prose(canvas, "End.", 300)

    document = parsed(first, second)

    assert write_blocks(document.blocks) == (
        "Where beer is allowed:\n\n| Country | Allowed? | From |\n| --- | --- | --- |\n| Sweden | no | 18 |\n"
        "| Sweden | never | 20 |\n| All others | - | - |\n| Chile | yes | 18 |\n\nEnd.\n"
    )
    assert document.pages == {0: 1, 5: 2}


def test_a_table_without_a_header_of_its_own_gets_none() -> None:
    def page(canvas: Canvas) -> None:
        ruled(canvas, [["Mexico", "no"], ["Chile", "yes"]], 80, header=False)

    assert text_of(page) == "| Mexico | no |\n| Chile | yes |\n"


def test_aligned_cells_without_rulings_are_a_table() -> None:
    def page(canvas: Canvas) -> None:
        for at, (country, rule) in enumerate([("Country", "Allowed?"), ("Mexico", "no"), ("Chile", "yes")]):
            line(canvas, country, 90 + 16 * at, bold=not at)
            line(canvas, rule, 90 + 16 * at, x=250, bold=not at)

    assert text_of(page) == "| Country | Allowed? |\n| --- | --- |\n| Mexico | no |\n| Chile | yes |\n"


def test_a_raised_note_mark_does_not_become_part_of_a_number() -> None:
    def page(canvas: Canvas) -> None:
        line(canvas, "Nobody below 18", 90)
        line(canvas, "2", 86, x=72 + canvas.stringWidth("Nobody below 18", "Helvetica", 10), size=6)

    def slight(canvas: Canvas) -> None:
        line(canvas, "Chile", 90)
        line(canvas, "1", 86, x=72 + canvas.stringWidth("Chile", "Helvetica", 10), size=8.3)

    assert text_of(page) == "Nobody below 18 [2]\n"
    assert text_of(slight) == "Chile [1]\n"


def test_watermarks_are_left_out_and_turned_pages_are_read() -> None:
    def page(canvas: Canvas) -> None:
        prose(canvas, LEFT, 90)
        canvas.saveState()
        canvas.translate(200, 300)
        canvas.rotate(40)
        canvas.setFont("Helvetica", 50)
        canvas.drawString(0, 0, "DRAFT")
        canvas.restoreState()

    def sideways(canvas: Canvas) -> None:
        canvas.translate(WIDTH, 0)
        canvas.rotate(90)
        canvas.setFont("Helvetica", 10)
        canvas.drawString(90, 400, "Beer is restricted,")
        canvas.drawString(90, 387, "wine is not.")

    assert text_of(page) == f"{LEFT.strip()}\n"
    assert text_of(sideways) == "Beer is restricted, wine is not.\n"
    assert write_blocks(parse_pdf(pdf(page, turned=180)).blocks) == f"{LEFT.strip()}\n"


def test_paragraphs_go_on_over_pages_and_every_block_has_its_page() -> None:
    def first(canvas: Canvas) -> None:
        line(canvas, "Beer", 90, size=16, bold=True)
        line(canvas, "Ads for beer must carry a notice in every place that asks for one,", 700)

    def second(canvas: Canvas) -> None:
        line(canvas, "and never address minors.", 110)
        line(canvas, "Wine", 150, size=16, bold=True)
        prose(canvas, "Wine is allowed.", 170)

    document = parsed(first, second)

    assert [block.text for block in document.blocks] == [
        "Beer",
        "Ads for beer must carry a notice in every place that asks for one, and never address minors.",
        "Wine",
        "Wine is allowed.",
    ]
    assert (document.pages, document.page_count) == ({0: 1, 2: 2}, 2)


def test_the_title_is_the_first_heading_else_what_the_file_says_if_that_means_something() -> None:
    def titled(canvas: Canvas) -> None:
        line(canvas, "Alcohol policy", 90, size=20)
        prose(canvas, LEFT, 110)

    def plain(canvas: Canvas) -> None:
        prose(canvas, LEFT, 110)

    assert parse_pdf(pdf(titled, title="x")).title == "Alcohol policy"
    assert parse_pdf(pdf(plain, title="Rules on alcohol")).title == "Rules on alcohol"
    assert parse_pdf(pdf(plain, title="Microsoft Word - rules.doc")).title is None


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (pdf(lambda canvas: line(canvas, "secret", 90), password="p"), "pdf_encrypted"),
        (b"%PDF-1.4\n", "pdf_damaged"),
        (b"no pdf at all", "pdf_damaged"),
        (b"", "pdf_damaged"),
        (long_policy(2)[:300], "pdf_damaged"),
        (pdf(lambda canvas: None), "pdf_pages_empty"),
    ],
)
def test_what_cannot_be_read_is_rejected_by_name(content: bytes, code: str) -> None:
    with pytest.raises(Rejected) as caught:
        parse_pdf(content)
    assert caught.value.code == code


def test_a_file_without_pages_is_rejected() -> None:
    document, file = pypdfium2.PdfDocument.new(), io.BytesIO()
    document.save(file)
    document.close()
    with pytest.raises(Rejected, match=r"pdf_no_pages|pdf_damaged"):
        parse_pdf(file.getvalue())


def test_a_wrong_cross_reference_table_is_mended() -> None:
    content = long_policy(1)
    at = content.rindex(b"startxref")
    assert write_blocks(parse_pdf(content[:at] + b"startxref\n1\n%%EOF").blocks) == write_blocks(
        parse_pdf(content).blocks
    )


def outcome(content: bytes) -> str:
    try:
        return "read" if parse_pdf(content).blocks else "nothing"
    except Rejected as error:
        return error.code


@pytest.mark.parametrize("seed", range(25))
def test_damaged_bytes_never_raise_anything_unexpected(seed: int) -> None:
    content = bytearray(long_policy(2))
    for at in range(12):
        place = (seed * 7919 + at * 104_729) % len(content)
        content[place] = (content[place] + seed + at + 1) % 256
    assert outcome(bytes(content)) in ("read", "pdf_damaged", "pdf_encrypted", "pdf_no_pages", "pdf_pages_empty")


class FakeReader:
    def __init__(self, words: Sequence[Word] = (), error: Unavailable | None = None) -> None:
        self.words, self.error = words, error

    def read(self, png: bytes, scale: float) -> Sequence[Word]:
        assert png.startswith(b"\x89PNG")
        if self.error:
            raise self.error
        return self.words


def scanned(text: str = "Beer is restricted everywhere.") -> bytes:
    """A picture of a page that holds `text`."""
    png, _ = PdfiumLayout().picture(pdf(lambda canvas: line(canvas, text, 90, size=18)), 1)
    return picture_of(png)


def test_a_scanned_page_is_read_by_the_reader_and_says_so() -> None:
    reader = FakeReader([Word("Beer", 72, 90, 90, 10), Word("forbidden.", 94, 150, 90, 10)])

    document = PdfParser(PdfiumLayout(), reader).parse(scanned())

    assert write_blocks(document.blocks) == "Beer forbidden.\n"
    assert [(each.code, each.details) for each in document.warnings] == [("pdf_page_scanned", {"page": 1, "words": 2})]


def test_without_a_reader_a_scanned_document_is_rejected_and_a_scanned_page_reported() -> None:
    with pytest.raises(Rejected, match="pdf_without_text"):
        PdfParser(PdfiumLayout(), None).parse(scanned())
    both = pypdfium2.PdfDocument(pdf(lambda canvas: line(canvas, LEFT[:80], 90)))
    picture = pypdfium2.PdfDocument(scanned())
    both.import_pages(picture)
    file = io.BytesIO()
    both.save(file)
    both.close()
    picture.close()

    document = PdfParser(PdfiumLayout(), None).parse(file.getvalue())
    failing = PdfParser(PdfiumLayout(), FakeReader(error=Unavailable("ocr_too_slow", seconds=1))).parse(file.getvalue())

    assert [(each.code, each.details) for each in document.warnings] == [("pdf_page_without_text", {"page": 2})]
    assert [(each.code, each.details["page"]) for each in failing.warnings] == [("ocr_too_slow", 2)]


def test_tesseract_reads_a_scanned_page() -> None:
    reader = TesseractReader(program("tesseract", "tesseract-ocr"))
    assert write_blocks(PdfParser(PdfiumLayout(), reader).parse(scanned()).blocks) == "Beer is restricted everywhere.\n"


def test_a_reader_that_hangs_or_fails_is_named(tmp_path: Path) -> None:
    slow, broken = tmp_path / "slow", tmp_path / "broken"
    slow.write_text(f"#!{shutil.which('sh')}\nsleep 5\n")
    broken.write_text(f"#!{shutil.which('sh')}\necho no language data >&2\nexit 1\n")
    for each in (slow, broken):
        each.chmod(0o755)
    with pytest.raises(Unavailable, match="ocr_too_slow"):
        TesseractReader(str(slow), seconds=0.2).read(b"", 1)
    with pytest.raises(Rejected, match="no language data"):
        TesseractReader(str(broken)).read(b"", 1)
    with pytest.raises(Rejected, match="ocr_failed"):
        TesseractReader(str(tmp_path / "missing")).read(b"", 1)


def test_sixty_pages_take_seconds() -> None:
    content = long_policy(60)
    before = time.process_time()
    document = parse_pdf(content)
    assert time.process_time() - before < 60  # 2, and 7 while coverage is counted
    assert document.page_count == 60
    assert sum(1 for block in document.blocks if block.kind is BlockKind.HEADER_ROW) == 60


def white(canvas: Canvas) -> None:
    canvas.setFillColorRGB(1, 1, 1)
    line(canvas, "Kites fly free.", 200)


def transparent(canvas: Canvas) -> None:
    canvas.setFillAlpha(0)
    line(canvas, "Kites fly free.", 200)


def without_ink(canvas: Canvas) -> None:
    text = canvas.beginText(72, HEIGHT - 200)
    text.setTextRenderMode(3)
    text.textLine("Kites fly free.")
    canvas.drawText(text)


def covered(canvas: Canvas) -> None:
    line(canvas, "Kites fly free.", 200)
    canvas.setFillColorRGB(1, 1, 1)
    canvas.rect(0, HEIGHT - 210, WIDTH, 30, stroke=0, fill=1)


def cut_away(canvas: Canvas) -> None:
    path = canvas.beginPath()
    path.rect(0, 0, 1, 1)
    canvas.clipPath(path, stroke=0)
    line(canvas, "Kites fly free.", 200)


def tiny(canvas: Canvas) -> None:
    line(canvas, "Kites fly free.", 200, size=0.1)


def on_dark(canvas: Canvas) -> None:
    canvas.setFillColorRGB(0, 0, 0.4)
    canvas.rect(60, HEIGHT - 205, WIDTH - 120, 20, stroke=0, fill=1)
    canvas.setFillColorRGB(1, 1, 1)
    line(canvas, "Kites fly free.", 200)


def pale(canvas: Canvas) -> None:
    canvas.setFillColorRGB(0.75, 0.75, 0.75)
    line(canvas, "Kites fly free.", 200, size=6)


def after_a_rule(draw: Draw) -> str:
    def page(canvas: Canvas) -> None:
        line(canvas, "Kites are prohibited.", 100)
        canvas.saveState()
        draw(canvas)
        canvas.restoreState()

    return text_of(page)


@pytest.mark.parametrize("draw", [white, transparent, without_ink, covered, cut_away, tiny])
def test_what_the_page_does_not_show_is_not_read(draw: Draw) -> None:
    assert after_a_rule(draw) == "Kites are prohibited.\n"


@pytest.mark.parametrize("draw", [on_dark, pale])
def test_what_can_be_seen_is_read_whatever_its_colour(draw: Draw) -> None:
    assert "Kites fly free." in after_a_rule(draw)


def test_the_text_of_a_scan_is_read_though_it_has_no_ink() -> None:
    assert "Kites fly free." in text_of(without_ink)
