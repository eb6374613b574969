"""Commands that are no questions, typed as messages: who does what they ask for."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from adapters.teams.activities import TeamsActivity
from adapters.teams.gate import refused
from adapters.teams.parts import TeamsParts
from adapters.teams.ports import Activity
from adapters.teams.telling import said
from bot.commands import Command, command_name
from bot.wording_chat import not_set_up


@dataclass(frozen=True, slots=True)
class CommandCall:
    """`activity`: the message that it was typed in, which says who and where (`activity.address`)."""

    command: Command
    activity: TeamsActivity


CommandRun = Callable[[TeamsParts, CommandCall], Awaitable[Activity | None]]
"""Does it, within a few seconds, and gives what is posted where it was typed, which everybody there reads; None for
nothing. It comes once for one message, except where the first time failed. Raises Unavailable, Rejected."""

COMMAND_RUNS: Mapping[type[Command], CommandRun] = {}


async def run_command(
    parts: TeamsParts, call: CommandCall, runs: Mapping[type[Command], CommandRun] | None = None
) -> Activity | None:
    """What is told. Whoever may not is told so, and nothing is done. Raises as CommandRun."""
    run = (COMMAND_RUNS if runs is None else runs).get(type(call.command))
    if run is None:
        return said(not_set_up(command_name(call.command)))
    if sentence := await refused(parts, call.activity.address):
        return said(sentence)
    return await run(parts, call)
