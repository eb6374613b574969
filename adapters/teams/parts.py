"""Parts of the Teams app as its listeners hold them."""

import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from adapters.teams.addresses import TeamsAddress
from adapters.teams.directory import TeamOwners
from adapters.teams.ports import TeamsDirectory, TeamsInbound, TeamsOutbound
from adapters.teams.settings import TeamsSettings
from bot.access.signing import Signing
from bot.alerts.subscribing import SubscriptionCommands
from bot.answers.seen import AnswerPorts
from bot.commands.search import PublicSearch
from bot.model.channels import ChannelSettings, ChannelsOfTeams, KnownConversations, SharedPlaces
from bot.model.outcomes import Admitted
from bot.model.posted import PostedAt
from bot.model.subscriptions import Subscriptions
from bot.model.tasks import Background
from bot.people.answers import PeoplePorts
from bot.ports import Claims, Withdrawals
from bot.questions.inbox import Accept
from bot.questions.threads import ThreadsWithBot
from rag_core.documents import PolicySource


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


Withdraw = Callable[[TeamsAddress], Awaitable[bool]]
"""The address of a message that was deleted (`asked_in`): removes the answer to it unless others go on with it; whether
it did. To be started as a task: it waits for an answer that is on its way. Raises as TeamsOutbound."""
Forget = Callable[[str, str], Awaitable[object]]
"""Where the app was removed, by tenant and channel (as `channel_of` names it): forgets subscriptions, settings and
whatever else was kept for it. Done again it changes nothing. Raises Unavailable."""
Starters = Callable[[], Awaitable[Sequence[str]]]
"""First questions that everybody may ask; none while they cannot be found. It never raises."""
"""Keeps a question for good before it returns; False if it is known already. Raises Unavailable."""


class Admits(Protocol):
    """Whether who is named in `address` is answered there. Never an error, and never longer than `seconds`."""

    async def __call__(self, address: TeamsAddress, *, seconds: float) -> Admitted: ...


async def everybody(address: TeamsAddress, *, seconds: float = 0.0) -> Admitted:
    """For tests of other things."""
    return Admitted.ALLOWED


def utc_now() -> datetime:
    return datetime.now(UTC)


def new_question_id() -> str:
    return str(uuid.uuid4())


async def nothing_to_withdraw(address: TeamsAddress) -> bool:
    return False


async def no_starters() -> Sequence[str]:
    return ()


async def no_sources() -> Sequence[PolicySource]:
    return ()


@dataclass(frozen=True, slots=True)
class TeamsParts:
    """Nothing in it is closed by the app. `sources`: the platforms that everybody may know of; it never waits long, and
    never raises. What may be None is missing only in tests of other things."""

    settings: TeamsSettings
    inbound: TeamsInbound
    outbound: TeamsOutbound
    directory: TeamsDirectory
    accept: Accept
    background: Background = field(default_factory=Background)
    clock: Callable[[], datetime] = utc_now
    new_id: Callable[[], str] = new_question_id
    known: KnownConversations | None = None
    answers: AnswerPorts | None = None
    claims: Claims | None = None
    threads: ThreadsWithBot | None = None
    withdrawals: Withdrawals | None = None
    signing: Signing | None = None
    posted_at: PostedAt | None = None
    shared_places: SharedPlaces | None = None
    search: PublicSearch | None = None
    subscriptions: SubscriptionCommands | None = None
    admits: Admits = everybody
    people: TeamsPeople | None = None
    sources: Callable[[], Awaitable[Sequence[PolicySource]]] = no_sources
    channel_settings: ChannelSettings | None = None
    withdraw: Withdraw = nothing_to_withdraw
    starters: Starters = no_starters
    channels_of: ChannelsOfTeams | None = None
    forget: tuple[Forget, ...] = ()
