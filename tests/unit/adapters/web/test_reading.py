from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from adapters.web.source_page import Heading, Item, ItemList, Line, Paragraph, Table, page_blocks

TEXT = """# Alcohol

## United Kingdom

Adults only. Ads must also:

- say so
  1. in the ad
  2. on the page
- be truthful

| Country | Age |
| --- | --- |
| Germany | 16 |
| India | 25 |
"""


def marked_of(line: Line) -> str:
    return "".join(piece.text for piece in line if piece.marked)


def test_blocks_keep_their_kind_and_nesting() -> None:
    heading, paragraph, items, table = page_blocks(TEXT, "Alcohol", None)
    assert isinstance(heading, Heading)
    assert heading.level == 2
    assert isinstance(paragraph, Paragraph)
    assert isinstance(items, ItemList)
    assert [each.marker for each in items.items] == ["", ""]
    assert [each.marker for each in items.items[0].items] == ["1.", "2."]
    assert isinstance(table, Table)
    assert [cell[0].text for cell in table.header] == ["Country", "Age"]
    assert [[cell[0].text for cell in row] for row in table.rows] == [["Germany", "16"], ["India", "25"]]


def test_a_first_heading_that_is_not_the_title_stays() -> None:
    first = page_blocks(TEXT, "Policy on alcohol", None)[0]
    assert isinstance(first, Heading)
    assert (first.level, first.line[0].text) == (2, "Alcohol")


def test_the_title_stays_where_it_is_the_quote() -> None:
    first = page_blocks(TEXT, "Alcohol", (2, 9))[0]
    assert isinstance(first, Heading)
    assert marked_of(first.line) == "Alcohol"


def test_a_range_is_cut_out_of_its_line() -> None:
    start = TEXT.index("only")
    paragraph = page_blocks(TEXT, "Alcohol", (start, start + 4))[1]
    assert isinstance(paragraph, Paragraph)
    assert [(piece.text, piece.marked, piece.first) for piece in paragraph.line] == [
        ("Adults ", False, False),
        ("only", True, True),
        (". Ads must also:", False, False),
    ]


def test_a_range_may_span_blocks_and_only_its_beginning_is_first() -> None:
    blocks = page_blocks(TEXT, "Alcohol", (TEXT.index("Ads must"), TEXT.index("  2.")))
    _, paragraph, items, _ = blocks
    assert isinstance(paragraph, Paragraph)
    assert isinstance(items, ItemList)
    assert marked_of(paragraph.line) == "Ads must also:"
    lead, nested = items.items[0], items.items[0].items
    assert [marked_of(item.line) for item in (lead, *nested)] == ["say so", "in the ad", ""]
    assert sum(piece.first for line in (paragraph.line, *_lines(items.items)) for piece in line) == 1


def test_a_range_in_a_table_marks_its_cells() -> None:
    start = TEXT.index("Germany")
    table = page_blocks(TEXT, "Alcohol", (start, start + len("Germany | 16")))[3]
    assert isinstance(table, Table)
    assert [[marked_of(cell) for cell in row] for row in table.rows] == [["Germany", "16"], ["", ""]]


@given(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)))
def test_marking_never_changes_the_text(start: int, end: int) -> None:
    plain, marked = (page_blocks(TEXT, "", given) for given in (None, (start, end)))
    assert _text(plain) == _text(marked)


def _text(blocks: Sequence[object]) -> str:
    return "\n".join("".join(piece.text for piece in line) for block in blocks for line in _lines_of(block))


def _lines_of(block: object) -> list[Line]:
    match block:
        case Heading(line=line) | Paragraph(line=line):
            return [line]
        case ItemList(items=items):
            return _lines(items)
        case Table(header=header, rows=rows):
            return [*header, *(cell for row in rows for cell in row)]
    return []


def _lines(items: tuple[Item, ...] | list[Item]) -> list[Line]:
    return [line for item in items for line in (item.line, *_lines(item.items))]
