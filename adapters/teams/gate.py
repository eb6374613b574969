"""Who may click, send a form or run a command: asked before anything is done, kept or shown, by the one external rule.

Who is refused hears why, and nothing else happens. What Teams does not say in time is unknown, and that is the rule's
to decide (`adapters.teams.access`): it shows public documents only.
"""

from adapters.teams.addresses import TeamsAddress
from adapters.teams.parts import TeamsParts
from bot.model.outcomes import Admitted

GATE_SECONDS = 1.0
"""Of the time in which an invoke must be answered. What is shown later is asked for again, with more time."""


async def admitted(parts: TeamsParts, address: TeamsAddress) -> Admitted:
    """The rule's word on who asks there. Never an error."""
    return await parts.admits(address, seconds=GATE_SECONDS)
