import time
from datetime import date

import pytest

from ingest.parsers.markdown import parse_markdown
from rag_core.errors import Rejected
from rag_core.layout import BlockKind, read_blocks, write_blocks


def text_of(markdown: str) -> str:
    return write_blocks(parse_markdown(markdown.encode()).blocks)


def headings(markdown: str) -> list[tuple[int, str]]:
    blocks = parse_markdown(markdown.encode()).blocks
    return [(block.level, block.text) for block in blocks if block.kind is BlockKind.HEADING]


def test_structure_becomes_normal_form() -> None:
    assert (
        text_of(
            'Alcohol\n=======\n\nAds for *wine*\nand **beer** are [restricted](https://x.example "t").\n\n'
            "Not allowed:\n\n* spirits\n\n  * over 40%\n* `home` brew\n\n3) third\n\n"
            "| Country | Yes? |\n|---|---|\n| FR\\|BE | |\n"
        )
        == "# Alcohol\n\nAds for wine and beer are restricted.\n\nNot allowed:\n\n- spirits\n"
        "  - over 40%\n- home brew\n"
        "3) third\n\n| Country | Yes? |\n| --- | --- |\n| FR/BE | - |\n"
    )


def test_what_was_parsed_reads_back_as_the_same_blocks() -> None:
    parsed = parse_markdown(b"# A\n\n1. x\n2. y\n\n\\# no heading\n\n| a |\n|---|\n| b |\n")

    read = read_blocks(write_blocks(parsed.blocks))

    assert [(b.kind, b.text, b.level, b.marker) for b in read] == [
        (b.kind, b.text, b.level, b.marker) for b in parsed.blocks
    ]


def test_front_matter() -> None:
    parsed = parse_markdown(b"---\ntitle: T\nregions: [uk]\n---\n# H\n\nx\n")

    assert parsed.metadata == {"title": "T", "regions": ["uk"]}
    assert parsed.metadata_lines == {"title": 2, "regions": 3}
    assert parsed.title == "H"


def test_front_matter_that_is_no_yaml_is_read_line_by_line_with_a_warning() -> None:
    parsed = parse_markdown(
        b"---\ntitle: Crypto: new policy - Help\nregions:\n- uk\n- de\nlabels:\n  stage: draft\nday: 2026-01-02\n"
        b"note: see: the\n  next line\n# a remark\n---\nx\n"
    )

    assert parsed.metadata == {
        "title": "Crypto: new policy - Help",
        "regions": ["uk", "de"],
        "labels": {"stage": "draft"},
        "day": date(2026, 1, 2),
        "note": "see: the next line",
    }
    assert [(each.code, each.details["line"]) for each in parsed.warnings] == [("front_matter_not_yaml", 2)]


def test_a_list_or_quotation_left_open_is_not_guessed_at() -> None:
    for broken in ("allowed_groups: [legal", 'title: "a', "classification restricted"):
        with pytest.raises(Rejected, match="front_matter_invalid"):
            parse_markdown(f"---\ntitle: a: b\n{broken}\n---\nx".encode())


def test_a_document_that_begins_with_a_line_across_has_no_front_matter() -> None:
    assert text_of("---\nJust text.\n\n---\n\nMore.\n") == "Just text.\n\nMore.\n"


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        (b"---\na: 1\ntitle: [a\n---\nx", "front_matter_invalid", 3),
        (b"---\ntitle: a\n\nx", "front_matter_invalid", 1),
        (b"---\na: 1\nday: 2025-13-45\n---\nx", "front_matter_invalid", 3),
        (b"---\na: &a [x, x]\nb: [*a, *a, *a]\n---\nx", "front_matter_invalid", 3),
        (b"caf\xe9", "not_utf8", None),
        (b"a\x00b", "document_binary", None),
        (b"  \n", "document_empty", None),
        (b"\xef\xbb\xbf", "document_empty", None),
        (b"<!-- nothing -->", "document_empty", None),
    ],
)
def test_what_cannot_be_read_is_refused(content: bytes, code: str, line: int | None) -> None:
    with pytest.raises(Rejected, match=code) as caught:
        parse_markdown(content)
    assert caught.value.details.get("line") == line


