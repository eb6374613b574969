"""Guests, people of other organisations and shared chats: who is answered in Teams."""

import asyncio
import time
from collections.abc import Callable, Sequence

from adapters.teams.addresses import MESSAGE, TeamsAddress, TeamsPlace, TeamsReference, teams_address
from adapters.teams.ports import TeamsDirectory, TeamsMember
from adapters.teams.settings import TeamsSettings
from bot.access.outsiders import Outsiders, asked
from bot.model.cache import Expiring
from bot.model.messages import InboundQuestion
from bot.model.outcomes import Admitted
from rag_core.errors import Unavailable

SECONDS = 2.0
"""How long Teams is waited for."""

MOST_LISTED = 500
"""People of a chat or channel; of larger ones it is not known who reads, and GraphDirectory does not look either."""

_KEPT_SECONDS = 300.0


class TeamsAdmission:
    """`adapters.teams.parts.Admits` on Teams' word, and the `bot.model.outcomes.Admission` of questions from Teams.

    Who is where is believed for `keep_seconds`.
    """

    def __init__(
        self,
        directory: TeamsDirectory,
        settings: TeamsSettings,
        *,
        keep_seconds: float = _KEPT_SECONDS,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory = directory
        self._settings = settings
        self._seconds = seconds
        self._outsiders = Outsiders(external=settings.external, clock=clock)
        self._rosters: Expiring[tuple[str, str], Sequence[TeamsMember] | None] = Expiring(
            keep_seconds, most=1_000, clock=clock
        )
        self._people: Expiring[tuple[str, str, str], TeamsMember | None] = Expiring(keep_seconds, clock=clock)

    async def of(self, question: InboundQuestion) -> Admitted:
        address = question.reply_address
        if address.kind != MESSAGE:
            return Admitted.NOT_TO_GUESTS  # of another platform: nothing is known of who asks
        return await self(teams_address(address))

    async def __call__(self, address: TeamsAddress, *, seconds: float = SECONDS) -> Admitted:
        tenant, person = address.tenant, address.person or address.user
        if not self._settings.allows(tenant):
            return Admitted.NOT_TO_GUESTS  # taken off the list since it was asked
        if address.outside or not address.person:
            return self._outsiders.person(tenant, person)
        patience = min(seconds, self._seconds)
        is_member, is_shared = await asyncio.gather(
            asked(self._is_member(address), patience), asked(self._is_shared(address), patience)
        )
        where = address.conversation.channel
        return self._outsiders.ruled(tenant, where, person, is_member=is_member, is_shared=is_shared)

    async def aclose(self) -> None:
        """Gives up what is being asked for."""
        await self._rosters.aclose()
        await self._people.aclose()

    async def _is_member(self, address: TeamsAddress) -> bool:
        if address.place is not TeamsPlace.PERSONAL:
            listed = await self._roster(address.reference) or ()
            if found := next((each for each in listed if address.user == each.user), None):
                return found.is_full(address.tenant)
        key = (address.tenant, _plain(address.reference), address.user)
        member = await self._people.get(key, lambda: self._directory.member(address.reference, address.user))
        return member is not None and member.is_full(address.tenant)

    async def _is_shared(self, address: TeamsAddress) -> bool:
        if address.place is TeamsPlace.PERSONAL:
            return False
        listed = await self._roster(address.reference)
        if listed is None:
            raise Unavailable("teams_too_many_people", most=MOST_LISTED)
        return any(_is_elsewhere(each, address.tenant) for each in listed)

    async def _roster(self, place: TeamsReference) -> Sequence[TeamsMember] | None:
        key = (place.tenant, _plain(place))
        return await self._rosters.get(key, lambda: self._directory.members(place, MOST_LISTED))


def _is_elsewhere(member: TeamsMember, tenant: str) -> bool:
    """Of another organisation, or of none. Guests are not: they were let into this one."""
    if member.role.lower() == "guest":
        return False
    return not member.is_full(tenant)


def _plain(place: TeamsReference) -> str:
    return place.conversation.partition(";")[0]
