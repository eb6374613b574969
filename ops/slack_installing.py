"""Whose tokens the Slack app acts with: the one of the settings, those of workspaces that installed it, or both."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
from aiohttp import web
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.slack.authorizing import SingleWorkspace
from adapters.slack.departures import Ended
from adapters.slack.install_routes import Installing
from adapters.slack.installed import InstalledWorkspaces
from adapters.slack.oauth import SlackOAuth
from adapters.slack.own_workspace import OwnWorkspace
from adapters.slack.parts import Clock, utc_now
from adapters.slack.renewing import TokenRenewing
from adapters.slack.settings import AllowedWorkspaces, OAuthSettings, SlackSettings
from adapters.slack.web_api import BotTokens
from adapters.sql.install_states import SqlInstallStates
from adapters.sql.installations import SqlInstallations
from adapters.sql.token_renewals import SqlTokenRenewals
from adapters.sql.vault import Vault
from ops.config import Config, names
from ops.deploy.slack_manifest import bot_scopes


@dataclass(frozen=True, slots=True)
class Workspaces:
    """`ended` None: there is one token, and Slack is asked. `routes`: of an installation by OAuth."""

    tokens: BotTokens
    ended: Ended | None = None
    routes: tuple[web.RouteDef, ...] = ()


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
