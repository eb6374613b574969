"""Nothing is shown that is not in its source, letter for letter."""

from dataclasses import replace
from typing import Any

import pytest

from rag_core.answering.statements import Citations, is_sound, is_supported, is_verbatim
from rag_core.answers import Quote, Statement
from tests.fakes.rules import unit

RULE = unit("Ads for kites are not allowed.", lead_in="Toys:")
PASSAGE = RULE.passage
QUOTE = RULE.body[0]
KNOWN = {QUOTE.chunk_id: PASSAGE}


@pytest.mark.parametrize(
    "tampering",
    [
        {"text": "Ads for kites are now allowed."},
        {"text": "ads for kites are not allowed."},
        {"start": 1},
        {"end": 29},
        {"start": -30},
        {"lead_in": True},
        {"text": " ", "start": 3, "end": 4},
        {"text": "", "start": 0, "end": 0},
    ],
)
def test_a_quote_that_was_changed_in_any_way_is_not_verbatim(tampering: dict[str, Any]) -> None:
    assert is_verbatim(QUOTE, PASSAGE)
    assert not is_verbatim(replace(QUOTE, **tampering), PASSAGE)


def test_a_quote_of_the_lead_in_is_looked_up_there() -> None:
    assert is_verbatim(Quote(QUOTE.chunk_id, "Toys:", 0, 5, lead_in=True), PASSAGE)


def test_a_statement_needs_every_quote_in_a_passage_that_was_retrieved() -> None:
    assert is_supported(Statement(QUOTE.text, (), (QUOTE,)), KNOWN)
    assert not is_supported(Statement(QUOTE.text, (), (QUOTE, replace(QUOTE, text="invented"))), KNOWN)
    assert not is_supported(Statement(QUOTE.text, (), ()), KNOWN)
    assert not is_supported(Statement(QUOTE.text, (), (replace(QUOTE, chunk_id="other"),)), KNOWN)


@pytest.mark.parametrize("tampering", [{"quote": "invented"}, {"char_start": 0}, {"char_end": 10}, {"chunk_id": "x"}])
def test_a_citation_that_was_changed_is_not_sound(tampering: dict[str, Any]) -> None:
    citations = Citations()
    citations.cite(RULE)
    (made,) = citations.made()
    assert is_sound(made, KNOWN)
    assert not is_sound(replace(made, **tampering), KNOWN)


def test_offsets_before_the_chunk_are_not_sound_even_if_they_wrap_around_to_the_same_words() -> None:
    citations = Citations()
    citations.cite(RULE)
    (made,) = citations.made()
    text, start = PASSAGE.chunk.chunk_text, PASSAGE.chunk.char_start
    assert not is_sound(replace(made, char_start=start - 4, char_end=start + len(text), quote=text[-4:]), KNOWN)
    assert not is_sound(replace(made, char_end=made.char_start, quote=""), KNOWN)
