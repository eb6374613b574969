"""Conversations in which the bot may speak by itself."""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from adapters.teams.addresses import PLATFORM, TeamsPlace, TeamsReference, channel_of, conversation_of
from adapters.teams.messages import TeamsActivity
from adapters.teams.parts import TeamsParts
from bot.model.channels import KnownConversation, KnownConversations
from bot.model.visible import one_line, shorten
from rag_core.errors import Rejected, Unavailable

_LOOK_SECONDS = 0.5
_LONGEST_NAME = 120
_FIELDS = ("service_url", "tenant", "conversation", "bot")


def known_of(activity: TeamsActivity, at: datetime, *, channel: str = "", installed_by: str = "") -> KnownConversation:
    """`channel`: the `19:` id of another channel of the same team that it tells of. What belongs to a team is found by
    the team's `19:` id, which every activity has; its group id some lack. Nobody is written to by the object id of
    another organisation: the same may be somebody's here."""
    where = channel or activity.conversation_id.partition(";")[0]
    reference = TeamsReference(activity.service_url, activity.tenant, where, activity.bot)
    is_personal = activity.place is TeamsPlace.PERSONAL
    return KnownConversation(
        platform=PLATFORM,
        workspace=activity.tenant,
        channel=channel_of(where, activity.team),
        team=activity.team_thread,
        person=activity.sender.person if is_personal and not activity.outside else "",
        seen_at=at,
        installed_by=installed_by,
        reference=asdict(reference),
        name="" if is_personal else _name(activity, where),
    )


def _name(activity: TeamsActivity, where: str) -> str:
    """As people know it, where the activity says: a channel's begins with its team's. That of a team's first channel
    is the team's."""
    team, channel = (_object(activity.channel_data, name) for name in ("team", "channel"))
    own = _text(channel) if channel.get("id") == where else ""
    named = [_text(team), own] if activity.place is TeamsPlace.CHANNEL else []
    return " › ".join(filter(None, named)) or _text(_object(activity.raw, "conversation"))


def _object(of: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = of.get(name)
    return found if isinstance(found, Mapping) else {}


def _text(named: Mapping[str, Any]) -> str:
    name = named.get("name")
    return shorten(one_line(name), _LONGEST_NAME) if isinstance(name, str) else ""


def reference_of(known: KnownConversation) -> TeamsReference:
    """Raises Rejected("teams_channel_closed") for what no version wrote: nobody can be reached by it."""
    found = {name: known.reference.get(name, "") for name in _FIELDS}
    if not all(found.values()):
        raise Rejected("teams_channel_closed")
    return TeamsReference(**found)


async def with_team(parts: TeamsParts, activity: TeamsActivity) -> TeamsActivity:
    """With the group id of its team, which not every activity of a channel says: from what is known of that team since
    the app was put there. As it is, where nobody knows; then nothing restricted is shown there."""
    if activity.team or not activity.team_thread or parts.channels_of is None:
        return activity
    try:
        async with asyncio.timeout(_LOOK_SECONDS):
            found = await parts.channels_of.of_team(PLATFORM, activity.tenant, activity.team_thread)
    except (Unavailable, TimeoutError):
        return activity
    team = next((each.partition("/")[0] for each in found if "/" in each), "")
    return replace(activity, team=team) if team else activity


async def refresh(parts: TeamsParts, activity: TeamsActivity) -> None:
    """Once an hour for each conversation, and at once where Teams is reached at another address. Raises Unavailable;
    then the next message does it."""
    if parts.known is None or not activity.bot:
        return
    now = parts.clock()
    told = f"{activity.tenant}:{activity.channel}:{activity.service_url}:{now:%Y%m%d%H}"
    key = f"teams-known:{hashlib.sha256(told.encode()).hexdigest()}"
    if parts.claims is not None and not await parts.claims.claim(key):
        return
    try:
        await parts.known.save(known_of(activity, now))
    except Unavailable:
        if parts.claims is not None:
            await parts.claims.release(key)
        raise


async def reference_in(known: KnownConversations, tenant: str, channel: str, thread: str = "") -> TeamsReference | None:
    """None where the bot is not, as far as is known. Raises Unavailable."""
    found = await known.of_channel(PLATFORM, tenant, channel) if channel else None
    if found is None:
        return None
    to = reference_of(found)
    return replace(to, conversation=conversation_of(channel_in(to), thread))


def channel_in(to: TeamsReference) -> str:
    """The conversation without its thread."""
    return to.conversation.partition(";")[0]


_MARK = "unnamed:"


def message_id(told: str, of: str) -> str:
    """How a message is written down, by the id that Teams told, "" for none. `of`: what it is about."""
    return told or f"{_MARK}{of}"


def is_unnamed(message: str) -> bool:
    return not message or message.startswith(_MARK)
