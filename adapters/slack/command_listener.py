"""The slash command: what is typed is kept, then acknowledged."""

import asyncio
from dataclasses import replace

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.response import BoltResponse

from adapters.slack.addresses import SlackAddress
from adapters.slack.command_runs import CommandCall, Told, only_to_asker, run_command
from adapters.slack.commands import COMMAND, address_of, claim_key, command_text
from adapters.slack.keeping import ACCEPT_SECONDS, asked_at, preferences_of
from adapters.slack.parts import SlackParts
from bot.commands.grammar import Ask, Command, ShowHelp, command_name, parse
from bot.model.channels import ShownTo
from bot.model.messages import InboundQuestion
from bot.wording.commands import failed_command
from bot.wording.slack import slack_not_accepted, slack_problem, slack_usage
from rag_core.errors import Rejected, Unavailable


def add_command(bolt: AsyncApp, parts: SlackParts) -> None:
    async def take(ack: AsyncAck, body: dict[str, object]) -> BoltResponse:
        text = command_text(body)
        try:
            command = parse(text, parts.clock().date())
        except Rejected as exc:
            return await ack(text=slack_problem(exc.code, exc.details), response_type="ephemeral")
        if isinstance(command, ShowHelp):
            return await ack(text=slack_usage(COMMAND), response_type="ephemeral")
        try:
            told = await _taken(parts, body, command, text)
        except Rejected:
            return BoltResponse(status=400)
        return await ack(**told) if told else await ack()

    bolt.command(COMMAND)(take)


async def _taken(parts: SlackParts, body: dict[str, object], command: Command, text: str) -> Told:
    """What is told at once. Raises Rejected for what Slack does not send."""
    address, key = address_of(body), claim_key(body)
    if not isinstance(command, Ask):
        return await _done(parts, address, command, str(body.get("trigger_id") or ""))
    try:
        async with asyncio.timeout(ACCEPT_SECONDS):
            await parts.accept(await _question(parts, address, key, command))
    except (Unavailable, TimeoutError):
        return only_to_asker(slack_not_accepted(COMMAND, text))
    return {}


async def _question(parts: SlackParts, address: SlackAddress, key: str, ask: Ask) -> InboundQuestion:
    """Shown to the asker alone where he or the channel wants that, and where it is not known what the channel wants.

    Otherwise it is not private, not even in a direct message (D...): that may be one of two people, in which a command
    can be typed as well. Who reads it, the directory finds out.
    """
    to_asker = ask.private
    if not to_asker:
        preferences = await preferences_of(parts, address.team, address.channel)
        to_asker = preferences is None or preferences.shown_to is ShownTo.ASKER
    return asked_at(replace(address, to_asker=to_asker), key, ask, parts)


async def _done(parts: SlackParts, address: SlackAddress, command: Command, trigger_id: str) -> Told:
    call = CommandCall(
        command,
        address.team,
        address.channel,
        address.user,
        address.enterprise,
        trigger_id=trigger_id,
        response_url=address.response_url,
        outside=address.outside,
    )
    try:
        async with asyncio.timeout(ACCEPT_SECONDS):
            return await run_command(parts, call)
    except (Unavailable, TimeoutError):
        return only_to_asker(failed_command(command_name(command)))
    except Rejected as exc:
        return only_to_asker(slack_problem(exc.code, exc.details))
