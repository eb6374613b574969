"""What can be clicked in Teams, put together: answers behind clicks, signatures, search for the message extension."""

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from aiohttp import web
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.local.signing import CardSigning
from adapters.sql.chat.conversations import SqlKnownConversations
from adapters.sql.chat.notices import SqlNoticeQueue
from adapters.sql.chat.posted import SqlPostedMessages
from adapters.sql.chat.subscriptions import SqlSubscriptions
from adapters.teams.access import TeamsAdmission
from adapters.teams.addresses import MESSAGE, PLATFORM, TeamsAddress, teams_address
from adapters.teams.app import teams_routes
from adapters.teams.delivery.allowed import AllowedOutbound
from adapters.teams.delivery.notices import NamesInTeams, TeamsNoticeSink
from adapters.teams.delivery.posting import TeamsPoster
from adapters.teams.delivery.progress import TeamsProgress
from adapters.teams.delivery.replies import TeamsReplySink, TeamsWithdrawing
from adapters.teams.delivery.sent import SentBefore
from adapters.teams.directory import GraphTeamOwners, TeamOwners
from adapters.teams.graph import Graph, GraphReplies
from adapters.teams.parts import Forget, Starters, TeamsParts, TeamsPeople
from adapters.teams.ports import Activity, TeamsDirectory, TeamsInbound, TeamsOutbound
from adapters.teams.settings import TeamsSettings
from bot.access.signing import Signing
from bot.alerts.subscribing import SubscriptionCommands
from bot.answers.seen import AnswerPorts
from bot.commands.home import Starters as FindingStarters
from bot.commands.search import PublicSearch
from bot.model.channels import ChannelSettings, KnownConversations, SharedPlaces, asks_people
from bot.model.messages import InboundQuestion
from bot.model.notices import NoticeSink
from bot.model.outcomes import Admission, Outcome
from bot.model.posted import KeepingPosted, PostedAt, PostedMessages
from bot.model.tasks import Background
from bot.ports import ReplyProgress, ReplySink
from bot.questions.inbox import Accept
from bot.questions.threads import ThreadsWithBot
from bot.render.teams import escalation, people
from bot.render.teams.alert import teams_alert
from bot.render.teams.message import MESSAGE_UNITS, teams_message
from bot.render.teams.view import TeamsView
from bot.wording.teams import COMMAND
from ops.backends import build_vault
from ops.chat.alerts import alert_renderers, build_subscribing, leave_channel
from ops.chat.people import answer_ports, build_people, people_renderers
from ops.config import Config
from ops.data_folder import secret_keys
from ops.parts import ServerParts, new_id, utc_now
from ops.platforms import KnownPlatforms
from ops.teams_connection import TeamsConnection
from ops.teams_sdk import app_tokens, graph_settings, open_teams_sdk
from rag_core.errors import Unavailable


def nobodys_group(_: str) -> bool:
    """Teams has no groups that are called in a channel: what is set is a conversation."""
    return False


def build_teams_people(
    parts: ServerParts,
    directory: TeamsDirectory,
    known: KnownConversations,
    posted: PostedMessages,
    settings: ChannelSettings,
    owners: TeamOwners,
) -> TeamsPeople:
    """For `TeamsParts.people`."""
    answering = parts.answering
    store = answering.store

    async def platforms() -> Mapping[str, str]:
        return {each.slug: each.display_name for each in await store.sources(frozenset())}

    ports = build_people(
        answering,
        build_vault(parts.config),
        SqlNoticeQueue(answering.engine),
        posted,
        settings,
        is_group=nobodys_group,
        shown=escalation,
    )
    return TeamsPeople(
        ports=ports,
        settings=settings,
        platforms=platforms,
        subscriptions=SqlSubscriptions(answering.engine),
        owners=owners,
        names=NamesInTeams(directory, known),
    )


def build_teams_subscriptions(parts: ServerParts) -> SubscriptionCommands:
    """For `TeamsParts.subscriptions`."""
    answering = parts.answering
    names, hour = answering.links.source_names, parts.config.digest_hour
    return SubscriptionCommands(build_subscribing(answering), names, hour, COMMAND, people.here)


def build_teams_notices(
    parts: ServerParts,
    people: TeamsPeople,
    outbound: TeamsOutbound,
    known: KnownConversations,
    signing: Signing,
) -> TeamsNoticeSink:
    renderers = {**alert_renderers(parts.answering, teams_alert), **people_renderers(people.ports.messages)}
    posted, pace = people.ports.posted, parts.posting_pace
    return TeamsNoticeSink(outbound, renderers, posted, known, people.names, signing, pace, utc_now)


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TeamsDelivery:
    """`poster` paces whatever is sent to Teams; `progress` is closed by the builder, before `tasks`."""

    poster: TeamsPoster
    posted: PostedMessages
    sink: TeamsReplySink
    progress: TeamsProgress

    @property
    def sinks(self) -> dict[str, ReplySink]:
        return {MESSAGE: self.sink}

    @property
    def progresses(self) -> dict[str, ReplyProgress]:
        return {MESSAGE: self.progress}


