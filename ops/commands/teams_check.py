"""The part of `doctor` that is about Teams: settings, packages, token, keys, address, what Graph lets the app read."""

import base64
import json
from http import HTTPStatus

import aiohttp
from yarl import URL

from adapters.teams.app import MESSAGES_PATH
from adapters.teams.settings import TeamsSettings, is_safe
from adapters.teams.tokens import AppTokens
from ops.config import Config
from ops.teams_connection import teams_settings
from ops.teams_sdk import app_tokens, channel_keys, check_installed, graph_settings
from ops.wording import general as wording
from ops.wording import teams as wording_teams
from rag_core.errors import Misconfigured, Unavailable

GRAPH_PERMISSIONS = (
    "ChannelMember.Read.All",
    "ChatMember.Read.All",
    "GroupMember.Read.All",
    "Team.ReadBasic.All",
    "User.Read.All",
)
"""What `GraphDirectory` and `GraphTeamOwners` read with."""

_SECONDS = 5.0
_CHANNEL = "msteams"


async def check_teams(config: Config) -> int:
    """Say it; 1 if Teams could not use the bot, or the bot Teams."""
    try:
        settings = teams_settings(config)
        if settings is None:
            return 0
        check_installed()
        graph = str(URL(graph_settings(config).graph_url).origin())
    except Misconfigured as exc:
        return _say("teams", ok=False, facts=wording.explain(exc))
    timeout = aiohttp.ClientTimeout(total=_SECONDS)
    async with aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()) as session:
        tokens = app_tokens(session, settings)
        facts = wording_teams.app_is(settings.app_id, settings.app_type, len(settings.tenants))
        failed = [_say("teams", ok=True, facts=facts)]
        failed.append(await _check_token(settings, tokens))
        failed.append(await _check_keys(session, settings))
        failed.append(await _check_address(session, config.chat_url.rstrip("/")))
        if failed[1] == 0:
            await _tell_graph(settings, tokens, graph)
    return max(failed)


async def _check_token(settings: TeamsSettings, tokens: AppTokens) -> int:
    try:
        await tokens.token(settings.token_tenant, settings.scope)
    except Unavailable as exc:
        return _say("teams token", ok=False, facts=wording.explain(exc))
    return _say("teams token", ok=True, facts=wording_teams.TOKEN_WORKS)


async def _check_keys(session: aiohttp.ClientSession, settings: TeamsSettings) -> int:
    try:
        keys = await channel_keys(session, settings).fetch()
    except Unavailable as exc:
        facts = wording.explain(Unavailable("teams_keys_unreachable", **exc.details))
        return _say("teams keys", ok=False, facts=facts)
    count = sum(_CHANNEL in each.endorsements for each in keys)
    if not count:
        return _say("teams keys", ok=False, facts=wording_teams.no_keys(settings.openid_url))
    return _say("teams keys", ok=True, facts=wording_teams.keys_work(count))


async def _check_address(session: aiohttp.ClientSession, address: str) -> int:
    """Whoever is not Teams must be sent away: that shows that it is the bot."""
    if not address:
        print(wording_teams.ADDRESS_UNKNOWN)
        return 0
    url, why = f"{address}{MESSAGES_PATH}", "no https address"
    if is_safe(address):
        try:
            async with session.post(url, data=b"{}", allow_redirects=False) as answer:
                why = "" if answer.status == HTTPStatus.UNAUTHORIZED else f"status {answer.status}"
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as exc:
            why = type(exc).__name__
    facts = wording_teams.address_fails(url, why) if why else wording_teams.address_works(url)
    return _say("teams address", ok=not why, facts=facts)


async def _tell_graph(settings: TeamsSettings, tokens: AppTokens, graph: str) -> None:
    """No fault: where nothing is restricted Graph is not needed, and where something is `doctor` says so of groups."""
    for tenant in sorted(settings.tenants):
        try:
            roles = _roles(await tokens.token(tenant, f"{graph}/.default"))
        except Unavailable as exc:
            print(wording_teams.graph_silent(tenant, wording.explain(exc)))
            continue
        missing = sorted(set(GRAPH_PERMISSIONS) - (roles or frozenset()))
        if roles is None:
            print(wording_teams.graph_not_told(tenant))
        elif missing:
            print(wording_teams.graph_lacks(tenant, missing))
        else:
            _say("teams graph", ok=True, facts=wording_teams.graph_works(tenant, len(GRAPH_PERMISSIONS)))


def _roles(token: str) -> frozenset[str] | None:
    """The permissions in a token for Graph; None where it does not tell. Only to be shown: nothing checked it."""
    payload = token.split(".")[1] if token.count(".") == 2 else ""
    try:
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except (ValueError, RecursionError):
        return None
    if not isinstance(claims, dict):
        return None
    roles = claims.get("roles", [])
    return frozenset(each for each in roles if isinstance(each, str)) if isinstance(roles, list) else None


def _say(name: str, *, ok: bool, facts: str) -> int:
    print(wording.doctor_line(name, ok=ok, facts=facts))
    return 0 if ok else 1
