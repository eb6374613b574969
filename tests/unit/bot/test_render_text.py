"""The terminal: readable without colour, and nothing in it that a terminal would obey."""

import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings

from bot.model.links import Links
from bot.model.outcomes import Failure, FailureCode, Outcome, Postponed, Rejection
from bot.render.text import reply_text
from rag_core.answers import Reply, Verdict
from tests.fakes import hostile, replies
from tests.fakes.golden import golden_text

LINKS = Links("https://bot.example", {"sample": "Sample Ads"})
QUESTION = "can I advertise alcohol in the UK"

OUTCOMES: dict[str, Outcome] = {
    "answer": replies.answer(),
    "several_places": replies.answer(
        verdicts=(
            replies.place_verdict(Verdict.PROHIBITED, "de"),
            replies.place_verdict(Verdict.ALLOWED, "fr", citations=(2,)),
        )
    ),
    "not_stated": replies.answer(verdicts=(), not_stated=("podcasts",), degraded=("keyword",)),
    "on_the_wider_thing": replies.WIDER,
    "refusal": replies.refusal(),
    "clarification": replies.clarification(),
    "rejection": Rejection("unknown_region", {"value": "atlantis", "known": "uk, de ..."}),
    "failure": Failure(FailureCode.SEARCH_DOWN, "question-1"),
    "postponed": Postponed("question-1"),
    **replies.TABLES,
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_golden(name: str) -> None:
    found = reply_text(QUESTION, OUTCOMES[name], LINKS)
    assert found == golden_text(f"text/{name}.txt", found)


def test_lines_keep_the_width_and_links_stay_whole() -> None:
    url = "https://ads.example/alcohol-and-other-drinks-in-games-for-grown-ups"
    answer = replies.answer(citations=(replies.citation(url=url),))
    found = reply_text(QUESTION, answer, LINKS, width=50).splitlines()
    urls = {LINKS.citation(each) for each in answer.citations}
    assert urls <= {line.strip() for line in found}
    assert all(len(line) <= 50 for line in found if "://" not in line)


def test_a_very_narrow_terminal_gets_what_can_be_read() -> None:
    assert reply_text(QUESTION, replies.answer(), LINKS, width=1) == reply_text(
        QUESTION, replies.answer(), LINKS, width=40
    )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(hostile.any_reply, hostile.texts)
def test_no_control_character_reaches_the_terminal(reply: Reply, question: str) -> None:
    found = reply_text(question, reply, LINKS)
    assert all(unicodedata.category(char) not in ("Cc", "Cs") for char in found if char != "\n")
    found.encode()
