"""The same reply says the same in Slack and in Teams."""

import pytest

from bot.model.links import Links
from rag_core.answers import Approved, Notice, QuoteType, Reply, Verdict, WarningCode
from tests.fakes import replies
from tests.fakes.same_information import addresses, missing_words, only_in_one

LINKS = Links("https://bot.example", {"sample": "Sample Ads", "other": "Other Ads"})
QUESTION = "can I advertise alcohol in the UK"

REPLIES: dict[str, Reply] = {
    "answer": replies.answer(),
    "several places": replies.answer(
        scope=replies.scope(regions=("de", "fr"), policy_sources=("sample",)),
        verdicts=(
            replies.place_verdict(Verdict.PROHIBITED, "de"),
            replies.place_verdict(Verdict.ALLOWED, "fr", citations=(2,)),
        ),
    ),
    "not stated": replies.answer(verdicts=(), not_stated=("podcasts",), rewritten_question="and podcasts?"),
    "wider": replies.WIDER,
    "warned": replies.answer(warnings=tuple(Notice(each, ("uk",)) for each in WarningCode), degraded=("vector",)),
    "choices": replies.answer(choices=tuple(map(replies.choice, ("de", "fr", "es", "it", "nl", "be", "at")))),
    "approved": replies.answer(approved=Approved("Legal desk", replies.TODAY, "c1", 1)),
    "by a model": replies.answer(citations=(replies.citation(quote_type=QuoteType.INFERENCE), replies.citation(2))),
    "refusal": replies.refusal(),
    "clarification": replies.clarification(),
    **replies.TABLES,
}


@pytest.mark.parametrize("name", REPLIES)
def test_nothing_is_read_on_one_platform_alone(name: str) -> None:
    assert only_in_one(QUESTION, REPLIES[name], LINKS) == []


@pytest.mark.parametrize("name", REPLIES)
def test_what_matters_is_read_on_both(name: str) -> None:
    assert missing_words(QUESTION, REPLIES[name], LINKS) == []


@pytest.mark.parametrize("name", REPLIES)
def test_both_lead_to_the_same_addresses(name: str) -> None:
    slack, teams = addresses(QUESTION, REPLIES[name], LINKS)
    assert slack == teams
