"""How commands that are no questions are called."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from adapters.teams.messages import TeamsActivity
from adapters.teams.parts import TeamsParts
from adapters.teams.ports import Activity
from bot.commands.grammar import Command


@dataclass(frozen=True, slots=True)
class CommandCall:
    """`activity`: the message that it was typed in, which says who and where (`activity.address`)."""

    command: Command
    activity: TeamsActivity


CommandRun = Callable[[TeamsParts, CommandCall], Awaitable[Activity | None]]
"""Does it, within a few seconds, and gives what is posted where it was typed, which everybody there reads; None for
nothing. It comes once for one message, except where the first time failed. Raises Unavailable, Rejected."""
