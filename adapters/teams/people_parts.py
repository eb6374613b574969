"""What listeners need for asking people, settings and subscriptions."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from adapters.teams.team_owners import TeamOwners
from bot.model.channels import ChannelSettings
from bot.model.subscriptions import Subscriptions
from bot.people.answers import PeoplePorts


class Names(Protocol):
    async def of(self, tenant: str, person: str, channel: str) -> str:
        """What somebody is called in a channel in which he and the bot are; "" where that is not known. Never an
        error."""
        ...


@dataclass(frozen=True, slots=True)
class TeamsPeople:
    """`platforms`: those of documents that everybody may see, slug -> name; raises Unavailable."""

    ports: PeoplePorts
    settings: ChannelSettings
    platforms: Callable[[], Awaitable[Mapping[str, str]]]
    subscriptions: Subscriptions
    owners: TeamOwners
    names: Names
