"""Teams as the settings have it, and what all that talks with it shares."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp

from adapters.teams.settings import AppType, TeamsSettings, tenants_of
from ops.config import Config

_CONNECTIONS = 400


@dataclass(frozen=True, slots=True)
class TeamsConnection:
    """The settings as they were read, once."""

    settings: TeamsSettings
    session: aiohttp.ClientSession


def teams_settings(config: Config) -> TeamsSettings | None:
    """None where nothing of Teams is configured. Raises Misconfigured where half of it is."""
    if not config.teams_is_configured:
        return None
    secret = config.teams_app_secret
    return TeamsSettings(
        app_id=config.teams_app_id.strip().lower(),
        tenants=tenants_of(config.teams_tenants),
        app_secret=secret.get_secret_value() if secret else "",
        app_type=AppType(config.teams_app_type),
        app_tenant=config.teams_app_tenant.strip(),
        external=config.teams_external,
        openid_url=config.teams_openid_url,
        issuer=config.teams_issuer,
        scope=config.teams_bot_scope,
        login_url=config.teams_login_url,
    )


@asynccontextmanager
async def open_teams_connection(config: Config) -> AsyncIterator[TeamsConnection | None]:
    """None where nothing of Teams is configured. Nothing is asked of Teams yet. Raises Misconfigured."""
    settings = teams_settings(config)
    if settings is None:
        yield None
        return
    connector = aiohttp.TCPConnector(limit=_CONNECTIONS)
    async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield TeamsConnection(settings, session)
