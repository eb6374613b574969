"""What a reader cannot see does not reach a screen."""

import pytest

from bot.model.visible import clean, lines, one_line, read_out, shorten


def test_controls_and_bidi_overrides_are_dropped() -> None:
    assert clean("a\x1b[31mb\x00\x9b\x7f\u202ec\u2066d\u200f\ue000\ud800") == "a[31mbcd"


def test_every_line_break_is_a_newline() -> None:
    assert clean("a\r\nb\rc\u2028d\x85e\vf\ng\th") == "a\nb\nc\nd\ne\nf\ng h"


def test_joiners_that_scripts_need_stay() -> None:
    assert clean("👩\u200d👧 क्\u200dष") == "👩\u200d👧 क्\u200dष"


def test_one_line_and_lines() -> None:
    assert one_line("  a \n\n b\t c ") == "a b c"
    assert lines("  a  b \n\n \n c ") == ["a b", "c"]


def test_shorten_cuts_at_a_word() -> None:
    assert shorten("one two three", 13) == "one two three"
    assert shorten("one two, three", 12) == "one two…"
    assert shorten("x" * 30, 10) == "x" * 9 + "…"


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        (
            "They may run only if:\n- people are 21;\n  - or older;",
            "They may run only if: • people are 21; • or older;",
        ),
        ("| Spain | Lotteries only |\n| --- | --- |\n| Sweden | Yes |", "Spain · Lotteries only / Sweden · Yes"),
        ("Spain | Lotteries only |", "Spain · Lotteries only"),
        ("## Spain\nA well-known rule - of -1 or so.", "Spain A well-known rule - of -1 or so."),
        ("", ""),
    ],
)
def test_a_stored_passage_is_read_out_without_signs_of_its_form(stored: str, read: str) -> None:
    assert read_out(stored) == read
