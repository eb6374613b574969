"""Whose tokens the Slack app acts with: the one of the settings, those of workspaces that installed it, or both."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import aiohttp
from aiohttp import web
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.slack.client import BotTokens
from adapters.slack.oauth.exchange import OwnWorkspace, SlackOAuth
from adapters.slack.oauth.install import Installing
from adapters.slack.oauth.renewal import TokenRenewing
from adapters.slack.oauth.tokens import InstalledWorkspaces, SingleWorkspace
from adapters.slack.parts import Clock, utc_now
from adapters.slack.payloads import Ended
from adapters.slack.settings import AllowedWorkspaces, OAuthSettings, SlackSettings
from adapters.sql.chat.installations import SqlInstallations, SqlInstallStates, SqlTokenRenewals
from adapters.sql.database.vault import Vault
from ops.backends import build_vault, open_engine
from ops.config import Config, names
from ops.deploy.slack_manifest import bot_scopes
from rag_core.errors import Misconfigured

_CONNECTIONS = 400
"""While Slack hangs, replies under way (100 at most, see Pace) leave room for forms, which are opened within 3 s."""


@dataclass(frozen=True, slots=True)
class Workspaces:
    """`ended` None: there is one token, and Slack is asked. `routes`: of an installation by OAuth."""

    tokens: BotTokens
    ended: Ended | None = None
    routes: tuple[web.RouteDef, ...] = ()


@dataclass(frozen=True, slots=True)
class SlackConnection:
    """What all that talks with Slack shares: the settings as they were read, once; one cache of tokens."""

    settings: SlackSettings
    session: aiohttp.ClientSession
    workspaces: Workspaces


def oauth_settings(config: Config) -> OAuthSettings | None:
    """None where nothing of it is set. Raises Misconfigured where half of it is."""
    if not config.slack_takes_many:
        return None
    secret = config.slack_client_secret
    return OAuthSettings(
        client_id=config.slack_client_id,
        client_secret=secret.get_secret_value() if secret else "",
        address=config.chat_url,
        scopes=bot_scopes(),
        allowed=AllowedWorkspaces(frozenset(names(config.slack_workspaces))),
    )


def slack_settings(config: Config) -> SlackSettings | None:
    """None where nothing of Slack is configured. Raises Misconfigured where half of it is."""
    if not config.slack_is_configured:
        return None
    token, secret, app_token = config.slack_bot_token, config.slack_signing_secret, config.slack_app_token
    if token is not None and not token.get_secret_value().strip():  # it would be taken for one that is not needed
        raise Misconfigured("setting_missing", setting="ADPOLICY_SLACK_BOT_TOKEN")
    return SlackSettings(
        bot_token=token.get_secret_value() if token else "",
        signing_secret=secret.get_secret_value() if secret else "",
        api_url=config.slack_api_url,
        app_token=app_token.get_secret_value().strip() if app_token else "",
        oauth=oauth_settings(config),
    )


@asynccontextmanager
async def open_connection(config: Config, engine: AsyncEngine | None = None) -> AsyncIterator[SlackConnection | None]:
    """None where nothing of Slack is configured. Nothing is asked of Slack yet. `engine`: where installations are kept;
    without one it is opened, if there are any. Raises Misconfigured where half of Slack is configured."""
    settings = slack_settings(config)
    if settings is None:
        yield None
        return
    async with AsyncExitStack() as stack:
        connector = aiohttp.TCPConnector(limit=_CONNECTIONS)
        session = await stack.enter_async_context(
            aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        )
        if settings.oauth is None:
            yield SlackConnection(settings, session, Workspaces(SingleWorkspace(settings.bot_token)))
            return
        if engine is None:
            engine = await stack.enter_async_context(open_engine(config))
        opened = open_workspaces(settings, session, engine, build_vault(config))
        yield SlackConnection(settings, session, await stack.enter_async_context(opened))


@asynccontextmanager
async def open_workspaces(
    settings: SlackSettings,
    session: aiohttp.ClientSession,
    engine: AsyncEngine,
    vault: Vault,
    clock: Clock = utc_now,
) -> AsyncIterator[Workspaces]:
    """At the end, what is being renewed is waited for."""
    if settings.oauth is None:
        yield Workspaces(SingleWorkspace(settings.bot_token))
        return
    store, oauth = SqlInstallations(engine, vault), SlackOAuth(session, settings.oauth, settings.api_url)
    renewing = TokenRenewing(oauth, store, SqlTokenRenewals(engine, vault), clock=clock)
    own = OwnWorkspace(settings.bot_token, oauth) if settings.bot_token else None
    installed = InstalledWorkspaces(store, oauth, renewing, settings.oauth.allowed, own, clock=clock)
    installing = Installing(settings.oauth, oauth, SqlInstallStates(engine), installed, clock)
    try:
        yield Workspaces(installed, installed.ended, tuple(installing.routes()))
    finally:
        await renewing.settle()
