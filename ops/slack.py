"""Slack, put together: clients, listeners, sinks and what runs beside them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
from aiohttp import web

from adapters.slack.app import slack_app, slack_routes
from adapters.slack.authorizing import SingleWorkspace, authorized_by
from adapters.slack.parts import Accept, SlackParts
from adapters.slack.settings import SlackSettings
from adapters.slack.tasks import SlackTasks
from adapters.slack.web_api import BotTokens, SlackClients
from ops.config import Config
from ops.parts import ServerParts
from ops.slack_delivery import SlackDelivery, build_delivery


@dataclass(frozen=True, slots=True)
class SlackSide:
    """Slack's half of the server, open: made before the question service, which needs its sinks and whose `accept` its
    listeners need."""

    parts: ServerParts
    settings: SlackSettings
    tokens: BotTokens
    clients: SlackClients
    tasks: SlackTasks
    delivery: SlackDelivery

    def routes(self, accept: Accept) -> list[web.RouteDef]:
        withdraw = self.delivery.withdrawing.withdraw
        parts = SlackParts(self.settings, accept, self.clients, self.tasks, withdraw)
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
        delivery = build_delivery(parts, session, settings, clients, tasks)
        try:
            yield SlackSide(parts, settings, tokens, clients, tasks, delivery)
        finally:
            await tasks.aclose()
            await delivery.progress.aclose()


def slack_settings(config: Config) -> SlackSettings | None:
    if not config.slack_is_configured:
        return None
    token, secret = config.slack_bot_token, config.slack_signing_secret
    return SlackSettings(
        bot_token=token.get_secret_value() if token else "",
        signing_secret=secret.get_secret_value() if secret else "",
        api_url=config.slack_api_url,
    )
