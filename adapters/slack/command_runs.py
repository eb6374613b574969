"""Commands that are no questions: who does what they ask for."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from adapters.slack.parts import SlackParts
from bot.commands import Command, ShowSettings, Subscribe, Unsubscribe
from bot.wording_slack import slack_not_set_up


@dataclass(frozen=True, slots=True)
class CommandCall:
    """Who asked for it, and where. `thread` "" outside of threads. `trigger_id` opens a modal within 3 s,
    `response_url` answers for 30 minutes; a message has neither."""

    command: Command
    team: str
    channel: str
    user: str
    enterprise: str = ""
    thread: str = ""
    trigger_id: str = ""
    response_url: str = ""


CommandRun = Callable[[SlackParts, CommandCall], Awaitable[str]]
"""Does it, within a second or two, and gives what whoever asked for it is told (mrkdwn), "" for nothing.

It may come twice for one message. Raises Unavailable, Rejected.
"""

COMMAND_RUNS: Mapping[type[Command], CommandRun] = {}
"""Subscribe, Unsubscribe and ShowSettings -> who does it."""

_NAMES: Mapping[type[Command], str] = {
    Subscribe: "subscribe",
    Unsubscribe: "unsubscribe",
    ShowSettings: "settings",
}


async def run_command(
    parts: SlackParts, call: CommandCall, runs: Mapping[type[Command], CommandRun] | None = None
) -> str:
    """What whoever asked is told. Raises as CommandRun."""
    run = (COMMAND_RUNS if runs is None else runs).get(type(call.command))
    if run is None:
        return slack_not_set_up(command_name(call.command))
    return await run(parts, call)


def command_name(command: Command) -> str:
    """As it is typed."""
    return _NAMES[type(command)]
