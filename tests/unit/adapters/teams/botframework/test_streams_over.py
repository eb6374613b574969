"""Why a stream is over: Teams has one code for it, and only its words tell."""

import json

import pytest

from adapters.teams.botframework.troubles import ConnectorTrouble, translated
from adapters.teams.client import Answer
from rag_core.errors import PolicyBotError, Rejected


def of(message: object) -> PolicyBotError:
    body = json.dumps({"error": {"code": "ContentStreamNotAllowed", "message": message}}).encode()
    return translated(ConnectorTrouble("POST", Answer(403, {}, body), maybe_done=False))


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("Content stream is not allowed on an already completed streamed message", "completed"),
        ("Content stream finished due to exceeded streaming time.", "time"),
        ("Content stream was canceled by user.", "stopped"),
        ("Content stream was cancelled by user", "stopped"),
        ("Content stream is not allowed", ""),
        ("Request streamed content should contain the previously streamed content", ""),
        (None, ""),
    ],
)
def test_why_it_is_over(message: object, why: str) -> None:
    found = of(message)
    assert isinstance(found, Rejected)
    assert (found.code, found.details["why"]) == ("teams_stream_over", why)


def test_what_is_too_big_for_a_stream_is_too_big() -> None:
    assert of("Message size too large").code == "teams_message_too_big"
