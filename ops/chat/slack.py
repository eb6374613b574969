"""What belongs to Slack's channels, put together: settings, who is answered there, App Home."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import date

import aiohttp
from aiohttp import web
from slack_bolt.async_app import AsyncApp

from adapters.slack.access import SlackAdmission
from adapters.slack.addresses import MESSAGE
from adapters.slack.app import slack_app, slack_routes
from adapters.slack.client import BotTokens, SlackClients
from adapters.slack.commands import COMMAND, RESPONSE_URL, SlackSubscribing
from adapters.slack.delivery.notices import SlackNoticeSink
from adapters.slack.delivery.posting import SlackPoster
from adapters.slack.delivery.progress import SlackProgress
from adapters.slack.delivery.replies import AskerRoads, SlackMessageSink, Withdrawing
from adapters.slack.delivery.slash_replies import ResponseUrlPosts, SlackReplySink
from adapters.slack.home_tab import InSlackChannels
from adapters.slack.oauth.tokens import authorized_by
from adapters.slack.parts import ChannelPorts, SlackParts
from adapters.slack.settings import SlackSettings
from adapters.slack.socket_mode import open_socket
from adapters.sql.chat.home_reading import SqlHomeReading
from adapters.sql.chat.notices import SqlNoticeQueue
from adapters.sql.chat.posted import SqlPostedMessages
from adapters.sql.chat.subscriptions import SqlSubscriptions
from bot.alerts.changes import Told
from bot.commands.home import HomeReader, Starters
from bot.model.channels import ChannelSettings, asks_people
from bot.model.links import Links
from bot.model.messages import InboundQuestion
from bot.model.notices import NoticeSink
from bot.model.outcomes import Admission, Outcome
from bot.model.posted import PostedMessages
from bot.model.subscriptions import Subscriptions
from bot.model.tasks import Background
from bot.people.answers import PeoplePorts
from bot.ports import ReplyProgress, ReplySink
from bot.questions.inbox import Accept
from bot.questions.threads import ThreadsWithBot
from bot.render.slack import escalation
from bot.render.slack.alert import slack_alert
from bot.render.slack.message import slack_message
from bot.render.slack.view import SlackView
from ops.backends import build_vault
from ops.chat.alerts import alert_renderers, build_subscribing, leave_workspace
from ops.chat.people import answer_ports, build_people, is_user_group, people_renderers
from ops.directories import open_workspaces
from ops.parts import ServerParts, utc_now
from ops.platforms import KnownPlatforms
from ops.slack_installing import SlackConnection, Workspaces


@dataclass(frozen=True, slots=True)
class SlackDelivery:
    """`poster` paces whatever is posted in Slack; `progress` is closed by the builder."""

    poster: SlackPoster
    posted: PostedMessages
    sinks: dict[str, ReplySink]
    progress: SlackProgress
    withdrawing: Withdrawing

    @property
    def progresses(self) -> dict[str, ReplyProgress]:
        return {MESSAGE: self.progress}


def build_delivery(
    parts: ServerParts,
    session: aiohttp.ClientSession,
    settings: SlackSettings,
    clients: SlackClients,
    tasks: Background,
    settings_of: ChannelSettings,
) -> SlackDelivery:
    answering, events = parts.answering, parts.events
    posted, pseudonyms = SqlPostedMessages(answering.engine), answering.pseudonyms
    poster = SlackPoster(parts.posting_pace, events)
    streams = answering.model is not None
    progress = SlackProgress(clients, poster, posted, pseudonyms, clock=utc_now, streams=streams)

    def render(question: InboundQuestion, answer_id: str, outcome: Outcome) -> dict[str, object]:
        return slack_message(question.text, answer_id, outcome, answering.links)

    async def render_view(
        question: InboundQuestion, answer_id: str, outcome: Outcome, view: SlackView
    ) -> dict[str, object]:
        view = replace(view, asks_people=await asks_people(settings_of, question.conversation))
        return slack_message(question.text, answer_id, outcome, answering.links, view)

    messages = SlackMessageSink(
        clients=clients,
        poster=poster,
        roads=AskerRoads.on(clients, ResponseUrlPosts(session, settings.api_url), utc_now),
        progress=progress,
        posted=posted,
        pseudonyms=pseudonyms,
        render=render_view,
        log=events,
        tasks=tasks,
        clock=utc_now,
    )
    sinks: dict[str, ReplySink] = {RESPONSE_URL: SlackReplySink(session, settings, render), MESSAGE: messages}
    return SlackDelivery(poster, posted, sinks, progress, Withdrawing(clients, posted, pseudonyms))


@dataclass(frozen=True, slots=True)
class ChannelSide:
    """`admission` is for the question service, `ports` for the listeners."""

    ports: ChannelPorts
    admission: SlackAdmission


@asynccontextmanager
async def open_channels(
    parts: ServerParts, tokens: BotTokens, settings: ChannelSettings, subscriptions: Subscriptions | None = None
) -> AsyncIterator[ChannelSide]:
    answering, config = parts.answering, parts.config

    async def platforms() -> Mapping[str, str]:
        return {each.slug: each.display_name for each in await answering.store.sources(frozenset())}

    async with AsyncExitStack() as stack:
        workspaces = await stack.enter_async_context(open_workspaces(config, tokens))
        admission = SlackAdmission(workspaces.of, external=config.slack_external)
        quoting = answering.asker.without_model()
        starters = Starters(quoting, answering.store, answering.names, today=lambda: utc_now().date())
        stack.push_async_callback(starters.aclose)
        home = HomeReader(
            SqlHomeReading(answering.engine),
            starters,
            answering.access,
            answering.pseudonyms,
            subscriptions=subscriptions,
            in_channels=InSlackChannels(workspaces.of),
        )
        yield ChannelSide(ChannelPorts(settings, admission, platforms, home, subscriptions), admission)


@dataclass(frozen=True, slots=True)
class SlackSide:
    """Slack's half of the server, open: made before the question service, which needs its sinks and whose `accept` its
    listeners need."""

    parts: ServerParts
    settings: SlackSettings
    workspaces: Workspaces
    clients: SlackClients
    session: aiohttp.ClientSession
    tasks: Background
    delivery: SlackDelivery
    channels: ChannelSide
    people: PeoplePorts
    notices: NoticeSink

    @property
    def platform(self) -> str:
        return "slack"

    @property
    def title(self) -> str:
        return "Slack"

    @property
    def sinks(self) -> Mapping[str, ReplySink]:
        return self.delivery.sinks

    @property
    def progresses(self) -> Mapping[str, ReplyProgress]:
        return self.delivery.progresses

    @property
    def admission(self) -> Admission:
        return self.channels.admission

    def listening(self, accept: Accept) -> "SlackListening":
        """The app for HTTP and Socket Mode alike."""
        inbox, claims = self.parts.inbox, self.parts.claims
        parts = SlackParts(
            self.settings,
            accept,
            self.clients,
            self.tasks,
            answers=answer_ports(self.parts.answering),
            claims=claims,
            threads=ThreadsWithBot(claims, self.delivery.posted),
            channels=self.channels.ports,
            withdrawals=inbox,
            withdraw=self.delivery.withdrawing.withdraw,
            sources=KnownPlatforms(self.parts.answering.store).known,
            ended=self.workspaces.ended,
            on_uninstalled=(self._leave,),
            people=self.people,
            subscribing=self._subscribing(),
        )
        bolt = slack_app(parts, authorized_by(self.workspaces.tokens))
        return SlackListening(parts, bolt, self.workspaces)

    def _subscribing(self) -> SlackSubscribing:
        answering, hour = self.parts.answering, self.parts.config.digest_hour
        return SlackSubscribing(build_subscribing(answering), self.clients, answering.links.source_names, hour)

    async def _leave(self, workspace: str) -> None:
        """The app was removed there: nothing is told any more, and what was set is gone."""
        await leave_workspace(self.parts.answering.engine, "slack", workspace)
        await self.channels.ports.settings.remove_workspace("slack", workspace)


@dataclass(frozen=True, slots=True)
class SlackListening:
    """Slack's app with its listeners."""

    parts: SlackParts
    bolt: AsyncApp
    workspaces: Workspaces

    def routes(self) -> list[web.RouteDef]:
        return [*slack_routes(self.parts, self.bolt), *self.workspaces.routes]

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """By Socket Mode, where an app token is set."""
        if not self.parts.settings.app_token:
            yield
            return
        async with open_socket(self.bolt, self.parts.settings):
            yield


