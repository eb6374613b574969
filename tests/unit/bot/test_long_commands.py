"""What is too long for a question is one all the same, and refused as that: never taken apart."""

import time
from datetime import date

import pytest

from bot.commands.grammar import Ask, parse
from bot.questions.addressing import Said, mention_asks
from rag_core.understanding.cleaning import MAX_QUESTION

TODAY = date(2026, 3, 2)


@pytest.mark.parametrize("again", ["as of today: ", "private: ", "private: as of 1 March 2026: "])
def test_a_command_in_a_command_without_end_is_a_question(again: str) -> None:
    text = again * 3_000 + "beer?"
    found = parse(text, TODAY)
    assert found == Ask(text, private=again.startswith("private"))


def test_a_question_as_long_as_one_may_be_is_taken_apart() -> None:
    text = "as of today: " * 150
    assert len(text.strip()) <= MAX_QUESTION
    assert parse(f"{text}beer?", TODAY) == Ask("beer?", as_of=TODAY)


def test_how_long_it_is_stays_known() -> None:
    found = parse("a " * 5_000, TODAY)
    assert isinstance(found, Ask)
    assert len(found.text) == 9_999


@pytest.mark.parametrize("before", ["beer ads in the UK " * 100, "is beer allowed? " * 100])
def test_a_mention_behind_a_long_question_asks(before: str) -> None:
    assert mention_asks(Said(f"{before.strip()}?", before.strip()))


@pytest.mark.parametrize("before", ["(" * 200_000, "a" + "\n" * 200_000 + "b"])
def test_what_stands_before_a_mention_is_read_in_no_time(before: str) -> None:
    began = time.process_time()
    mention_asks(Said(f"{before} beer ads", before))
    assert time.process_time() - began < 10  # of the processor, far above what is measured
