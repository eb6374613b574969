"""A Slack beside a running server, where the server looks for it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ops.sandbox.slack import SlackStandIn
from tests.fakes.program import SIGNING_SECRET, Server


@asynccontextmanager
async def slack_beside(server: Server, bot_token: str = "xoxb-sandbox") -> AsyncIterator[SlackStandIn]:  # noqa: S107
    """`bot_token`: the one that the server was given."""
    slack = SlackStandIn(server.chat_url, SIGNING_SECRET, bot_token=bot_token)
    await slack.start(server.slack_port)
    try:
        yield slack
    finally:
        await slack.stop()
