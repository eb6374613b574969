"""Text that goes on over the end of a page, below and above what stands on every page."""

import io
from collections.abc import Callable, Sequence

import pytest
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate

from ingest.parsers.pdf.document import parse_pdf
from tests.fakes.pdfs import HEIGHT, WIDTH, Draw, line, pdf

RULE = (
    "Advertisers of spirits in any of the markets that are listed below must hold a licence of the Alcohol Board, name "
    "Orville Brandt as the person responsible, and show their number on each landing page, 18 points high or more. "
)
Decorate = Callable[[Canvas, int], None]


def flowing(paragraphs: Sequence[str], decorate: Decorate, size: float = 10) -> bytes:
    """Paragraphs of 10 points that flow over as many pages as they need."""
    file = io.BytesIO()
    template = SimpleDocTemplate(file, topMargin=110, bottomMargin=110, invariant=1)
    style = ParagraphStyle("body", fontName="Helvetica", fontSize=size, leading=13, spaceAfter=8, allowWidows=1)

    def page(canvas: Canvas, template: SimpleDocTemplate) -> None:
        decorate(canvas, template.page)

    template.build([Paragraph(text, style) for text in paragraphs], onFirstPage=page, onLaterPages=page)
    return file.getvalue()


def blocks(content: bytes) -> list[str]:
    return [block.text for block in parse_pdf(content).blocks]


def page_of(canvas: Canvas, number: int) -> None:
    line(canvas, f"Page {number} of 9", HEIGHT - 40, x=WIDTH / 2, size=8)


def confidential(canvas: Canvas, number: int) -> None:
    line(canvas, f"Acme Policy - confidential - {number}", HEIGHT - 60, size=8)


def running_title(canvas: Canvas, number: int) -> None:
    line(canvas, "Acme Advertising Rulebook", 50, size=9)
    line(canvas, f"[{number}]", HEIGHT - 50, x=WIDTH - 100, size=9)


def alternating(canvas: Canvas, number: int) -> None:
    line(canvas, "Acme Inc." if number % 2 else "Advertising rules", 50, size=9)
    line(canvas, f"{number} | P a g e" if number % 2 else f"P a g e | {number}", HEIGHT - 50, size=9)


def section_titles(canvas: Canvas, number: int) -> None:
    names = ("Alcohol", "Betting and lotteries", "Loans", "Medicine", "Tobacco", "Weapons", "Dating")
    line(canvas, names[number % 7], 50, size=8)
    line(canvas, f"{names[number % 7]}, page {number + 11}", HEIGHT - 50, size=8)


def dated(canvas: Canvas, number: int) -> None:
    line(canvas, "Acme Ltd | www.acme.example | Printed 3 May 2026", HEIGHT - 70, size=8)
    line(canvas, f"- {number} -", HEIGHT - 55, x=WIDTH / 2, size=8)


@pytest.mark.parametrize("decorate", [page_of, confidential, running_title, alternating, section_titles, dated])
@pytest.mark.parametrize("words_before", [0, 26])
def test_a_paragraph_that_goes_on_over_a_page_is_one_whatever_stands_between(
    decorate: Decorate, words_before: int
) -> None:
    long = (" ".join(RULE.split()[: words_before + 1]) + ". " + RULE * 75).strip()

    content = flowing([long], decorate)

    assert (parse_pdf(content).page_count or 0) >= 4
    assert " ".join(blocks(content)) == long
    sentences = [text for text in blocks(content) if not text.endswith(".")]
    assert sentences == []


def test_a_word_broken_at_the_end_of_a_page_is_made_whole() -> None:
    def first(canvas: Canvas) -> None:
        line(canvas, "All advertising of age-restricted goods that is published here needs an adver-", HEIGHT - 120)
        page_of(canvas, 1)

    def second(canvas: Canvas) -> None:
        page_of(canvas, 2)
        line(canvas, "tising licence of its own, and so do all the other goods that are Anglo-", 110)
        line(canvas, "American.", 123)

    assert blocks(pdf(first, second)) == [
        "All advertising of age-restricted goods that is published here needs an advertising licence of its own, and "
        "so do all the other goods that are Anglo-American."
    ]


def test_an_item_that_goes_on_over_a_page_is_one() -> None:
    def first(canvas: Canvas) -> None:
        line(canvas, "Not allowed:", HEIGHT - 150)
        line(canvas, "•  ads for spirits that have not been approved in writing and beforehand by", HEIGHT - 135)
        confidential(canvas, 1)

    def second(canvas: Canvas) -> None:
        line(canvas, "Orville Brandt", 110, x=82)
        line(canvas, "•  ads for lotteries", 124)
        confidential(canvas, 2)

    assert blocks(pdf(first, second)) == [
        "Not allowed:",
        "ads for spirits that have not been approved in writing and beforehand by Orville Brandt",
        "ads for lotteries",
    ]


def test_what_begins_anew_on_the_next_page_stays_apart() -> None:
    def first(canvas: Canvas) -> None:
        line(canvas, "Countries", HEIGHT - 150)
        line(canvas, "Mexico", HEIGHT - 120)

    def second(canvas: Canvas) -> None:
        line(canvas, "Beer may be advertised in the evening, and in the morning to nobody but adults.", 110)

    assert blocks(pdf(first, second))[-1].startswith("Beer may be")


def test_headings_with_numbers_on_top_of_every_page_stay() -> None:
    def page(number: int) -> Draw:
        def draw(canvas: Canvas) -> None:
            line(canvas, f"Article {number}", 60, size=12, bold=True)
            line(canvas, f"Text of the article with the number {number}.", 120)

        return draw

    assert blocks(pdf(*map(page, range(1, 6))))[::2] == [f"Article {number}" for number in range(1, 6)]


def test_notes_in_small_type_at_the_end_of_pages_stay() -> None:
    def page(number: int) -> Draw:
        def draw(canvas: Canvas) -> None:
            line(canvas, f"Text of the page, the {'first second third fourth'.split()[number]} one.", 120)
            note = ("lotteries of the state", "beer below 1 %", "herbal tea", "toys")[number]
            line(canvas, f"* except {note}", HEIGHT - 60, size=8)

        return draw

    found = blocks(pdf(*map(page, range(4))))

    assert [text for text in found if "except" in text] == [
        "except lotteries of the state",
        "except beer below 1 %",
        "except herbal tea",
        "except toys",
    ]


def test_a_hyphen_that_stands_for_a_word_to_come_keeps_its_space() -> None:
    def page(canvas: Canvas) -> None:
        line(canvas, "A licence of the Board is needed by everybody here who advertises short-", 90)
        line(canvas, "and long-term loans.", 103)

    assert blocks(pdf(page))[0].endswith("advertises short- and long-term loans.")
