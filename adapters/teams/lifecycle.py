"""Where the bot is put, and where it is removed: what is remembered of a conversation, and that all of it goes."""

from collections.abc import Mapping
from typing import Any

from adapters.teams.actions.telling import as_untold, is_first_time, tell_there
from adapters.teams.addresses import PLATFORM, TeamsPlace, channel_of
from adapters.teams.conversations import known_of
from adapters.teams.listening import InvokeReply, Listeners
from adapters.teams.messages import TeamsActivity
from adapters.teams.parts import TeamsParts
from bot.render.teams.welcome import welcome

_NEW_CHANNELS = ("channelCreated", "channelRestored", "channelRenamed")
_TEAM_GONE = ("teamDeleted", "teamHardDeleted")


async def take_installation(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply | None:
    """Raises Unavailable; Teams tells it again."""
    match activity.raw.get("action"):
        case "add":
            await _put_there(parts, activity)
        case "add-upgrade":
            await _remember(parts, activity)
        case "remove":  # of an upgrade "remove-upgrade" comes: nothing is forgotten by that
            await _removed(parts, activity)
    return None


async def take_conversation_update(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply | None:
    """The two kinds of events come in any order, twice, and late: each does all that is to be done. Raises Unavailable;
    Teams tells it again."""
    if _is_among(activity.raw.get("membersRemoved"), activity.bot):
        await _removed(parts, activity)
    elif _is_among(activity.raw.get("membersAdded"), activity.bot):
        await _put_there(parts, activity)
    elif activity.event in _NEW_CHANNELS:
        await _remember(parts, activity, channel=_channel(activity))
    elif activity.event == "channelDeleted":
        await _forget(parts, activity, (_named(activity, _channel(activity)),))
    elif activity.event in _TEAM_GONE:
        await _removed(parts, activity)
    return None


async def _put_there(parts: TeamsParts, activity: TeamsActivity) -> None:
    person = "" if activity.outside else activity.sender.person
    await _remember(parts, activity, installed_by=person)
    if await is_first_time(parts, _welcomed(activity.tenant, activity.channel)):
        parts.background.start(_welcome(parts, activity), "teams welcome")


async def _remember(parts: TeamsParts, activity: TeamsActivity, *, channel: str = "", installed_by: str = "") -> None:
    if parts.known is not None and activity.bot:
        await parts.known.save(known_of(activity, parts.clock(), channel=channel, installed_by=installed_by))


async def _welcome(parts: TeamsParts, activity: TeamsActivity) -> None:
    alone = activity.place is TeamsPlace.PERSONAL
    bot: Any = activity.raw.get("recipient")
    name = str(bot.get("name") or "") if isinstance(bot, Mapping) else ""
    await tell_there(parts, activity.reference, welcome(await parts.starters(), alone=alone, name=name))


async def _removed(parts: TeamsParts, activity: TeamsActivity) -> None:
    """From a team: from all of its channels."""
    team = activity.team_thread
    if activity.place is not TeamsPlace.CHANNEL and not team:
        await _forget(parts, activity, (activity.channel,))
        return
    known: tuple[str, ...] = ()
    if parts.channels_of is not None and team:
        known = await parts.channels_of.of_team(PLATFORM, activity.tenant, team)
    await _forget(parts, activity, (*known, _named(activity, team), activity.channel))


async def _forget(parts: TeamsParts, activity: TeamsActivity, channels: tuple[str, ...]) -> None:
    """What is kept for a channel goes first: as long as it is known, it is found again."""
    for channel in dict.fromkeys(each for each in channels if each):
        for forget in parts.forget:
            await forget(activity.tenant, channel)
        if parts.known is not None:
            await parts.known.remove(PLATFORM, activity.tenant, channel)
        await as_untold(parts, _welcomed(activity.tenant, channel))


def _welcomed(tenant: str, channel: str) -> str:
    return f"welcome:{tenant}:{channel}"


def _named(activity: TeamsActivity, channel: str) -> str:
    return channel_of(channel, activity.team) if channel else ""


def _channel(activity: TeamsActivity) -> str:
    """The `19:` id of the channel that an event tells of."""
    found = activity.channel_data.get("channel")
    id_ = found.get("id") if isinstance(found, Mapping) else None
    return id_ if isinstance(id_, str) else ""


def _is_among(people: object, user: str) -> bool:
    listed = people if isinstance(people, list) else []
    return bool(user) and any(isinstance(each, Mapping) and each.get("id") == user for each in listed)


LISTENERS: Listeners = {"installationUpdate": take_installation, "conversationUpdate": take_conversation_update}
