"""Groups of Entra ID and owners of teams, read with Microsoft Graph; cached."""

import asyncio
import re
from collections.abc import Iterable
from typing import Protocol

from adapters.teams.client import Json
from adapters.teams.graph import Graph, segment
from adapters.teams.settings import GUID, GraphSettings
from bot.model.messages import Actor, Conversation
from rag_core.errors import Unavailable

MOST_READERS = 500
MOST_MEMBERS = 10_000
"""Of a group with more than these, no reader counts as a member: it would be read for minutes."""

_IDS_AT_ONCE = 20  # Graph: checkMemberGroups takes no more
_PAGE = "999"
_MEMBER = re.compile(rf"entra:([\w.-]+)/({GUID.pattern})")
_CHAT = re.compile(r"19:[^/;]+@(?:thread\.v2|unq\.gbl\.spaces)")
_CHANNEL = re.compile(rf"({GUID.pattern})/(19:[^/;]+@thread\.(?:tacv2|skype))")
"""A channel's id does not tell its team, which Graph asks for: `TEAM/19:...@thread.tacv2`."""

_PERSON = "#microsoft.graph.aadUserConversationMember"


class GraphDirectory:
    """A `bot.ports.Directory` of the allowed tenants. Actors are ("teams", tenant, object id of the user); members are
    `entra:TENANT/GROUP`, with the groups inside a group.

    App permissions: GroupMember.Read.All, User.Read.All; for shared conversations ChatMember.Read.All,
    ChannelMember.Read.All and Team.ReadBasic.All. No guest belongs to anything. Of a public team it is not known who
    reads, because anybody may join.
    """

    def __init__(self, graph: Graph, settings: GraphSettings) -> None:
        self._graph = graph
        self._settings = settings

    @property
    def kind(self) -> str:
        return "entra"

    async def of_person(self, actor: Actor, members: frozenset[str]) -> frozenset[str]:
        mine = self._of_tenant(actor.workspace, members)
        if not mine or GUID.fullmatch(actor.person) is None or not await self._is_full(actor.workspace, actor.person):
            return frozenset()
        groups = sorted({_group(each) for each in mine})
        path = f"users/{actor.person}/checkMemberGroups"
        batches = [groups[at : at + _IDS_AT_ONCE] for at in range(0, len(groups), _IDS_AT_ONCE)]
        answers = await asyncio.gather(
            *(self._graph.post(actor.workspace, path, {"groupIds": each}) for each in batches)
        )
        held = {str(each).lower() for answer in answers if answer is not None for each in _ids_in(answer)}
        return frozenset(each for each in mine if _group(each) in held)

    async def of_each_reader(
        self, conversation: Conversation, members: frozenset[str]
    ) -> frozenset[frozenset[str]] | None:
        mine = self._of_tenant(conversation.workspace, members)
        listed = await self._listed(conversation) if mine else None
        if not listed:
            return None
        readers = [_full_member(each, conversation.workspace) for each in listed]
        people = await self._people(conversation.workspace, mine)
        return frozenset(
            frozenset(each for each in mine if reader is not None and reader in people[each]) for reader in readers
        )

    async def empty(self, members: frozenset[str]) -> frozenset[str]:
        nobody = set(members)
        for tenant in sorted({_tenant(each) for each in members if self._settings.knows(_tenant(each))}):
            people = await self._people(tenant, self._of_tenant(tenant, members))
            nobody -= {member for member, found in people.items() if found}
        return frozenset(nobody)

    def _of_tenant(self, tenant: str, members: Iterable[str]) -> frozenset[str]:
        """Those of a tenant that is allowed."""
        if not self._settings.knows(tenant):
            return frozenset()
        return frozenset(each for each in members if _tenant(each) == tenant.lower())

    async def _is_full(self, tenant: str, person: str) -> bool:
        """Somebody who works there: no guest, and nobody who left."""
        user = await self._graph.get(tenant, f"users/{person}", **{"$select": "id,userType,accountEnabled"})
        return user is not None and user.get("userType") == "Member" and user.get("accountEnabled") is True

    async def _people(self, tenant: str, members: Iterable[str]) -> dict[str, frozenset[str]]:
        ids = sorted(members)
        found = await asyncio.gather(*(self._people_of(tenant, _group(each)) for each in ids))
        return dict(zip(ids, found, strict=True))

    async def _people_of(self, tenant: str, group: str) -> frozenset[str]:
        """Everybody in a group and the groups inside it; nobody where there is none, or too many."""
        path, query = f"groups/{group}/transitiveMembers", {"$select": "id", "$top": _PAGE}
        found = await self._graph.listed(tenant, path, MOST_MEMBERS, **query) or ()
        return frozenset(str(each.get("id", "")).lower() for each in found)

    async def _listed(self, conversation: Conversation) -> tuple[Json, ...] | None:
        """Those who can read a chat or a channel; None where the id does not tell, or anybody could."""
        tenant, where = conversation.workspace, conversation.channel.partition(";")[0]
        if _CHAT.fullmatch(where):
            return await self._graph.listed(tenant, f"chats/{segment(where)}/members", MOST_READERS)
        channel = _CHANNEL.fullmatch(where)
        if channel is None or not await self._is_closed(tenant, channel[1]):
            return None
        path = f"teams/{channel[1]}/channels/{segment(channel[2])}/allMembers"
        return await self._graph.listed(tenant, path, MOST_READERS)

    async def _is_closed(self, tenant: str, team: str) -> bool:
        found = await self._graph.get(tenant, f"teams/{team}", **{"$select": "id,visibility"})
        return found is not None and str(found.get("visibility", "")).lower() in ("private", "hiddenmembership")


