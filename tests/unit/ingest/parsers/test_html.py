import time

import pytest

from ingest.parsers.html.document import parse_html
from rag_core.errors import Rejected
from rag_core.layout import BlockKind, write_blocks


def text_of(body: str) -> str:
    return write_blocks(parse_html(f"<!doctype html><html><body>{body}</body></html>".encode()).blocks)


def test_only_the_main_content_is_read() -> None:
    page = """<html><head><title>Beer | Acme help</title><style>x{}</style></head><body>
    <header><nav><a href="/">Home</a></nav></header><div class="cookie-banner">We use cookies</div>
    <div id="onetrust-consent-sdk">Accept</div><div role="navigation">Menu</div>
    <main><header><h1>Beer</h1></header><p>Ads for beer are restricted everywhere, always.</p>
    <aside>Related</aside><script>var x = "<p>no</p>"</script><nav>On this page</nav></main>
    <footer>Careers</footer></body></html>"""

    parsed = parse_html(page.encode())

    assert write_blocks(parsed.blocks) == "# Beer\n\nAds for beer are restricted everywhere, always.\n"
    assert parsed.title == "Beer"


def test_without_a_main_element_the_article_or_the_body_is_read() -> None:
    assert text_of("<nav>Menu</nav><article><p>" + "Beer ads are restricted. " * 3 + "</p></article><p>Teaser</p>") == (
        "Beer ads are restricted. Beer ads are restricted. Beer ads are restricted.\n"
    )
    assert text_of("<header>Banner</header><p>Text</p><main></main>") == "Text\n"


def test_a_policy_about_cookies_is_no_cookie_bar() -> None:
    assert text_of('<section class="cookie-policy"><h2>Cookies</h2><p>x</p></section>') == "## Cookies\n\nx\n"


def test_lists_nest_and_keep_their_markers() -> None:
    assert (
        text_of(
            "<p>Not allowed:</p><ul><li>spirits<ul><li>over 40%</li></ul>but not liqueur</li></ul>"
            '<ol type="a" start="2"><li><p>first</p><p>more</p></li><li>second</li></ol>'
        )
        == "Not allowed:\n\n- spirits\n  - over 40%\n- but not liqueur\nb. first more\nc. second\n"
    )


def test_tables_with_headers_and_spans() -> None:
    assert text_of(
        "<table><caption>Places</caption><thead><tr><th rowspan=2>Country</th><th colspan=2>Beer</th></tr>"
        "<tr><th>Ads</th><th>Age</th></tr></thead><tbody><tr><td colspan=3>Europe</td></tr>"
        "<tr><td>France<br>Spain</td><td colspan=2>No</td></tr><tr><td rowspan=2>UK</td><td>Yes</td><td>18</td></tr>"
        "<tr><td>In pubs</td><td></td></tr></tbody></table>"
    ) == (
        "Places\n\n| Country | Beer Ads | Beer Age |\n| --- | --- | --- |\n| Europe | - | - |\n"
        "| France Spain | No | No |\n"
        "| UK | Yes | 18 |\n| UK | In pubs | - |\n"
    )


def test_a_span_without_bounds_is_bounded() -> None:
    text = text_of(
        '<table><tr><th colspan="99999999">A</th><th>B</th></tr>'
        '<tr><td rowspan="99999999">x</td><td>y</td></tr></table>'
    )

    assert len(text) < 2_000


def test_a_layout_table_is_no_table() -> None:
    assert text_of("<table role=presentation><tr><td><h2>Beer</h2><p>x</p></td><td>y</td></tr></table>") == (
        "## Beer\n\nx\n\ny\n"
    )


def test_definitions_and_accordions() -> None:
    assert text_of("<dl><dt>Beer</dt><dd>A drink.</dd></dl>") == "Beer\n\n- A drink.\n"
    assert (
        text_of(
            "<h2>FAQ</h2><details><summary>Beer</summary><p>x</p></details>"
            '<ul><li><button aria-expanded="false">Wine</button><div hidden><h4>Red</h4><p>y</p></div></li>'
            "</ul><button>Like</button>"
        )
        == "## FAQ\n\n### Beer\n\nx\n\n### Wine\n\n#### Red\n\ny\n"
    )


def test_terms_without_end_take_no_time() -> None:
    assert text_of("<dl>" + "<dt>Beer</dt>" * 20_000 + "</dl>").count("Beer") == 20_000


def test_anchors_come_from_the_heading_or_from_what_is_around_it() -> None:
    parsed = parse_html(
        b"<h1 id=top>A</h1><p>x</p><section id=s><h2>B</h2><p>y</p></section>"
        b"<h2><a name=c></a>C</h2><p>z</p><h2>D</h2><p>w</p>"
    )

    named = {block.text: parsed.anchors.get(at) for at, block in enumerate(parsed.blocks)}
    assert {text: named[text] for text in "ABCD"} == {"A": "top", "B": "s", "C": "c", "D": None}


def test_bold_paragraphs_are_headings() -> None:
    parsed = parse_html(b"<h2>Rules</h2><p><strong>Germany</strong></p><p>No ads.</p>")

    assert [(block.kind, block.level) for block in parsed.blocks[:2]] == [
        (BlockKind.HEADING, 2),
        (BlockKind.HEADING, 3),
    ]


def test_metadata_title_and_address() -> None:
    parsed = parse_html(
        b'<head><title>Beer</title><link rel=canonical href="https://acme.example/beer">'
        b'<meta name="adpolicy:document_id" content="acme_beer"><meta name="description" content="x"></head>'
        b"<body><h2>One</h2><p>x</p></body>"
    )

    assert parsed.metadata == {"document_id": "acme_beer"}
    assert parsed.url == "https://acme.example/beer"
    assert parsed.title == "Beer"


def test_only_web_addresses_are_addresses() -> None:
    assert parse_html(b'<link rel=canonical href="javascript:x"><p>x</p>').url is None


@pytest.mark.parametrize(
    "opening", ["<div>", "<ul><li>", "<p><div>", "<div/>", "<b><div></b>", "<svg/><x>", "</i><x-y>"]
)
@pytest.mark.parametrize("times", [100_000, 200_000])
def test_elements_nested_without_end_are_refused_at_once(opening: str, times: int) -> None:
    before = time.process_time()

    with pytest.raises(Rejected, match="document_nested_too_deeply"):
        parse_html((opening * times + "Beer.").encode())
    assert time.process_time() - before < 10


@pytest.mark.parametrize(
    "piece",
    ["<p>Beer.", "<li>Beer.", "<br/>", "<b>Beer.</b>", "<svg><path/><path/></svg>", "<!-- <div> -->", "<img src=a>"],
)
def test_a_long_page_is_not_taken_for_a_deep_one(piece: str) -> None:
    assert text_of(f"{piece * 6_000}<p>Wine.").endswith("Wine.\n")


def test_deep_nesting_is_read_as_text() -> None:
    assert text_of("<div>" * 3_000 + "deep" + "</div>" * 3_000) == "deep\n"


def test_a_page_without_text_is_refused() -> None:
    with pytest.raises(Rejected, match="document_empty"):
        parse_html(b"<html><body><script>x</script><img src=x></body></html>")


def test_a_program_in_a_page_is_not_taken_for_elements() -> None:
    program = 'show("<div><em>");' * 6_000
    page = f"<script>{program}</script><STYLE>{program}</STYLE><p>Kites are allowed.</p>"
    assert [block.text for block in parse_html(page.encode()).blocks] == ["Kites are allowed."]
