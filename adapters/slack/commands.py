"""The slash command, as Slack sends it."""

from collections.abc import Mapping
from datetime import datetime

from bot.messages import Actor, Conversation, InboundQuestion, ReplyAddress
from rag_core.errors import Rejected

COMMAND = "/adpolicy"
RESPONSE_URL = "slack.response_url"
"""`ReplyAddress.kind` of a command; fields: response_url, team, channel, user."""


def command_text(fields: Mapping[str, object]) -> str:
    """What was typed after the command: Slack escapes three characters in it, and only these."""
    text = fields.get("text")
    if not isinstance(text, str):
        return ""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").strip()


def wants_help(text: str) -> bool:
    """Nothing typed, or the word help."""
    return text.casefold() in ("", "help", "?")


def inbound_question(fields: Mapping[str, object], question_id: str, received_at: datetime) -> InboundQuestion:
    """The question of a command. Raises Rejected when a field that Slack always sends is missing.

    It is never private: its answer is shown in the channel, and a direct message (D...) may be one of two people, in
    which a command can be typed as well. Who reads it, the directory finds out.
    """
    team, channel = _required(fields, "team_id"), _required(fields, "channel_id")
    user = _required(fields, "user_id")
    return InboundQuestion(
        question_id=question_id,
        claim_key=f"slack:{team}:{_required(fields, 'trigger_id')}",
        actor=Actor("slack", team, user),
        conversation=Conversation("slack", team, channel),
        text=command_text(fields),
        reply_address=ReplyAddress(
            RESPONSE_URL,
            {
                "response_url": _required(fields, "response_url"),
                "team": team,
                "channel": channel,
                "user": user,
            },
        ),
        received_at=received_at,
    )


def _required(fields: Mapping[str, object], name: str) -> str:
    found = fields.get(name)
    if not isinstance(found, str) or not found:
        raise Rejected("slack_field_missing", field=name)
    return found
