"""What never changes a reading is taken away before a rule or a question is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.rules.reader import AskedText, RuleText, folded, plain_question, plain_rule

_WORDS = st.lists(
    st.sampled_from("ads kites must not run in Peru or 18 €5 no-go isn't allowed".split()), min_size=2, max_size=9
)
_SENTENCES = _WORDS.filter(lambda words: words[0] not in ("18", "€5")).map(lambda words: f"{' '.join(words)}.")
_MARKERS = st.sampled_from(
    [
        "- ",
        "• ",
        "▪ ",
        "* ",
        "– ",
        "1. ",
        "1) ",
        "(1) ",
        "12.3 ",
        "4.2.1. ",
        "a) ",
        "A) ",
        "(a) ",
        "(B) ",
        "iv. ",
        "IV) ",
        "# ",
    ]
)
_REMARKS = st.sampled_from(
    [
        "Please note that ",
        "please note: ",
        "Note that ",
        "NOTE: ",
        "Remember that ",
        "Please be aware that ",
        "Keep in mind that ",
    ]
)
_GREETINGS = st.sampled_from(
    [
        "Hi, ",
        "hello! ",
        "Hey there, ",
        "Good morning, ",
        "Hi team - ",
        "Dear all, ",
        "Quick question: ",
        "Hi! Quick question: ",
    ]
)
_THANKS = st.sampled_from(
    [
        ", please",
        " please",
        ", thanks",
        ". Thanks!",
        ". Thank you so much!",
        " pls",
        ", many thanks in advance",
        ". Cheers!",
    ]
)


def rule(body: str, lead: str = "") -> str:
    return RuleText(("Toys", "Kites"), lead, body).text


@given(_SENTENCES, _MARKERS, st.sampled_from(["", " ", "  "]))
def test_numbering_and_bullets_never_change_a_rule(body: str, marker: str, space: str) -> None:
    assert rule(f"{space}{marker}{body}") == rule(body)
    assert rule(body, f"{marker}{body}") == rule(body, body)


@given(_SENTENCES, _MARKERS, _REMARKS)
def test_remarks_that_something_is_to_be_noted_never_change_a_rule(body: str, marker: str, remark: str) -> None:
    assert rule(f"{remark}{body}") == rule(body)
    assert rule(f"{marker}{remark}{body}") == rule(body)


@given(_WORDS, st.sampled_from(['""', "“”", "„“", "«»", "**"]), st.data())
def test_quotation_marks_never_change_what_is_read(words: list[str], marks: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(words) - 1))
    marked = [f"{marks[0]}{word}{marks[1]}" if number == at else word for number, word in enumerate(words)]
    assert rule(" ".join(marked)) == rule(" ".join(words))
    assert AskedText(" ".join(marked)).text == AskedText(" ".join(words)).text


@given(_WORDS.map(" ".join), _GREETINGS, _THANKS)
def test_greetings_and_politeness_never_change_a_question(words: str, greeting: str, thanks: str) -> None:
    question = f"may I say {words}"
    plain = AskedText(question).text
    assert AskedText(f"{greeting}{question}").text == plain
    assert AskedText(f"{question}{thanks}").text == plain
    assert AskedText(f"Please {question}").text == plain
    assert (
        AskedText("and in Peru?", (f"{greeting}{question}{thanks}",)).text == AskedText("and in Peru?", (plain,)).text
    )


@given(st.text(max_size=60))
def test_what_is_plain_stays_as_it_is(text: str) -> None:
    for plain in (folded, plain_rule, plain_question):
        assert plain(plain(text)) == plain(text)
        assert "\n" not in plain(text)


@pytest.mark.parametrize(
    "body", ["A company may fly kites.", "I. Newton flew kites", "18 is the age for kites.", "no-go"]
)
def test_what_only_looks_like_a_number_is_kept(body: str) -> None:
    assert plain_rule(body).split()[-1] == body.split()[-1]
    assert plain_rule("A company may fly kites.") == "A company may fly kites."


@pytest.mark.parametrize("text", ["thanks", "please", "hi", "Hello!"])
def test_nothing_but_politeness_is_still_a_question(text: str) -> None:
    assert plain_question(text)


def test_only_so_much_is_read_of_what_is_long() -> None:
    long = " ".join(f"word{number}" for number in range(300))
    headings, lead, body = RuleText((long,), long, long).text.split(" | ")
    assert (len(headings.split()), len(lead.split()), len(body.split())) == (16, 40, 80)
    assert (headings.split()[-1], lead.split()[-1], body.split()[0]) == ("word299", "word299", "word0")
    asked = AskedText(long, (long, "and kites?")).text
    assert asked.endswith("word299")
    assert "word0 " in asked
    assert "and kites? /" in asked
