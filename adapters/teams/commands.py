"""Commands that are no questions, typed as messages."""

from collections.abc import Mapping

from adapters.teams.actions.settings_dialog import run_settings
from adapters.teams.actions.subscribing import run_subscribe, run_unsubscribe
from adapters.teams.actions.telling import said
from adapters.teams.command_calls import CommandCall, CommandRun
from adapters.teams.gate import admitted
from adapters.teams.parts import TeamsParts
from adapters.teams.ports import Activity
from bot.commands.grammar import Command, ShowSettings, Subscribe, Unsubscribe, command_name
from bot.model.outcomes import Admitted
from bot.wording import why_not
from bot.wording.commands import not_set_up
from bot.wording.teams import NOT_FOR_GUESTS

COMMAND_RUNS: Mapping[type[Command], CommandRun] = {
    Subscribe: run_subscribe,
    Unsubscribe: run_unsubscribe,
    ShowSettings: run_settings,
}

_FOR_MEMBERS = (Subscribe, Unsubscribe)
"""What changes what everybody there is told."""


async def run_command(
    parts: TeamsParts, call: CommandCall, runs: Mapping[type[Command], CommandRun] | None = None
) -> Activity | None:
    """What is told. Whoever may not is told so, and nothing is done. Raises as CommandRun."""
    run = (COMMAND_RUNS if runs is None else runs).get(type(call.command))
    if run is None:
        return said(not_set_up(command_name(call.command)))
    may = await admitted(parts, call.activity.address)
    if may.is_refused:
        return said(why_not(may))
    if may is not Admitted.ALLOWED and isinstance(call.command, _FOR_MEMBERS):
        return said(NOT_FOR_GUESTS)
    return await run(parts, call)
