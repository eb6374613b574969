"""What styles hide from every reader is no part of a policy; what a reader can open is."""

import pytest

from ingest.parsers.html.document import parse_html
from ingest.parsers.markdown import parse_markdown
from rag_core.layout import write_blocks

_RULE = "<p>Ads for kites are prohibited near airports, at any hour.</p>"


def text_of(body: str) -> str:
    return write_blocks(parse_html(f"<!doctype html><html><body>{body}</body></html>".encode()).blocks)


@pytest.mark.parametrize(
    "hidden",
    [
        '<div style="display:none">Kites fly free.</div>',
        '<div style="color: red; DISPLAY : none !important">Kites <b>fly</b> free.</div>',
        "<span hidden>Kites fly free.</span>",
        '<p hidden>Kites fly free.</p><a href="#">Top</a>',
        '<p hidden><a href="#k">More</a></p><p id=k style="display:none">Kites fly free.</p>',
        '<p style="visibility:hidden">Kites fly free.</p>',
        '<p style="font-size:0;color:#fff">Kites fly free.</p>',
        '<p style="font-size:0px">Kites fly free.</p>',
        '<p style="opacity: 0">Kites fly free.</p>',
        '<p style="position:absolute;left:-9999px">Kites fly free.</p>',
        '<p style="text-indent:-5000px">Kites fly free.</p>',
        '<p style="font-size:1px">Kites fly free.</p>',
        '<p style="height:0;overflow:hidden">Kites fly free.</p>',
        "<style>/* x */ p.z9, .q { color: red; display: none }</style><p class=z9>Kites fly free.</p>",
        "<style>#z9 { font-size: 0 }</style><p id=z9>Kites fly free.</p>",
        '<h1>Kites</h1><div hidden><p style="margin:0">Kites fly free.</p></div>',
        '<div style="display:/* x */none"><p>Kites fly free.</p></div>',
        r'<div style="display:n\6f ne"><p>Kites fly free.</p></div>',
        '<div style="opacity:.01"><p>Kites fly free.</p></div>',
        '<div style="filter:opacity(0)"><p>Kites fly free.</p></div>',
        '<div style="font:0/0 a"><p>Kites fly free.</p></div>',
        '<div style="position:fixed;top:-100em"><p>Kites fly free.</p></div>',
        '<div style="margin-left:-99999px"><p>Kites fly free.</p></div>',
        '<div style="transform:translateX(-9999px)"><p>Kites fly free.</p></div>',
        '<div style="transform:scale(0)"><p>Kites fly free.</p></div>',
        '<div style="position:absolute;clip:rect(0,0,0,0)"><p>Kites fly free.</p></div>',
        '<div style="clip-path:inset(100%)"><p>Kites fly free.</p></div>',
        '<div style="max-height:0;overflow:hidden"><p>Kites fly free.</p></div>',
        '<div style="overflow:clip;width:1px;height:1px"><p>Kites fly free.</p></div>',
        '<div style="color:rgba(0,0,0,0)"><p>Kites fly free.</p></div>',
        '<div style="-webkit-text-fill-color:transparent"><p>Kites fly free.</p></div>',
        '<div style="color:#fff;background-color:#ffffff"><p>Kites fly free.</p></div>',
        '<div style="color:white"><p>Kites fly free.</p></div>',
        '<div style="content-visibility:hidden"><p>Kites fly free.</p></div>',
        '<div class="sr-only"><p>Kites fly free in all places.</p></div>',
        '<style>[data-x="3"] { display: none }</style><p data-x="3">Kites fly free.</p>',
        "<style>div.z9 > p { visibility: hidden }</style><div class=z9><p>Kites fly free.</p></div>",
        "<style>p.z9:not(.on) { opacity: 0 }</style><p class=z9>Kites fly free.</p>",
        "<style>@media screen { .z9 { display: none } }</style><p class=z9>Kites fly free.</p>",
        "<style>.z9 { position: absolute; left: -9999px }</style><p class=z9>Kites fly free.</p>",
        "<style>.z9 { display: block } p.z9 { display: none }</style><p class=z9>Kites fly free.</p>",
    ],
)
def test_what_nobody_can_see_is_not_read(hidden: str) -> None:
    read = text_of(_RULE + hidden + "<p>Next.</p>")
    assert "fly" not in read
    assert "prohibited near airports" in read
    assert "Next." in read


