"""Who may change what holds in a conversation, and whom "Ask a person" may reach.

Of a channel: owners of its team, by Microsoft Graph; where that is not configured or does not answer, whoever installed
the app there; where that is not known either, nobody. Of a group chat its members, of a personal chat the person: both
by Teams' word that they are there. Always full members of the tenant; all others may look.

`escalate_to` is the id of a conversation, never of a person: `TEAM/19:...` of a channel, `a:...` of somebody's own with
the bot. So nothing that is set names anybody, and what is not known any more reaches nobody.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import parse_qs, quote, unquote, urlsplit

from adapters.teams.addresses import PLATFORM, TeamsPlace, TeamsReference, channel_of, conversation_of
from adapters.teams.conversations import reference_in
from adapters.teams.messages import TeamsActivity
from adapters.teams.parts import TeamsParts, TeamsPeople
from adapters.teams.ports import TeamsMember
from adapters.teams.settings import GUID
from bot.wording import teams as own
from rag_core.errors import Rejected

MOST_LISTED = 200
"""People that a form offers."""

_MOST_READERS = 2_000
_CHANNEL = re.compile(r"19:[^/;?#\s]{1,200}@thread\.(?:tacv2|skype)")
_LINK = "https://teams.microsoft.com/l/channel/"


async def may_change(parts: TeamsParts, people: TeamsPeople, activity: TeamsActivity) -> bool:
    """Of somebody whom the gate let through as a full member. Raises Unavailable."""
    person = activity.sender.person
    if not person:
        return False
    if activity.place is not TeamsPlace.CHANNEL:
        return True
    owns = await people.owners.owns(activity.tenant, activity.team, person)
    return await _installed(parts, activity, person) if owns is None else owns


async def _installed(parts: TeamsParts, activity: TeamsActivity, person: str) -> bool:
    """In this channel, or in its team: the first channel of which stands for it."""
    if parts.known is None:
        return False
    for channel in (activity.channel, channel_of(activity.team_thread, activity.team)):
        found = await parts.known.of_channel(PLATFORM, activity.tenant, channel)
        if found is not None and found.installed_by:
            return found.installed_by == person
    return False


async def people_here(parts: TeamsParts, activity: TeamsActivity) -> Sequence[TeamsMember] | None:
    """Full members who can be asked; None where they are too many to be listed, or Teams does not list them."""
    try:
        found = await parts.directory.members(activity.reference, MOST_LISTED)
    except Rejected:
        return None
    if found is None:
        return None
    return sorted((each for each in found if each.is_full(activity.tenant)), key=lambda each: each.name.casefold())


def channel_from(text: str, tenant: str) -> str:
    """What was given as a channel: the link that Teams copies, or an id as `channel_link` was made of. "" for neither,
    and for another organisation's."""
    given = text.strip()
    try:
        url = urlsplit(given)
        asked = parse_qs(url.query)
    except ValueError:
        return ""
    if (asked.get("tenantId") or [tenant])[0].lower() != tenant.lower():
        return ""
    team = (asked.get("groupId") or [given.partition("/")[0]])[0].lower()
    found = _CHANNEL.search(unquote(given))
    return channel_of(found[0], team) if found and GUID.fullmatch(team) else ""


def channel_link(channel: str, tenant: str) -> str:
    """As people copy it in Teams."""
    team, _, thread = channel.rpartition("/")
    return f"{_LINK}{quote(thread, safe='')}/?groupId={team}&tenantId={tenant}" if team else ""


async def channel_reached(parts: TeamsParts, activity: TeamsActivity, channel: str) -> TeamsReference | str:
    """How the bot speaks there; else why people cannot be asked there. Somebody who is not in a channel learns nothing
    of it. Raises Unavailable."""
    known = await reference_in(parts.known, activity.tenant, channel) if parts.known else None
    if known is None and channel.rpartition("/")[0] != activity.team:
        return own.NOT_THERE
    to = known or replace(activity.reference, conversation=conversation_of(channel))
    try:
        mine = await parts.directory.member(to, activity.sender.user)
        readers = await parts.directory.members(to, _MOST_READERS) if mine is not None else ()
    except Rejected:
        return own.NOT_THERE
    if mine is None or not mine.is_full(activity.tenant):
        return own.NOT_THERE
    return own.NOT_OUTSIDE if any(_is_elsewhere(each, activity.tenant) for each in readers or ()) else to


async def person_reached(parts: TeamsParts, activity: TeamsActivity, person: str) -> TeamsReference | str:
    """Somebody's own conversation with the bot, opened if need be; else why he cannot be asked. Raises Unavailable."""
    try:
        member = await parts.directory.member(activity.reference, person)
    except Rejected:
        member = None
    if member is None or member.person != person or not member.is_full(activity.tenant):
        return own.NO_SUCH_PERSON
    try:
        return await parts.outbound.resume(activity.reference, person)
    except Rejected:
        return own.NOT_REACHED


def _is_elsewhere(member: TeamsMember, tenant: str) -> bool:
    """Of another organisation: guests of this one read what its members read."""
    return member.role.lower() != "guest" and not member.is_full(tenant)
