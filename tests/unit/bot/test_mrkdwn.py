"""Text of others is inert in Slack."""

import pytest
from hypothesis import given, settings

from bot.render.mrkdwn import bold, escape, escape_unlinked, link, pieces, shortened
from tests.fakes import hostile

JOINER, SOFT_HYPHEN = "\u2060", "\u00ad"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a & b < c > d", "a &amp; b &lt; c &gt; d"),
        ("&amp;", "&amp;amp;"),
        ("<!channel>", "&lt;!channel&gt;"),
        ("<@U123>", "&lt;@U123&gt;"),
        ("*all*", "∗all∗"),
        ("a~b~", "a∼b∼"),
        ("`x`", "ˋxˋ"),
        ("_all of it_, ad_text", "ˍall of itˍ, ad_text"),
        ("__all__", "ˍˍallˍˍ"),
        ("_all_text", "ˍall_text"),
        ("> quote", f"{SOFT_HYPHEN}&gt; quote"),
        ("a > b", "a &gt; b"),
        (":no_entry: at 10:30", f":{JOINER}no_entry: at 10:30"),
        ("@here and @Channel", f"@{JOINER}here and @{JOINER}Channel"),
        ("https://x.example", "https://x.example"),
        ("a\x00\u202eb", "ab"),
    ],
)
def test_escape(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_addresses_are_broken_up_where_slack_would_link_them() -> None:
    shown = escape_unlinked("see https://evil.example or www.evil.example or me@evil.example, e.g. 1.2%")
    assert "://" not in shown
    assert "evil.example" not in shown
    assert "me@evil" not in shown
    assert "e.g. 1.2%" in shown


def test_bold_and_link() -> None:
    assert bold("a*b ") == "*a∗b*"
    assert link("https://x.example/?a=1&b=2", "A | <B>") == "<https://x.example/?a=1&amp;b=2|A ¦ &lt;B&gt;>"


def test_a_link_that_would_not_fit_is_text() -> None:
    assert link("https://x.example/" + "a" * 1500, "[1]") == "[1]"


@settings(max_examples=50, deadline=None)
@given(hostile.texts)
def test_shortened_keeps_its_limit(text: str) -> None:
    assert len(shortened(text, 50)) <= 50
    assert "\n" not in shortened(text, 50)


@settings(max_examples=50, deadline=None)
@given(hostile.texts)
def test_pieces_keep_their_limit_and_lose_nothing(text: str) -> None:
    found = pieces(text, 80)
    assert all(0 < len(piece) <= 80 for piece in found)
    assert _letters("".join(found)) == _letters(escape(text))


def _letters(escaped: str) -> str:
    shown = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return "".join(char for char in shown if char.isalnum())
