"""What the bot has answered in the stand-in."""

from bot.render.slack.message import EVENT_TYPE
from ops.sandbox.slack import SlackStandIn
from ops.sandbox.slack.workspace import Message


def replies(slack: SlackStandIn, channel: str, thread: str = "") -> list[Message]:
    """Terminal messages that everybody sees in a channel, or in one thread of it."""
    found = slack.messages_in(channel, thread)
    return [each for each in found if each.metadata.get("event_type") == EVENT_TYPE]
