"""The slash command: what is typed is kept, then acknowledged."""

import asyncio

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.response import BoltResponse

from adapters.slack.commands import COMMAND, command_text, inbound_question, wants_help
from adapters.slack.parts import SlackParts
from bot.wording_slack import slack_not_accepted, slack_usage
from rag_core.errors import Rejected, Unavailable

ACCEPT_SECONDS = 2.5  # Slack shows an error of its own after 3 s


def add_command(bolt: AsyncApp, parts: SlackParts) -> None:
    async def take(ack: AsyncAck, body: dict[str, object]) -> BoltResponse:
        text = command_text(body)
        if wants_help(text):
            return await ack(text=slack_usage(COMMAND), response_type="ephemeral")
        try:
            async with asyncio.timeout(ACCEPT_SECONDS):
                await parts.accept(inbound_question(body, parts.new_id(), parts.clock()))
        except Rejected:
            return BoltResponse(status=400)
        except (Unavailable, TimeoutError):
            return await ack(text=slack_not_accepted(COMMAND, text), response_type="ephemeral")
        return await ack()

    bolt.command(COMMAND)(take)
