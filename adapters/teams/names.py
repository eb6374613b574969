"""What people are called: asked of Teams at the moment at which a message is sent, and kept nowhere."""

import asyncio
from collections.abc import Mapping

from adapters.teams.people_parts import Names
from adapters.teams.ports import TeamsDirectory
from adapters.teams.reached import reference_in
from bot.model.channels import KnownConversations
from bot.render.teams.people import PERSON
from bot.render.teams.text import shortened
from bot.wording.teams import somebody
from rag_core.errors import Rejected, Unavailable

SECONDS = 1.0
_LONGEST = 80


class NamesInTeams:
    """`Names` by the connector."""

    def __init__(self, directory: TeamsDirectory, known: KnownConversations) -> None:
        self._directory = directory
        self._known = known

    async def of(self, tenant: str, person: str, channel: str) -> str:
        try:
            async with asyncio.timeout(SECONDS):
                to = await reference_in(self._known, tenant, channel)
                member = await self._directory.member(to, person) if to is not None and person else None
        except (Unavailable, Rejected, TimeoutError):
            return ""
        return member.name if member is not None else ""


async def named(message: Mapping[str, object], names: Names, tenant: str) -> dict[str, object]:
    """`message` with names in the places of the people in it (`bot.render.teams.people.person`), escaped."""
    wanted = sorted(_people(message))
    found = await asyncio.gather(*(names.of(tenant, *each) for each in wanted))
    shown = {each: shortened(name, _LONGEST) or somebody() for each, name in zip(wanted, found, strict=True)}
    return {key: _with(value, shown) for key, value in message.items()}


async def name_of(names: Names, tenant: str, person: str, channel: str) -> str:
    """For a sentence: never empty."""
    return await names.of(tenant, person, channel) or somebody()


def _people(value: object) -> set[tuple[str, str]]:
    if isinstance(value, str):
        return {(each[1], each[2]) for each in PERSON.finditer(value)}
    if isinstance(value, Mapping):
        return set().union(*map(_people, value.values()))
    return set().union(*map(_people, value)) if isinstance(value, list | tuple) else set()


def _with(value: object, shown: Mapping[tuple[str, str], str]) -> object:
    if isinstance(value, str):
        return PERSON.sub(lambda each: shown[each[1], each[2]], value)
    if isinstance(value, Mapping):
        return {key: _with(each, shown) for key, each in value.items()}
    return [_with(each, shown) for each in value] if isinstance(value, list | tuple) else value