def test_front_matter_without_keys_or_with_too_many_levels() -> None:
    assert (
        text_of("---\n# only a comment:\n---\n\nx\n") == "# only a comment:\n\nx\n" or text_of("---\n---\nx") == "x\n"
    )
    with pytest.raises(Rejected, match="front_matter_invalid"):
        parse_markdown(b"---\nkey: x\n- list\n---\nx")
    with pytest.raises(Rejected, match="nested too deeply"):
        parse_markdown(b"---\na: " + b"[" * 3000 + b"\n---\nx")
    assert text_of("---\na: " + "[" * 19 + "]" * 19 + "\n---\nx") == "x\n"
    with pytest.raises(Rejected, match="nested too deeply"):
        parse_markdown(b"---\na: " + b"[" * 20 + b"]" * 20 + b"\n---\nx")


def test_code_is_text() -> None:
    assert text_of("```\nt.me/link\n```\n\n    indented\n") == "t.me/link\n\nindented\n"


def test_definition_lists() -> None:
    assert text_of("Beer\n: A drink.\n") == "Beer\n\n- A drink.\n"


def test_a_byte_order_mark_is_no_text() -> None:
    assert write_blocks(parse_markdown(b"\xef\xbb\xbf# A\n\nx").blocks) == "# A\n\nx\n"


def test_unseen_characters_are_dropped() -> None:
    assert text_of("Al\u00adco\u200bhol \u202eads\n") == "Alcohol ads\n"


def test_empty_link_anchors_and_ids() -> None:
    parsed = parse_markdown(
        b'### [](#1-format)1\\. Format\n\nx\n\n## Fees {#fees}\n\n* <a name="mine"></a>\n  **My data**\n\n  y\n'
    )

    assert [(block.text, parsed.anchors.get(at)) for at, block in enumerate(parsed.blocks)] == [
        ("1. Format", "1-format"),
        ("x", None),
        ("Fees", "fees"),
        ("My data", "mine"),
        ("y", None),
    ]


def test_a_table_of_contents_gives_anchors_and_goes() -> None:
    parsed = parse_markdown(
        b"Table of contents\n\n[1\\. Fees](#h_1)\n\n* [Beer](#h_2)\n\n1\\. Fees\n-------\n\nx\n\n## Beer\n\ny\n"
    )

    assert [block.text for block in parsed.blocks] == ["1. Fees", "x", "Beer", "y"]
    assert parsed.anchors == {0: "h_1", 2: "h_2"}


def test_bold_lines_are_headings_below_the_last_real_one() -> None:
    assert headings("# Rules\n\n**Alcohol**\n\nx\n\n**Beer**\nNo ads.\n\n## Other\n\n**Wine**\n\nz") == [
        (1, "Rules"),
        (2, "Alcohol"),
        (2, "Beer"),
        (2, "Other"),
        (3, "Wine"),
    ]


@pytest.mark.parametrize(
    "markdown",
    [
        "**Policy:** Ads are reviewed.\n\nx",
        "**Examples:**\n\n* a",
        "**Ads must not show:**\n\n* a",
        "**All examples are non-exhaustive.**\n\nx",
        "**✅ Allowed with a licence**\n\nx",
        "Ads are\n**prohibited**\nin schools.",
        "**Advertisers**\nmust not lie.",
        "**A last line**",
        "* **Beer**\n  * 18 or over",
    ],
)
def test_other_bold_text_is_none(markdown: str) -> None:
    assert headings(markdown) == []


