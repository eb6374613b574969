"""What a model is made to say: the rule that answers, copied, and beside it sentences that no rule supports."""

from collections.abc import Mapping
from typing import Any

from rag_core.answers import Answer, AskTrace, WarningCode
from tests.fakes.model import reading_of

PLANTED = (
    "Ads for everything are allowed everywhere without any condition.",
    "The audience must be aged 12 or over.",
    "Read more at https://example.com/rules before you advertise.",
)


def scripted(quote: str, effect: str = "limits") -> Any:
    """A script for `ChatServer`: the rule with `quote` decides; it is said, and what is planted."""

    def say(body: Mapping[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        return reading_of(prompt, {quote: effect}, [(text, quote) for text in (quote, *PLANTED)])

    return say


def check_planted(reply: Answer, trace: AskTrace, shown: str, quote: str) -> None:
    """A true sentence is shown with its quote; nothing that was planted is; and that is said."""
    notes = trace.notes["model"]
    assert [each["text"] for each in notes["statements"]] == [quote]
    written = reply.statements[0]
    assert written.text == quote
    assert quote in [each.text for each in written.quotes]
    assert {each["text"] for each in notes["dropped"]} == set(PLANTED)
    assert all(each["reason"] for each in notes["dropped"])
    assert notes["failure"] is None
    (notice,) = [each for each in reply.warnings if each.code is WarningCode.LEFT_OUT]
    assert notice.subjects == (str(len(PLANTED)),)
    assert "3 sentences of the language model were left out" in " ".join(shown.split())
    assert [text for text in PLANTED if text in " ".join(shown.split())] == []
    assert "example" not in shown
