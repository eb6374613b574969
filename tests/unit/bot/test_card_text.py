"""Text of cards: read as it was written, by desktop and phone, and doing nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.model.visible import one_line
from bot.render.teams.text import bold, escape, is_rtl, link, mark, plain, safe_address, units
from tests.fakes import adaptive_cards as cards
from tests.fakes import hostile

URL = "https://ads.example/x"


def read(text: str) -> str:
    """As a person reads it: look-alikes for what they stand for."""
    return cards.read_markdown(text).translate(str.maketrans("∗ˋˍ", "*`_"))


@pytest.mark.parametrize(
    "text",
    [
        "*bold* **bold** _it_ __it__ doc_id ~~gone~~ `code`",
        "# heading",
        "- item",
        "+ item",
        "12. item",
        "> quote",
        "===",
        "[x](https://evil.example) ![i](https://evil.example) [x]: https://evil.example",
        "<at>All</at> <b>b</b> <https://evil.example> <!-- x -->",
        "&lt;at&gt; &#60; &amp;",
        "{{DATE(2017-02-14T06:08:00Z, SHORT)}} {{TIME(2017-02-14T06:08:00Z)}} ${name} $${x}",
        "a \\ b \\* \\[ end\\",
        "www.evil.example me@evil.example HTTPS://evil.example",
    ],
)
def test_what_others_wrote_is_shown_and_nothing_else(text: str) -> None:
    card = {"type": "TextBlock", "text": escape(text), "wrap": True}
    assert read(escape(text)) == one_line(text)
    assert cards.card_violations({"version": "1.5", "msteams": {"width": "Full"}, "body": [card]}, ()) == []
    assert cards.links(card) == []


@given(hostile.lines)
def test_every_line_is_read_as_it_was_written(text: str) -> None:
    wanted = one_line(text).translate(str.maketrans("", "", "\u2060\u00ad"))
    assert read(f"x {escape(text)}").removeprefix("x").strip() == wanted.translate(str.maketrans("∗ˋˍ", "*`_"))


@given(st.one_of(hostile.lines, st.text(alphabet="[]()\\<>!*_`{}$&", max_size=20)))
def test_a_link_is_one_link_whatever_its_label(label: str) -> None:
    shown = link(URL, label)
    if shown:
        [(address, said)] = cards.links({"type": "TextBlock", "text": f"**[1]** {shown} x"})
        assert address == URL
        assert not set("()[]") & set(said)


@given(hostile.lines)
def test_bold_is_bold_and_nothing_else(text: str) -> None:
    if escape(text).strip():
        assert "*" not in cards.read_markdown(f"{bold(text + ':')} x").replace("∗", "")


@pytest.mark.parametrize(("text", "shown"), [("all", "**all**"), (" all of it ", "**all of it**"), (" ", "")])
def test_bold_keeps_its_text(text: str, shown: str) -> None:
    assert bold(text) == shown


def test_a_number_stands_in_brackets_outside_its_link() -> None:
    assert mark(3, URL) == f"[[3]({URL})]"
    assert cards.read_markdown(mark(3, URL)) == "[3]"
    assert mark(3, "javascript:x") == mark(3) == "[3]"


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:x", "//x", "", "https://a b", "https://a\n", "https://[", "x" * 9]
)
def test_only_http_and_https_are_linked(url: str) -> None:
    assert safe_address(url) == ""
    assert link(url, "label") == "label"


def test_an_address_keeps_its_meaning_and_ends_no_link() -> None:
    assert safe_address("https://x.example/_a(b)*d?x=1&lt;y") == "https://x.example/%5Fa%28b%29%2Ad?x=1%26lt;y"
    assert safe_address("https://x.example/doc_id?a=1&b=2") == "https://x.example/doc_id?a=1&b=2"


@given(st.text(max_size=200), st.integers(2, 90))
def test_plain_text_keeps_its_limit_as_teams_counts(text: str, limit: int) -> None:
    shown = plain(text, limit)
    assert units(shown) <= limit
    shown.encode("utf-16-le")


def test_plain_text_is_cut_at_a_words_end() -> None:
    assert plain("one two three", 9) == "one two…"


def test_nothing_is_cut_inside_a_character() -> None:
    family, accented = "👩‍👩‍👧", "e\u0301"
    for limit in range(2, 40):
        assert set(plain(family * 10, limit).removesuffix("…").split(family)) <= {""}
        assert set(plain(accented * 30, limit).removesuffix("…").split(accented)) <= {""}


def test_the_direction_is_that_of_most_letters() -> None:
    assert is_rtl("هذا نص with one word more in it: الإعلان عن الكحول محظور تماما")
    assert is_rtl("שלום")
    assert not is_rtl("English with שלום")
    assert not is_rtl("123 …")
