"""The first row of a table as its header, where neither the format nor its type says so."""

import pytest
from reportlab.pdfgen.canvas import Canvas

from ingest.parsers.docx import parse_docx
from ingest.parsers.html.document import parse_html
from ingest.parsers.markdown import parse_markdown
from ingest.parsers.parsed import Piece
from ingest.parsers.pdf.document import parse_pdf
from ingest.parsers.table_heads import with_header_rows_first
from rag_core.layout import Block, BlockKind, row_text
from tests.fakes.docx import cell, docx, row, table
from tests.fakes.pdfs import pdf, ruled

MARKETS = [["Market", "Beer", "Least age"], ["Sweden", "allowed", "20"], ["Norway", "prohibited", "-"]]


def header(blocks: tuple[Block, ...]) -> list[str]:
    return [block.text for block in blocks if block.kind is BlockKind.HEADER_ROW]


def test_a_table_of_word_that_flags_no_header() -> None:
    rows = table(*(row(*map(cell, each)) for each in MARKETS))

    assert header(parse_docx(docx(rows)).blocks) == ["Market | Beer | Least age"]


def test_a_table_of_a_pdf_whose_first_row_is_in_plain_type() -> None:
    def page(canvas: Canvas) -> None:
        ruled(canvas, MARKETS, 80, header=False)

    assert header(parse_pdf(pdf(page)).blocks) == ["Market | Beer | Least age"]


def test_tables_of_pages_and_of_markdown_with_an_empty_header() -> None:
    rows = "".join("<tr>" + "".join(f"<td>{each}</td>" for each in cells) + "</tr>" for cells in MARKETS)
    lines = "\n".join(f"| {' | '.join(cells)} |" for cells in MARKETS)

    assert header(parse_html(f"<table>{rows}</table>".encode()).blocks) == ["Market | Beer | Least age"]
    found = parse_markdown(f"| | | |\n|--|--|--|\n{lines}\n".encode()).blocks
    assert [(block.kind, block.text) for block in found][:2] == [
        (BlockKind.HEADER_ROW, "Market | Beer | Least age"),
        (BlockKind.ROW, "Sweden | allowed | 20"),
    ]


def test_a_row_of_values_that_markdown_makes_a_header_is_a_row() -> None:
    found = parse_markdown(b"| Mexico | no |\n|--|--|\n| Chile | yes |\n").blocks

    assert [block.kind for block in found] == [BlockKind.ROW, BlockKind.ROW]


def test_merged_cells_below_a_header_without_a_flag() -> None:
    rows = table(
        row(cell("Country"), cell("Product"), cell("Rule")),
        row(cell("Sweden", down="restart"), cell("Beer"), cell("Allowed with a warning that is easy to read.")),
        row(cell("", down="continue"), cell("Wine"), cell("Not allowed on any page that children visit.")),
        row(cell("All others", across=3)),
    )

    found = parse_docx(docx(rows)).blocks

    assert header(found) == ["Country | Product | Rule"]
    assert found[2].text == "Sweden | Wine | Not allowed on any page that children visit."


@pytest.mark.parametrize(
    "rows",
    [
        [["Mexico", "no"], ["Chile", "yes"]],
        [["Beer", "allowed"], ["Wine", "prohibited"], ["Spirits", "prohibited"]],
        [["Beer", "Drinks"], ["Roulette", "Games"], ["Cigars", "Tobacco"]],
        [["Beer", "from 18"], ["Wine", "from 20"]],
        [["Beer is allowed.", "Carry a notice."], ["Wine is not.", "It is never shown to anybody at all."]],
        [["Status:", "Accepted"], ["Created:", "2019-03-04"], ["Requires:", "20"]],
        [["Type", "Type"], ["Image", "20"], ["Video", "30"]],
        [["Country", "Allowed?"]],
    ],
)
def test_a_first_row_like_the_others_is_no_header(rows: list[list[str]]) -> None:
    pieces = [Piece(BlockKind.ROW, row_text(each)) for each in rows]

    assert [piece.kind for piece in with_header_rows_first(pieces)] == [BlockKind.ROW] * len(rows)
