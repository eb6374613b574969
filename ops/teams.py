"""Microsoft Teams, put together: the ports on its SDK, listeners, sinks and what runs beside them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from adapters.sql.posted import SqlPostedMessages
from adapters.teams.addresses import PLATFORM
from adapters.teams.allowed import AllowedOutbound
from adapters.teams.app import teams_routes
from adapters.teams.delivery.sent import GraphSentBefore
from adapters.teams.directory import GraphTeamOwners
from adapters.teams.graph import Graph
from adapters.teams.parts import TeamsParts, TeamsPeople
from adapters.teams.ports import TeamsDirectory, TeamsInbound, TeamsOutbound
from adapters.teams.settings import TeamsSettings
from bot.model.channels import ChannelSettings
from bot.model.notices import NoticeSink
from bot.model.outcomes import Admission
from bot.model.tasks import Background
from bot.ports import ReplyProgress, ReplySink
from bot.questions.inbox import Accept
from bot.questions.threads import ThreadsWithBot
from ops.config import Config
from ops.known_platforms import KnownPlatforms
from ops.parts import ServerParts
from ops.teams_actions import TeamsActions, build_signing, build_teams_actions
from ops.teams_connection import TeamsConnection
from ops.teams_delivery import TeamsDelivery, build_teams_delivery
from ops.teams_people import build_teams_notices, build_teams_people, build_teams_subscriptions
from ops.teams_sdk import app_tokens, graph_settings, open_teams_sdk
from ops.teams_ways import TeamsWays, open_teams_ways


@dataclass(frozen=True, slots=True)
class TeamsPorts:
    """The three ports, open."""

    inbound: TeamsInbound
    outbound: TeamsOutbound
    directory: TeamsDirectory


@dataclass(frozen=True, slots=True)
class TeamsSide:
    """Teams' half of the server, open: a `ops.chats.ChatSide`."""

    parts: ServerParts
    settings: TeamsSettings
    ports: TeamsPorts
    background: Background
    ways: TeamsWays
    delivery: TeamsDelivery
    actions: TeamsActions
    people: TeamsPeople
    channel_settings: ChannelSettings
    notices: NoticeSink

    @property
    def platform(self) -> str:
        return PLATFORM

    @property
    def title(self) -> str:
        return "Microsoft Teams"

    @property
    def sinks(self) -> Mapping[str, ReplySink]:
        return self.delivery.sinks

    @property
    def progresses(self) -> Mapping[str, ReplyProgress]:
        return self.delivery.progresses

    @property
    def admission(self) -> Admission:
        return self.ways.admission

    def listening(self, accept: Accept) -> "TeamsListening":
        claims = self.parts.claims
        parts = TeamsParts(
            self.settings,
            self.ports.inbound,
            self.ports.outbound,
            self.ports.directory,
            accept,
            self.background,
            known=self.ways.known,
            answers=self.actions.answers,
            claims=claims,
            threads=ThreadsWithBot(claims, self.delivery.posted),
            withdrawals=self.parts.inbox,
            signing=self.actions.signing,
            posted_at=self.actions.posted_at,
            shared_places=self.actions.shared_places,
            search=self.actions.search,
            subscriptions=build_teams_subscriptions(self.parts),
            admits=self.ways.admission,
            people=self.people,
            sources=KnownPlatforms(self.parts.answering.store).known,
            channel_settings=self.channel_settings,
            withdraw=self.ways.withdrawing.withdraw,
            starters=self.ways.starters,
            channels_of=self.ways.known,
            forget=self.ways.forget,
        )
        return TeamsListening(parts)


@dataclass(frozen=True, slots=True)
class TeamsListening:
    """Teams' app with its listeners."""

    parts: TeamsParts

    def routes(self) -> Sequence[web.RouteDef]:
        return teams_routes(self.parts)

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """Teams comes by the routes alone."""
        yield


@asynccontextmanager
async def open_teams(
    parts: ServerParts, connection: TeamsConnection, channel_settings: ChannelSettings
) -> AsyncIterator[TeamsSide]:
    """Raises Misconfigured where Teams' own requirements are not installed."""
    ports = open_ports(connection)
    settings, background, signing = connection.settings, Background(), build_signing(parts.config)
    graph, owners = _graph(parts.config, connection)
    posted = SqlPostedMessages(parts.answering.engine)
    async with open_teams_ways(
        parts, settings, ports.outbound, ports.directory, posted, channel_settings, graph
    ) as ways:
        sent_before = GraphSentBefore(graph, settings.app_id)
        delivery = build_teams_delivery(
            parts, ports.outbound, background, channel_settings, ways.known, signing, sent_before
        )
        people = build_teams_people(parts, ports.directory, ways.known, delivery.posted, channel_settings, owners)
        notices = build_teams_notices(parts, people, ports.outbound, ways.known, signing)
        actions = build_teams_actions(parts, signing, ways.known)
        try:
            yield TeamsSide(
                parts, settings, ports, background, ways, delivery, actions, people, channel_settings, notices
            )
        finally:
            await delivery.progress.aclose()  # what it leaves under way is finished with everything else
            await background.aclose()


def open_ports(connection: TeamsConnection) -> TeamsPorts:
    """On Teams' own requirements: nothing to close. Raises Misconfigured("teams_not_installed")."""
    sdk = open_teams_sdk(connection)
    return TeamsPorts(sdk.inbound, AllowedOutbound(sdk.outbound, connection.settings), sdk.directory)


def _graph(config: Config, connection: TeamsConnection) -> tuple[Graph, GraphTeamOwners]:
    """What the app may not ask of Graph is refused there, and counts as not known."""
    settings = graph_settings(config)
    graph = Graph(connection.session, settings, app_tokens(connection.session, settings))
    return graph, GraphTeamOwners(graph, settings)
