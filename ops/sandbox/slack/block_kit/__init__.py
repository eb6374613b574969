"""What Slack accepts as a message or a view: the limits of Block Kit, with Slack's error codes."""

from ops.sandbox.slack.block_kit.messages import Refused, blocks_of, check_message, check_metadata
from ops.sandbox.slack.block_kit.views import check_view

__all__ = ["Refused", "blocks_of", "check_message", "check_metadata", "check_view"]
