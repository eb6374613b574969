"""Who may click, send a form or run a command: asked before anything is done, kept or shown, by the one external rule.

Who is refused hears why, alone, and nothing else happens. What Slack does not say in time is unknown, and that is the
rule's to decide (`adapters.slack.access`): it shows public documents only.
"""

from adapters.slack.parts import SlackParts
from bot.model.outcomes import Admitted
from bot.wording import why_not

GATE_SECONDS = 0.6
"""Of the 3 s in which Slack must hear. What is shown later is asked for again, with more time."""


async def admitted(
    parts: SlackParts,
    team: str,
    channel: str,
    user: str,
    *,
    enterprise: str = "",
    outside: str = "",
    seconds: float | None = None,
) -> Admitted:
    """The rule's word on `user` in `channel`, "" for a place that only he sees, said within `seconds`, by default
    GATE_SECONDS. Never an error. Everybody may where nothing is known of channels, which no server is like."""
    if parts.channels is None:
        return Admitted.ALLOWED
    admits, seconds = parts.channels.admits, GATE_SECONDS if seconds is None else seconds
    return await admits(team, channel, user, enterprise=enterprise, outside=outside, seconds=seconds)


async def refused(
    parts: SlackParts,
    team: str,
    channel: str,
    user: str,
    *,
    enterprise: str = "",
    outside: str = "",
    seconds: float | None = None,
) -> str:
    """`why_not` of `admitted`."""
    found = await admitted(parts, team, channel, user, enterprise=enterprise, outside=outside, seconds=seconds)
    return why_not(found)
