"""Slack, put together: clients, listeners, sinks and what runs beside them."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
from aiohttp import web

from adapters.slack.app import slack_app, slack_routes
from adapters.slack.authorizing import SingleWorkspace, authorized_by
from adapters.slack.commands import RESPONSE_URL
from adapters.slack.notice_sink import SlackNoticeSink
from adapters.slack.parts import Accept, SlackParts
from adapters.slack.settings import SlackSettings
from adapters.slack.sink import SlackReplySink
from adapters.slack.subscription_commands import SlackSubscribing
from adapters.slack.tasks import SlackTasks
from adapters.slack.web_api import BotTokens, SlackClients
from bot.messages import InboundQuestion
from bot.notices import NoticeSink
from bot.outcomes import Outcome
from bot.ports import ReplySink
from bot.render.slack import slack_message
from ops.alerts import alert_renderers, build_subscribing
from ops.config import Config
from ops.parts import ServerParts, utc_now


@dataclass(frozen=True, slots=True)
class SlackSide:
    """Slack's half of the server, open: made before the question service, which needs its sinks and whose `accept` its
    listeners need."""

    parts: ServerParts
    settings: SlackSettings
    tokens: BotTokens
    clients: SlackClients
    tasks: SlackTasks
    sinks: Mapping[str, ReplySink]
    notices: NoticeSink

    def routes(self, accept: Accept) -> list[web.RouteDef]:
        answering, hour = self.parts.answering, self.parts.config.digest_hour
        core = build_subscribing(answering)
        subscribing = SlackSubscribing(core, self.clients, answering.links.source_names, hour)
        parts = SlackParts(self.settings, accept, self.clients, self.tasks, subscribing=subscribing)
        return slack_routes(parts, slack_app(parts, authorized_by(self.tokens)))


@asynccontextmanager
async def open_slack(parts: ServerParts) -> AsyncIterator[SlackSide | None]:
    """None where nothing of Slack is configured. Raises Misconfigured where half of it is."""
    settings = slack_settings(parts.config)
    if settings is None:
        yield None
        return
    async with aiohttp.ClientSession() as session:
        tokens, tasks = SingleWorkspace(settings.bot_token), SlackTasks()
        clients = SlackClients(session, tokens, settings.api_url)
        try:
            sinks, notices = _sinks(parts, session, settings), _notices(parts, clients)
            yield SlackSide(parts, settings, tokens, clients, tasks, sinks, notices)
        finally:
            await tasks.aclose()


def slack_settings(config: Config) -> SlackSettings | None:
    if not config.slack_is_configured:
        return None
    token, secret = config.slack_bot_token, config.slack_signing_secret
    return SlackSettings(
        bot_token=token.get_secret_value() if token else "",
        signing_secret=secret.get_secret_value() if secret else "",
        api_url=config.slack_api_url,
    )


def _sinks(parts: ServerParts, session: aiohttp.ClientSession, settings: SlackSettings) -> dict[str, ReplySink]:
    def render(question: InboundQuestion, answer_id: str, outcome: Outcome) -> dict[str, object]:
        return slack_message(question.text, answer_id, outcome, parts.answering.links)

    return {RESPONSE_URL: SlackReplySink(session, settings, render)}


def _notices(parts: ServerParts, clients: SlackClients) -> NoticeSink:
    """A kind of notice joins by its renderer."""
    renderers = {**alert_renderers(parts.answering)}
    return SlackNoticeSink(clients, renderers, None, utc_now)
