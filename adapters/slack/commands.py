"""The slash command, as Slack sends it."""

from collections.abc import Mapping

from adapters.slack.addresses import SlackAddress
from adapters.slack.audience import said_outside
from adapters.slack.payloads import enterprise_of
from adapters.slack.typed import unescaped
from rag_core.errors import Rejected

COMMAND = "/adpolicy"
RESPONSE_URL = "slack.response_url"
"""`ReplyAddress.kind` of a command as older versions kept it; fields: response_url, team, channel, user."""


def command_text(fields: Mapping[str, object]) -> str:
    """What was typed after the command: Slack escapes three characters in it, and only these."""
    text = fields.get("text")
    if not isinstance(text, str):
        return ""
    return unescaped(text).strip()


def address_of(fields: Mapping[str, object]) -> SlackAddress:
    """Where a command is answered: for everybody in the channel, unless changed. Raises Rejected when a field that
    Slack always sends is missing."""
    team = _required(fields, "team_id")
    return SlackAddress(
        team=team,
        channel=_required(fields, "channel_id"),
        user=_required(fields, "user_id"),
        enterprise=enterprise_of(fields),
        response_url=_required(fields, "response_url"),
        outside=said_outside(fields, team),
    )


def claim_key(fields: Mapping[str, object]) -> str:
    """The same for every delivery. Raises Rejected."""
    return f"slack:{_required(fields, 'team_id')}:{_required(fields, 'trigger_id')}"


def _required(fields: Mapping[str, object], name: str) -> str:
    found = fields.get(name)
    if not isinstance(found, str) or not found:
        raise Rejected("slack_field_missing", field=name)
    return found