@asynccontextmanager
async def open_slack(
    parts: ServerParts, connection: SlackConnection, channel_settings: ChannelSettings
) -> AsyncIterator[SlackSide]:
    settings, session, workspaces = connection.settings, connection.session, connection.workspaces
    subscriptions = SqlSubscriptions(parts.answering.engine)
    async with open_channels(parts, workspaces.tokens, channel_settings, subscriptions) as channels:
        tasks = Background()
        clients = SlackClients(session, workspaces.tokens, settings.api_url)
        delivery = build_delivery(parts, session, settings, clients, tasks, channel_settings)
        people = _people(parts, delivery, channels)
        renderers = {**alert_renderers(parts.answering, _alert), **people_renderers(people.messages)}
        notices = SlackNoticeSink(clients, renderers, delivery.posted, delivery.poster, utc_now)
        try:
            yield SlackSide(parts, settings, workspaces, clients, session, tasks, delivery, channels, people, notices)
        finally:
            await tasks.aclose()
            await delivery.progress.aclose()


def _alert(told: Told, links: Links, today: date) -> dict[str, object]:
    return slack_alert(told, links, today, COMMAND)


def _people(parts: ServerParts, delivery: SlackDelivery, channels: ChannelSide) -> PeoplePorts:
    engine, vault = parts.answering.engine, build_vault(parts.config)
    queue, settings = SqlNoticeQueue(engine), channels.ports.settings
    return build_people(
        parts.answering, vault, queue, delivery.posted, settings, is_group=is_user_group, shown=escalation
    )