def build_teams_delivery(
    parts: ServerParts,
    outbound: TeamsOutbound,
    tasks: Background,
    settings_of: ChannelSettings,
    known: KnownConversations,
    signing: Signing,
    sent_before: SentBefore,
) -> TeamsDelivery:
    answering, events = parts.answering, parts.events
    posted, pseudonyms = SqlPostedMessages(answering.engine), answering.pseudonyms
    poster = TeamsPoster(outbound, parts.posting_pace, events, tasks)
    streams = answering.model is not None
    progress = TeamsProgress(poster, posted, pseudonyms, clock=utc_now, streams=streams)

    async def render(
        question: InboundQuestion,
        answer_id: str,
        outcome: Outcome,
        view: TeamsView,
        *,
        characters: int | None = None,
        begun: str = "",
    ) -> Activity:
        view = replace(view, asks_people=await asks_people(settings_of, question.conversation))
        where = teams_address(question.reply_address).reference.signed_for
        return teams_message(
            question.text,
            answer_id,
            outcome,
            answering.links,
            view,
            sign=lambda fields: signing.signed(fields, where),
            characters=characters or MESSAGE_UNITS,
            begun=begun,
        )

    sink = TeamsReplySink(
        poster=poster,
        progress=progress,
        posted=posted,
        keeping=KeepingPosted(posted, tasks),
        pseudonyms=pseudonyms,
        render=render,
        log=events,
        clock=utc_now,
        closed=Closed(known).forget,
        sent_before=sent_before,
        web_page=parts.config.public_url,
    )
    return TeamsDelivery(poster, posted, sink, progress)


@dataclass(frozen=True, slots=True)
class Closed:
    """Conversations in which the bot cannot speak any more: what was known of them goes."""

    known: KnownConversations

    async def forget(self, address: TeamsAddress) -> None:
        """Nothing depends on it: the next attempt to speak there finds the same."""
        where = address.conversation
        try:
            removed = await self.known.remove(PLATFORM, where.workspace, where.channel)
        except Unavailable as exc:
            _log.warning("closed conversation not forgotten: code=%s", exc.code)
            return
        if removed:
            _log.info("teams conversation closed, and forgotten: workspace=%s", where.workspace)


@dataclass(frozen=True, slots=True)
class TeamsActions:
    """Each a part of `TeamsParts` of the same name; `signing` is what messages and notices are signed with, too."""

    signing: Signing
    answers: AnswerPorts
    posted_at: PostedAt
    shared_places: SharedPlaces
    search: PublicSearch


def build_signing(config: Config) -> Signing:
    """The same in every process that has the same keys. Raises Misconfigured."""
    return CardSigning(secret_keys(config))


def build_teams_actions(parts: ServerParts, signing: Signing, known: SqlKnownConversations) -> TeamsActions:
    """Nothing of it is closed."""
    answering = parts.answering
    search = PublicSearch(answering.search.search, answering.store)
    return TeamsActions(signing, answer_ports(answering), SqlPostedMessages(answering.engine), known, search)


@dataclass(frozen=True, slots=True)
class TeamsWays:
    """What `TeamsParts` takes: `known` (as `known` and `channels_of`), `admission` (as `admits`; it is the side's
    admission as well), `withdrawing` (its `withdraw`), `starters`, `forget`."""

    known: SqlKnownConversations
    admission: TeamsAdmission
    withdrawing: TeamsWithdrawing
    starters: Starters
    forget: tuple[Forget, ...]


@asynccontextmanager
async def open_teams_ways(
    parts: ServerParts,
    settings: TeamsSettings,
    outbound: TeamsOutbound,
    directory: TeamsDirectory,
    posted: PostedMessages,
    channel_settings: ChannelSettings,
    graph: Graph | None = None,
) -> AsyncIterator[TeamsWays]:
    """`graph`: without it nobody reads threads, and the answer to a deleted message of a channel stays."""
    answering, known_as = parts.answering, parts.answering.pseudonyms.of
    async with AsyncExitStack() as stack:
        admission = TeamsAdmission(directory, settings)
        stack.push_async_callback(admission.aclose)
        finding = FindingStarters(
            answering.asker.without_model(), answering.store, answering.names, today=lambda: utc_now().date()
        )
        stack.push_async_callback(finding.aclose)
        vault = build_vault(parts.config)
        yield TeamsWays(
            SqlKnownConversations(answering.engine, vault, known_as, now=utc_now, new_id=new_id),
            admission,
            TeamsWithdrawing(outbound, posted, GraphReplies(graph, known_as) if graph else None),
            starters_of(finding),
            (forgetting_of(answering.engine, channel_settings),),
        )


def starters_of(finding: FindingStarters) -> Starters:
    """Those that everybody may ask: who reads a welcome is not known."""

    async def starters() -> Sequence[str]:
        try:
            return await finding.of(frozenset())
        except Unavailable:
            return ()

    return starters


def forgetting_of(engine: AsyncEngine, settings: ChannelSettings) -> Forget:
    """Subscriptions end, on record; what waits to be told there is given up; what was set is gone."""

    async def forget(tenant: str, channel: str) -> None:
        await leave_channel(engine, PLATFORM, tenant, channel)
        await settings.remove(PLATFORM, tenant, channel)

    return forget


@dataclass(frozen=True, slots=True)
class TeamsPorts:
    """The three ports, open."""

    inbound: TeamsInbound
    outbound: TeamsOutbound
    directory: TeamsDirectory


@dataclass(frozen=True, slots=True)
class TeamsSide:
    """Teams' half of the server, open: a `ops.chat.platforms.ChatSide`."""

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
        sent_before = SentBefore(graph, settings.app_id)
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