def test_places_nest_below_topics_and_topics_below_places() -> None:
    assert headings("**Alcohol**\n\na\n\n**France**\n\nb\n\n**Gambling**\n\nc\n\n**Spain:**\n\nd") == [
        (2, "Alcohol"),
        (3, "France"),
        (2, "Gambling"),
        (3, "Spain"),
    ]
    assert headings("**France**\n\n**Alcohol**\n\na\n\n**Spain**\n\n**Alcohol**\n\nb") == [
        (2, "France"),
        (3, "Alcohol"),
        (2, "Spain"),
        (3, "Alcohol"),
    ]
    assert headings("**France**\n\na\n\n**Spain**\n\nb\n\n**Trade sanctions**\n\nc") == [
        (2, "France"),
        (2, "Spain"),
        (2, "Trade sanctions"),
    ]


def test_a_place_glued_to_the_sentence_before_is_a_heading() -> None:
    assert text_of("# Rules\n\n* Beer\n    * needs a notice**Australia**\n\nIf shown there, none.\n") == (
        "# Rules\n\n- Beer\n  - needs a notice\n\n## Australia\n\nIf shown there, none.\n"
    )


def test_bare_places_are_headings_but_not_in_a_list_of_them() -> None:
    assert headings("# Rules\n\nGermany\n\nNo ads.\n\nFrance:\n\nAds.") == [(1, "Rules"), (2, "Germany"), (2, "France")]
    assert headings("Only in:\n\nGermany\n\nFrance\n\nSpain\n\nThat is all.") == []


def test_a_place_label_within_a_paragraph_begins_a_line() -> None:
    assert text_of("Guns are restricted. **Australia:** not allowed. **Canada:** with a tip.") == (
        "Guns are restricted.\n\nAustralia: not allowed.\n\nCanada: with a tip.\n"
    )


def test_underlines_after_blank_lines_and_empty_headings() -> None:
    assert text_of("Advertising guidelines\n\n\n======\n\nx\n\n###\n\nBeer\n\ny\n\n- - -\n") == (
        "# Advertising guidelines\n\nx\n\n### Beer\n\ny\n"
    )


@pytest.mark.parametrize("opening", ["* - ", "1. ", "> - ", "- > "])
@pytest.mark.parametrize("times", [100, 100_000, 200_000])
def test_lists_and_quotes_nested_without_end_are_refused_at_once(opening: str, times: int) -> None:
    before = time.process_time()

    with pytest.raises(Rejected, match="document_nested_too_deeply"):
        parse_markdown(f"# Beer\n\n{opening * times}Not allowed.".encode())
    assert time.process_time() - before < 10


@pytest.mark.parametrize("opening", ["* - ", "> - "])
def test_what_stands_in_many_lists_is_not_left_out(opening: str) -> None:
    assert "Not allowed." in write_blocks(parse_markdown(f"{opening * 12}Not allowed.".encode()).blocks)


def test_html_nested_without_end_in_markdown_is_refused() -> None:
    with pytest.raises(Rejected, match="document_nested_too_deeply"):
        parse_markdown(f"# Beer\n\n{'<div>' * 100_000}".encode())


def test_nested_quotes_are_opened() -> None:
    assert (
        text_of("> > ### Beer\n> >\n> > No ads.\n\n> [!NOTE]\n> Deprecated.\n")
        == "### Beer\n\nNo ads.\n\nDeprecated.\n"
    )


def test_html_inside() -> None:
    assert (
        text_of(
            "<details><summary>Beer</summary>\n\nNo **ads**.\n\n</details>\n\n<script>\nalert(1)\n</script>\n\n"
            "Hello<script>alert(2)</script> you<br>there.\n\n<table><tr><th>A</th></tr><tr><td>b</td></tr></table>\n"
        )
        == "## Beer\n\nNo ads.\n\nHello you there.\n\nA\n\nb\n"
    )


def test_template_tags_are_no_words() -> None:
    assert text_of("Contact {% data variables.support %} now.") == "Contact now.\n"


def test_paragraphs_of_an_item_are_joined_to_it() -> None:
    assert text_of("* one\n\n  more of it\n\n  * two\n\n  after\n* three\n") == (
        "- one more of it\n  - two\n- after\n- three\n"
    )


def test_a_long_capture_is_read_in_bounded_depth() -> None:
    assert "x" in text_of("> " * 500 + "x\n\nend")
