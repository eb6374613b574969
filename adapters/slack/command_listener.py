"""The slash command: stored, then acknowledged; what is no question is run at once."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.response import BoltResponse

from adapters.slack.actions.settings_dialog import run_settings
from adapters.slack.addresses import SlackAddress
from adapters.slack.commands import COMMAND, address_of, claim_key, command_text
from adapters.slack.gate import refused
from adapters.slack.parts import SlackParts
from adapters.slack.question_keeping import ACCEPT_SECONDS, asked_at, preferences_of
from bot.commands.grammar import Ask, Command, ShowHelp, ShowSettings, Subscribe, Unsubscribe, command_name, parse
from bot.model.channels import ShownTo
from bot.model.messages import InboundQuestion
from bot.render.mrkdwn import escape
from bot.wording.commands import failed_command, not_set_up
from bot.wording.slack import slack_not_accepted, slack_only_as_command, slack_problem, slack_usage
from rag_core.errors import Rejected, Unavailable


@dataclass(frozen=True, slots=True)
class CommandCall:
    """Who asked for it, and where. `thread` "" outside of threads. `trigger_id` opens a modal within 3 s,
    `response_url` answers for 30 minutes; a message has neither. `outside`: as in `SlackAddress`."""

    command: Command
    team: str
    channel: str
    user: str
    enterprise: str = ""
    thread: str = ""
    trigger_id: str = ""
    response_url: str = ""
    outside: str = ""


Told = Mapping[str, Any]
"""`text`, `blocks` and `response_type` ("in_channel": for everybody there, else for whoever asked); empty: nothing."""

CommandRun = Callable[[SlackParts, CommandCall], Awaitable[Told]]
"""Does it, within a second or two, and gives what is told. It may come twice for one message. Raises Unavailable,
Rejected."""


def only_to_asker(text: str) -> Told:
    """`text` is mrkdwn."""
    return {"text": text, "response_type": "ephemeral"} if text else {}


async def _subscribe(parts: SlackParts, call: CommandCall) -> Told:
    command = call.command
    if parts.subscribing is None or not isinstance(command, Subscribe):
        return only_to_asker(not_set_up(command_name(command)))
    wanted = f"{command.rhythm} {command.wanted}".strip()
    return await parts.subscribing.run_subscribe(call.team, call.channel, call.user, wanted)


async def _unsubscribe(parts: SlackParts, call: CommandCall) -> Told:
    if parts.subscribing is None:
        return only_to_asker(not_set_up(command_name(call.command)))
    return await parts.subscribing.run_unsubscribe(call.team, call.channel, call.user)


async def _settings(parts: SlackParts, call: CommandCall) -> Told:
    if parts.channels is None:
        return only_to_asker(not_set_up(command_name(call.command)))
    if not call.trigger_id:  # nothing can be opened for a message
        return only_to_asker(slack_only_as_command(f"{COMMAND} {command_name(call.command)}"))
    opening = run_settings(parts, call.team, call.channel, call.user, call.trigger_id, call.enterprise, call.outside)
    parts.tasks.start(opening, "slack settings opened")
    return {}


COMMAND_RUNS: Mapping[type[Command], CommandRun] = {
    Subscribe: _subscribe,
    Unsubscribe: _unsubscribe,
    ShowSettings: _settings,
}


async def run_command(
    parts: SlackParts, call: CommandCall, runs: Mapping[type[Command], CommandRun] | None = None
) -> Told:
    """What is told. Whoever may not is told so, and nothing is done. Raises as CommandRun."""
    run = (COMMAND_RUNS if runs is None else runs).get(type(call.command))
    if run is None:
        return only_to_asker(not_set_up(command_name(call.command)))
    enterprise, outside = call.enterprise, call.outside
    if sentence := await refused(parts, call.team, call.channel, call.user, enterprise=enterprise, outside=outside):
        return only_to_asker(escape(sentence))
    return await run(parts, call)


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
