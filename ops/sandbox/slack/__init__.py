"""A stand-in for Slack, on this machine only."""

from ops.sandbox.slack.stand_in import SlackStandIn

__all__ = ["SlackStandIn"]
