"""Who owns a team: he may set what holds in its channels."""

import asyncio
from typing import Protocol

from adapters.teams.graph import Graph, segment
from adapters.teams.settings import GUID, GraphSettings
from rag_core.errors import Unavailable

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
