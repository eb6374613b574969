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
        "Kites are prohibited. \U000e0066\U000e006c\U000e0079Always.",
    ],
)
def test_the_same_in_markdown(markdown: str) -> None:
    read = write_blocks(parse_markdown(markdown.encode()).blocks)
    assert "fl" not in read
    assert "Kites are prohibited. Always." in " ".join(read.split())
    assert "\U000e0066" not in read
