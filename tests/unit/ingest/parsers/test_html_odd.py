"""What real pages do to meaning: struck words, tabs, note marks, pictures instead of words."""

import pytest

from ingest.parsers.html import parse_html
from ingest.parsers.markdown import parse_markdown
from rag_core.layout import write_blocks


def text_of(body: str) -> str:
    return write_blocks(parse_html(f"<!doctype html><html><body>{body}</body></html>".encode()).blocks)


def markdown(text: str) -> str:
    return write_blocks(parse_markdown(text.encode()).blocks)


@pytest.mark.parametrize("tag", ["del", "s", "strike"])
def test_struck_words_are_no_part_of_a_policy(tag: str) -> None:
    assert text_of(f"<p>Beer is <{tag}>allowed</{tag}> <ins>restricted</ins>.</p>") == "Beer is restricted.\n"
    assert markdown(f"Beer is <{tag}>allowed</{tag}> restricted.") == "Beer is restricted.\n"
    assert markdown("Beer is ~~allowed~~ restricted.") == "Beer is restricted.\n"


def test_a_note_mark_does_not_become_part_of_a_number() -> None:
    assert text_of("<p>Over 18<sup>2</sup> in H<sub>2</sub>O<sup>th</sup></p>") == "Over 18[2] in H2Oth\n"
    assert text_of("<table><tr><td>18<sup><a href='#n'>1</a></sup></td><td>x<sup>*</sup></td></tr></table>") == (
        "| 18[1] | x* |\n"
    )
    assert markdown("Over 18<sup>2</sup> only") == "Over 18[2] only\n"


def test_the_label_of_a_tab_stands_above_what_it_shows() -> None:
    tabs = (
        "<div role='tablist'><button role='tab' aria-controls='a'>France</button>"
        "<button role='tab' aria-controls='b'>Chile</button></div>"
        "<div role='tabpanel' id='a'><p>No.</p></div><section role='tabpanel' id='b'><p>Yes.</p></section>"
    )

    assert text_of(f"<h2>Beer</h2>{tabs}") == "## Beer\n\n### France\n\nNo.\n\n### Chile\n\nYes.\n"


def test_a_bold_first_row_is_the_header_of_a_table() -> None:
    bold = "<tr><td><b>Country</b></td><td><strong>Allowed?</strong></td></tr>"
    rows = "<tr><td>Mexico</td><td>no</td></tr>"

    assert text_of(f"<table>{bold}{rows}</table>") == "| Country | Allowed? |\n| --- | --- |\n| Mexico | no |\n"
    assert text_of(f"<table>{rows}{rows}</table>") == "| Mexico | no |\n| Mexico | no |\n"
    assert text_of(f"<table>{bold}{bold}</table>") == "| Country | Allowed? |\n| Country | Allowed? |\n"
    assert text_of(f"<table><tr><td><b>Mexico</b></td><td>no</td></tr>{rows}</table>") == (
        "| Mexico | no |\n| Mexico | no |\n"
    )


def test_a_picture_speaks_for_a_cell_without_words() -> None:
    assert text_of("<table><tr><td>Mexico</td><td><img alt='Not allowed' src='x'></td></tr></table>") == (
        "| Mexico | Not allowed |\n"
    )


def test_numbers_of_items_are_those_that_the_page_shows() -> None:
    assert text_of("<ol start='3'><li>c</li><li value='7'>g</li><li>h</li></ol>") == "3. c\n7. g\n8. h\n"
    assert text_of("<ol type='i'><li>a</li><li>b</li></ol>") == "i. a\nii. b\n"
