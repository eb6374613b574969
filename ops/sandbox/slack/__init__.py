"""A stand-in for Slack, on this machine only: for tests, and for trying the bot by hand.

    async with slack_stand_in(bot_url, signing_secret) as slack:      # start the bot with slack.api_url
        person = slack.person("U1")
        question = await person.mentions("can I advertise alcohol?")  # returns when the bot has acknowledged
        await slack.until(lambda: slack.bot_messages("C1"))
        await person.clicks(slack.bot_messages("C1")[0], "Show sources")
        assert person.modal is not None

What Slack would refuse is refused with Slack's own codes: tokens and scopes, channels, Block Kit, streams, views and
triggers, limits, `response_url`s, OAuth. Limits count real seconds (`limits=NO_LIMITS` for none); everything else
that expires goes by `clock`. `slack.trouble` makes calls fail, `slack.hold_events` and `slack.disorder` make events
late, out of order or doubled; `slack.calls` and `slack.attempts` tell what went in and out. Methods, blocks and inputs
that the bot has no use for are not known here: add them to `methods.py` and `block_kit.yaml`.
"""

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