def _ids_in(answer: Json) -> list[object]:
    """Raises Unavailable where there is no list: that somebody belongs to nothing has to be said."""
    found = answer.get("value")
    if not isinstance(found, list):
        raise Unavailable("directory_refused", directory="entra", error="unreadable")
    return found


def _full_member(member: Json, tenant: str) -> str | None:
    """The object id of somebody of the tenant itself; None for a guest, another tenant's, an anonymous one."""
    roles, person = member.get("roles"), str(member.get("userId", ""))
    is_ours = str(member.get("tenantId", "")).lower() == tenant.lower() and member.get("@odata.type") == _PERSON
    is_guest = not isinstance(roles, list) or "guest" in [str(each).lower() for each in roles]
    return person.lower() if is_ours and not is_guest and GUID.fullmatch(person) else None


def _tenant(member: str) -> str:
    match = _MEMBER.fullmatch(member)
    return match[1].lower() if match else ""


def _group(member: str) -> str:
    match = _MEMBER.fullmatch(member)
    return match[2].lower() if match else ""


MOST_OWNERS = 500
"""Teams allows 100."""

SECONDS = 2.5
"""Who asks waits for a form, which Teams gives 5 s in all."""


class TeamOwners(Protocol):
    async def owns(self, tenant: str, team_group_id: str, person: str) -> bool | None:
        """`team_group_id`: the team's group in Entra; `person`: an object id. None: not known, so nobody may act on it.
        Never raises, never waits long."""
        ...


class GraphTeamOwners:
    """`TeamOwners` by Microsoft Graph. App permission: GroupMember.Read.All."""

    def __init__(self, graph: Graph, settings: GraphSettings, seconds: float = SECONDS) -> None:
        self._graph = graph
        self._settings = settings
        self._seconds = seconds

    async def owns(self, tenant: str, team_group_id: str, person: str) -> bool | None:
        are_ids = GUID.fullmatch(team_group_id) is not None and GUID.fullmatch(person) is not None
        if not are_ids or not self._settings.knows(tenant):
            return None
        path = f"groups/{segment(team_group_id)}/owners"
        try:
            async with asyncio.timeout(self._seconds):
                found = await self._graph.listed(tenant, path, MOST_OWNERS, **{"$select": "id", "$top": "100"})
        except (Unavailable, TimeoutError):
            return None
        if found is None:
            return None
        return person.lower() in {str(each.get("id", "")).lower() for each in found}
