"""Nothing is written where the operator does not allow the tenant (any more)."""

from adapters.teams.addresses import TeamsReference
from adapters.teams.ports import Activity, TeamsOutbound
from adapters.teams.settings import TeamsSettings
from rag_core.errors import Rejected

NOT_ALLOWED = "teams_tenant_not_allowed"


class AllowedOutbound:
    """A `TeamsOutbound` for the tenants of the settings alone: questions, notices and conversations that were kept may
    be of one that was taken off the list since.

    Raises Rejected("teams_tenant_not_allowed"), beside what the other one raises. What was kept stays: put on the list
    again, the tenant is spoken to as before.
    """

    def __init__(self, outbound: TeamsOutbound, settings: TeamsSettings) -> None:
        self._outbound = outbound
        self._settings = settings

    async def send(self, to: TeamsReference, activity: Activity, *, once: bool = False) -> str:
        self._check(to)
        return await self._outbound.send(to, activity, once=once)

    async def update(self, to: TeamsReference, activity_id: str, activity: Activity) -> None:
        self._check(to)
        await self._outbound.update(to, activity_id, activity)

    async def delete(self, to: TeamsReference, activity_id: str) -> None:
        self._check(to)
        await self._outbound.delete(to, activity_id)

    async def typing(self, to: TeamsReference) -> None:
        self._check(to)
        await self._outbound.typing(to)

    async def resume(self, to: TeamsReference, person: str) -> TeamsReference:
        self._check(to)
        return await self._outbound.resume(to, person)

    def _check(self, to: TeamsReference) -> None:
        if not self._settings.allows(to.tenant):
            raise Rejected(NOT_ALLOWED)
