"""A stand-in for Slack, on this machine only."""

from ops.sandbox.slack.app import EVERY_EVENT, EVERY_SCOPE, App, app_of_manifest
from ops.sandbox.slack.limits import NO_LIMITS, Limits
from ops.sandbox.slack.stand_in import SlackStandIn, slack_stand_in

__all__ = [
    "EVERY_EVENT",
    "EVERY_SCOPE",
    "NO_LIMITS",
    "App",
    "Limits",
    "SlackStandIn",
    "app_of_manifest",
    "slack_stand_in",
]
