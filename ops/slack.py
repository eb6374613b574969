"""Slack, put together: clients, listeners, sinks and what runs beside them."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
from aiohttp import web
from slack_bolt.async_app import AsyncApp

from adapters.slack.app import slack_app, slack_routes
from adapters.slack.authorizing import SingleWorkspace, authorized_by
from adapters.slack.commands import RESPONSE_URL
from adapters.slack.parts import Accept, AnswerPorts, SlackParts
from adapters.slack.settings import SlackSettings
from adapters.slack.sink import SlackReplySink
from adapters.slack.socket_mode import open_socket
from adapters.slack.tasks import SlackTasks
from adapters.slack.web_api import BotTokens, SlackClients
from adapters.sql.given_answers import SqlGivenAnswers
from bot.messages import InboundQuestion
from bot.outcomes import Outcome
from bot.ports import ReplySink
from bot.render.slack import slack_message
from bot.seen_answers import SeenAnswers
from bot.threads import ThreadsWithBot
from ops.answers_again import giving_feedback
from ops.channels import ChannelSide, open_channels
from ops.config import Config
from ops.parts import Answering, ServerParts
from rag_core.documents import PolicySource
from rag_core.errors import Unavailable
from rag_core.ports import PolicyStore


@dataclass(frozen=True, slots=True)
class SlackSide:
    """Slack's half of the server, open: made before the question service, which needs its sinks and whose `accept` its
    listeners need."""

    parts: ServerParts
    settings: SlackSettings
    tokens: BotTokens
    clients: SlackClients
    session: aiohttp.ClientSession
    tasks: SlackTasks
    sinks: Mapping[str, ReplySink]
    channels: ChannelSide

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
            threads=ThreadsWithBot(claims),
            channel_settings=self.channels.ports.settings,
            channels=self.channels.ports,
            withdrawals=inbox,
            sources=KnownPlatforms(self.parts.answering.store).known,
        )
        return SlackListening(parts, slack_app(parts, authorized_by(self.tokens)), self.session)


@dataclass(frozen=True, slots=True)
class SlackListening:
    """Slack's app with its listeners."""

    parts: SlackParts
    bolt: AsyncApp
    session: aiohttp.ClientSession

    def routes(self) -> list[web.RouteDef]:
        return slack_routes(self.parts, self.bolt)

    @asynccontextmanager
    async def socket(self) -> AsyncIterator[None]:
        """Connected, where an app token is set; stopped before what is kept is answered. Raises Misconfigured."""
        if not self.parts.settings.app_token:
            yield
            return
        async with open_socket(self.bolt, self.parts.settings, self.session):
            yield


class KnownPlatforms:
    """The platforms that everybody may know of, looked up now and then; those of before while the store is down."""

    def __init__(self, store: PolicyStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._known: Sequence[PolicySource] = ()
        self._look_again_at = 0.0

    async def known(self) -> Sequence[PolicySource]:
        if self._clock() >= self._look_again_at:
            try:
                async with asyncio.timeout(_LOOK_SECONDS):
                    self._known = await self._store.sources(frozenset())
                self._look_again_at = self._clock() + _KNOWN_SECONDS
            except (Unavailable, TimeoutError):
                self._look_again_at = self._clock() + _AGAIN_SECONDS
        return self._known


_LOOK_SECONDS, _AGAIN_SECONDS, _KNOWN_SECONDS = 0.4, 2.0, 60.0


@asynccontextmanager
async def open_slack(parts: ServerParts) -> AsyncIterator[SlackSide | None]:
    """None where nothing of Slack is configured. Raises Misconfigured where half of it is."""
    settings = slack_settings(parts.config)
    if settings is None:
        yield None
        return
    tokens, tasks = SingleWorkspace(settings.bot_token), SlackTasks()
    async with aiohttp.ClientSession() as session, open_channels(parts, tokens) as channels:
        clients = SlackClients(session, tokens, settings.api_url)
        try:
            yield SlackSide(
                parts, settings, tokens, clients, session, tasks, _sinks(parts, session, settings), channels
            )
        finally:
            await tasks.aclose()


def answer_ports(answering: Answering) -> AnswerPorts:
    """What clicks on answers need."""
    seen = SeenAnswers(SqlGivenAnswers(answering.engine), answering.store, answering.pseudonyms.of)
    return AnswerPorts(seen, answering.access, giving_feedback(answering), answering.store, answering.links)


def slack_settings(config: Config) -> SlackSettings | None:
    if not config.slack_is_configured:
        return None
    token, secret, app_token = config.slack_bot_token, config.slack_signing_secret, config.slack_app_token
    return SlackSettings(
        bot_token=token.get_secret_value() if token else "",
        signing_secret=secret.get_secret_value() if secret else "",
        api_url=config.slack_api_url,
        app_token=app_token.get_secret_value().strip() if app_token else "",
    )


def _sinks(parts: ServerParts, session: aiohttp.ClientSession, settings: SlackSettings) -> dict[str, ReplySink]:
    def render(question: InboundQuestion, answer_id: str, outcome: Outcome) -> dict[str, object]:
        return slack_message(question.text, answer_id, outcome, parts.answering.links)

    return {RESPONSE_URL: SlackReplySink(session, settings, render)}
