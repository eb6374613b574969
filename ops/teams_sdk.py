"""Teams' three ports as the settings have them: the only place that asks for the SDK's folder."""

from collections.abc import Callable
from datetime import datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING

import aiohttp

from adapters.oidc.issuer import IssuerKeys
from adapters.oidc.settings import OidcSettings
from adapters.oidc.verifying import OidcTokens
from adapters.teams.directory import GraphTeamOwners, TeamOwners
from adapters.teams.graph import Graph
from adapters.teams.settings import AppType, GraphSettings, TeamsSettings, tenants_of
from adapters.teams.tokens import AppTokens, SecretGrant
from ops.config import Config
from ops.parts import utc_now
from ops.teams_connection import TeamsConnection
from rag_core.errors import Misconfigured

if TYPE_CHECKING:
    from adapters.teams.botframework.opening import BotFramework

INSTALL = "bash -c '. ops/setup.sh && need chat'"
_NEEDED = "botbuilder"
_DAY = 24 * 3600.0


def open_teams_sdk(connection: TeamsConnection, now: Callable[[], datetime] = utc_now) -> "BotFramework":
    """The ports over the connection's session: nothing to close, and nothing is asked of Teams yet.

    Raises Misconfigured("teams_not_installed").
    """
    check_installed()
    # what only Teams' own set of requirements brings
    from adapters.teams.botframework.opening import open_botframework  # noqa: PLC0415

    settings, session = connection.settings, connection.session
    return open_botframework(settings, session, app_tokens(session, settings), channel_tokens(session, settings, now))


def check_installed() -> None:
    """Raises Misconfigured("teams_not_installed")."""
    if find_spec(_NEEDED) is None:
        raise Misconfigured("teams_not_installed", setting="ADPOLICY_TEAMS_APP_ID", command=INSTALL)


def app_tokens(session: aiohttp.ClientSession, settings: TeamsSettings | GraphSettings) -> AppTokens:
    """How the app gets tokens, for the connector and for Graph. Raises Misconfigured("teams_not_installed") for a
    managed identity."""
    if settings.app_type.has_secret:
        return AppTokens(SecretGrant(session, settings.app_id, settings.app_secret, settings.login_url))
    check_installed()
    from adapters.teams.botframework.managed_identity import ManagedIdentityGrant  # noqa: PLC0415

    is_machine = settings.app_type is AppType.SYSTEM_IDENTITY
    return AppTokens(ManagedIdentityGrant("" if is_machine else settings.app_id))


def graph_settings(config: Config) -> GraphSettings:
    """Raises Misconfigured where half of it is set."""
    secret = config.teams_app_secret
    return GraphSettings(
        app_id=config.teams_app_id.strip().lower(),
        app_secret=secret.get_secret_value() if secret else "",
        tenants=tenants_of(config.teams_tenants),
        graph_url=config.teams_graph_url,
        login_url=config.teams_login_url,
        app_type=AppType(config.teams_app_type),
    )


def team_owners(session: aiohttp.ClientSession, config: Config) -> TeamOwners:
    """Of teams whose tenants let the app read them; of others nobody is known. Raises Misconfigured."""
    settings = graph_settings(config)
    return GraphTeamOwners(Graph(session, settings, app_tokens(session, settings)), settings)


def channel_tokens(
    session: aiohttp.ClientSession, settings: TeamsSettings, now: Callable[[], datetime] = utc_now
) -> OidcTokens:
    return OidcTokens(issuer_settings(settings), channel_keys(session, settings), now)


def channel_keys(session: aiohttp.ClientSession, settings: TeamsSettings) -> IssuerKeys:
    return IssuerKeys(issuer_settings(settings), session)


def issuer_settings(settings: TeamsSettings) -> OidcSettings:
    """Keys for a day, as Microsoft asks for; a new one at once. While they cannot be read, older ones for a week."""
    return OidcSettings(
        settings.issuer,
        settings.app_id,
        fresh=_DAY,
        stale=7 * _DAY,
        pause=5.0,
        leeway=300.0,
        discovery=settings.openid_url,
        algorithms=frozenset({"RS256"}),
    )
