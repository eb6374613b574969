"""Commands that are no questions: who does what they ask for."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from adapters.slack.commands import COMMAND
from adapters.slack.gate import refused
from adapters.slack.parts import SlackParts
from adapters.slack.settings_modal import run_settings
from bot.commands.grammar import Command, ShowSettings, Subscribe, Unsubscribe, command_name
from bot.render.mrkdwn import escape
from bot.wording.commands import not_set_up
from bot.wording.slack import slack_only_as_command


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
