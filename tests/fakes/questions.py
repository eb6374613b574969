"""Builders of inbound questions for tests."""

from datetime import UTC, datetime
from typing import Any

from bot.model.messages import Actor, Conversation, InboundQuestion, ReplyAddress

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


def make_question(number: int = 1, **changes: Any) -> InboundQuestion:
    """Question `number` of a Slack channel; `changes` are fields of InboundQuestion."""
    fields: dict[str, Any] = {
        "question_id": f"q{number}",
        "claim_key": f"slack:T1:{number}",
        "actor": Actor("slack", "T1", "U1"),
        "conversation": Conversation("slack", "T1", "C1", "1700000000.000100"),
        "text": "can I advertise alcohol in the UK",
        "reply_address": ReplyAddress("slack-command", {"response_url": "https://hooks.example/commands/secret"}),
        "received_at": NOON,
    }
    return InboundQuestion(**(fields | changes))