@pytest.mark.parametrize(
    "shown",
    [
        '<a href="#k">More</a><div id="k" style="display:none">Kites fly free.</div>',
        '<button aria-controls="k">More</button><p>x</p><div id="k" hidden>Kites fly free.</div>',
        '<h3>When?</h3><div style="display:none">Kites fly free.</div>',
        '<div class="accordion"><p>When</p><div style="display:none">Kites fly free.</div></div>',
        '<div role="tabpanel" hidden>Kites fly free.</div>',
        '<ul><li><button aria-expanded="false">When</button><div hidden>Kites fly free.</div></li></ul>',
        '<p style="font-size:0.9em">Kites fly free.</p>',
        "<style>@media print { .z9 { display: none } }</style><p class=z9>Kites fly free.</p>",
        '<style>.panel { display: none }</style><div class="panel">Kites fly free.</div>',
        '<p style="margin-left:-10px">Kites fly free.</p>',
        '<p style="font-size:10px">Kites fly free.</p>',
        '<p style="opacity:0.8">Kites fly free.</p>',
        '<div style="font-size:0"><p style="font-size:1rem">Kites fly free.</p></div>',
        '<div style="opacity:0;transition:opacity 1s"><p>Kites fly free.</p></div>',
        '<div data-aos="fade-up" style="opacity:0"><p>Kites fly free.</p></div>',
        '<div style="opacity:0;transform:translateY(20px) translateZ(0)"><p>Kites fly free.</p></div>',
        '<div style="opacity:0" data-framer-appear-id="x"><p>Kites fly free.</p></div>',
        '<div style="background:#024"><p style="color:#fff">Kites fly free.</p></div>',
        '<div class="band"><p style="color:#fff">Kites fly free.</p></div>',
        '<h2>When</h2><div style="max-height:0;overflow:hidden"><p>Kites fly free.</p></div>',
        "<style>.z9 { display: none } .z9.on { display: block }</style><p class='z9 on'>Kites fly free.</p>",
        "<style>.z9:hover { display: none }</style><p class=z9>Kites fly free.</p>",
        '<style>.z9 { display: none }</style><p class=z9 style="display:block">Kites fly free.</p>',
        '<div style="height:0"><p>Kites fly free.</p></div>',
        '<p aria-hidden="true">Kites fly free.</p>',
    ],
)
def test_what_a_reader_can_open_is_read(shown: str) -> None:
    assert "Kites fly free." in text_of(_RULE + shown)


@pytest.mark.parametrize(
    "markdown",
    [
        'Kites are prohibited. <span style="display:none">Kites <span>fly</span> free.</span> Always.',
        "Kites are prohibited. <b hidden>Kites fly free.</b> Always.",
        'Kites are prohibited. Always.\n\n<div style="display:none">\n<p>Kites fly free.</p>\n</div>\n',
        'Kites are prohibited. Always.\n\n<div style="display:none">\n\nThey fly.\n\n<div>x</div>\n\n- fly\n\n</div>\n',
        'Kites are prohibited. <font style="color:white;background:white">Kites fly free.</font> Always.',
        "Kites are prohibited. \U000e0066\U000e006c\U000e0079Always.",
    ],
)
def test_the_same_in_markdown(markdown: str) -> None:
    read = write_blocks(parse_markdown(markdown.encode()).blocks)
    assert "fl" not in read
    assert "Kites are prohibited. Always." in " ".join(read.split())
    assert "\U000e0066" not in read


def test_words_for_screen_readers_that_name_a_picture_are_read() -> None:
    """They say what a cell without any other words shows."""
    table = (
        "<table><tr><th>Thing</th><th>Ads</th></tr><tr><td>Kites</td>"
        '<td><svg></svg><span class="sr-only">Not allowed</span></td></tr></table>'
    )
    assert "Not allowed" in text_of(_RULE + table)


def test_what_is_hidden_without_an_end_in_markdown_takes_nothing_else_with_it() -> None:
    read = write_blocks(parse_markdown(b'<div style="display:none">\n\nKites are prohibited.\n\nAlways.\n').blocks)
    assert "Kites are prohibited." in read


def test_a_part_that_holds_most_of_a_page_is_read_though_it_is_not_shown_at_once() -> None:
    """Pages of scripts show it when they have run."""
    assert "Kites fly free." in text_of(f'{_RULE}<div style="opacity:0"><p>Kites fly free.</p>{_RULE * 3}</div>')
