"""Quotes found in texts: letter for letter but for what copying changes."""

import pytest

from rag_core.claims.support import find_quote, is_too_short


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("Ads for kites may run.", "for kites may", "for kites may"),
        ("Ads for kites may run.", "FOR  KITES\nmay run", "for kites may run"),
        ("It’s “fine” – mostly", 'it\'s "fine" - mostly', "It’s “fine” – mostly"),
        ("Not allowed:\n\n- Vodka\n- Beer", "not allowed: vodka beer", "Not allowed:\n\n- Vodka\n- Beer"),
        ("| Norway | No | - |", "Norway No", "Norway | No"),
        ("Use [brackets] <here>", "use (brackets) ‹here›", "Use [brackets] <here>"),
        ("hid\u200bden", "hidden", "hid\u200bden"),
        ("Ads for kites may run.", "“Ads for kites may run...”", "Ads for kites may run"),
        ("disallowed", "allowed", None),
        ("Ads for kites", "Ads for kite", None),
        ("Ads for kites may run.", "Ads ... run", None),
        ("Ads for kites", "  .,", None),
    ],
)
def test_where_a_quote_stands(text: str, quote: str, found: str | None) -> None:
    span = find_quote(text, quote)
    assert (text[span[0] : span[1]] if span else None) == found


def test_two_words_point_nowhere_unless_they_are_all_there_is() -> None:
    assert is_too_short("Ads for kites may run.", "may run")
    assert not is_too_short("- Vodka\n- Beer", "Vodka")
    assert not is_too_short("| Norway | No alcohol |", "no alcohol")
    assert not is_too_short("Ads for kites may run.", "kites may run")
