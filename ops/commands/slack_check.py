"""The part of `doctor` that is about Slack: tokens, scopes, Socket Mode, the address, installations."""

from collections.abc import Iterator
from datetime import datetime
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.app import EVENTS_PATH
from adapters.slack.client import check_app_token, token_facts
from adapters.slack.settings import SlackSettings
from adapters.sql.chat.installations import SqlInstallations
from bot.access.installations import Installation
from ops.backends import build_vault, open_engine
from ops.config import Config
from ops.deploy.slack_manifest import bot_scopes
from ops.parts import utc_now
from ops.slack_installing import slack_settings
from ops.wording import general as wording
from ops.wording import slack as wording_slack
from rag_core.errors import Misconfigured, PolicyBotError

_SECONDS = 5.0
_EXPIRES = "xoxe."
"""How a token begins that is good for 12 hours."""


async def check_slack(config: Config, now: datetime | None = None) -> int:
    """Say it; 1 if Slack could not use the bot, or the bot Slack."""
    try:
        settings = slack_settings(config)
    except Misconfigured as exc:
        return _say("slack", ok=False, facts=wording.explain(exc))
    if settings is None:
        return 0
    timeout = aiohttp.ClientTimeout(total=_SECONDS)
    async with aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()) as session:
        failed = [_say("slack secret", ok=True, facts=wording_slack.SECRET_SET)]
        if settings.bot_token:
            failed.append(await _check_token(session, settings))
        if settings.oauth is not None:
            failed += [_say("slack installation", ok=ok, facts=facts) for ok, facts in await _each(config, now)]
        failed.append(await _check_way(session, settings, config))
    return max(failed)


async def _check_token(session: aiohttp.ClientSession, settings: SlackSettings) -> int:
    try:
        facts = await token_facts(client_of(session, settings.api_url, settings.bot_token))
    except PolicyBotError as exc:
        return _say("slack token", ok=False, facts=wording_slack.token_fails(_error(exc)))
    missing = sorted(set(bot_scopes()) - facts.scopes)
    if missing:
        return _say("slack token", ok=False, facts=wording_slack.scopes_missing(facts.name, missing))
    if settings.bot_token.startswith(_EXPIRES):
        return _say("slack token", ok=False, facts=wording_slack.TOKEN_EXPIRES)
    return _say("slack token", ok=True, facts=wording_slack.token_works(facts.name, facts.place, len(facts.scopes)))


async def _each(config: Config, now: datetime | None) -> list[tuple[bool, str]]:
    settings = slack_settings(config)
    async with open_engine(config) as engine:
        found = await SqlInstallations(engine, build_vault(config)).all()
    wrong = [line for each in found for line in _wrong(settings, each, now or utc_now())]
    return [*wrong, (True, wording_slack.installation_count(len(found)))]


def _wrong(settings: SlackSettings | None, it: Installation, now: datetime) -> Iterator[tuple[bool, str]]:
    oauth = settings.oauth if settings else None
    if oauth is not None and not oauth.allowed.holds(it.place, it.organisation):
        yield False, wording_slack.not_listed(it.name, it.place)
    if it.is_refused and it.expires_at is not None:
        yield False, wording_slack.renewal_refused(it.name, it.place, it.expires_at, expired=it.expires_at <= now)
    missing = sorted(set(bot_scopes()) - set(it.scopes))
    if missing:
        yield False, wording_slack.scopes_missing(it.name or it.place, missing)


async def _check_way(session: aiohttp.ClientSession, settings: SlackSettings, config: Config) -> int:
    """How Slack's events come in."""
    if config.slack_app_token is not None:
        try:
            await check_app_token(client_of(session, settings.api_url), config.slack_app_token.get_secret_value())
        except PolicyBotError as exc:
            return _say("slack socket", ok=False, facts=wording_slack.socket_fails(_error(exc)))
        return _say("slack socket", ok=True, facts=wording_slack.SOCKET_WORKS)
    if not config.chat_url:
        print(wording_slack.ADDRESS_UNKNOWN)
        return 0
    return await _check_address(session, config.chat_url.rstrip("/"))


async def _check_address(session: aiohttp.ClientSession, address: str) -> int:
    if urlsplit(address).scheme not in ("http", "https"):
        return _say("slack address", ok=False, facts=wording_slack.address_fails(address, "no https address"))
    try:
        async with session.get(f"{address}{EVENTS_PATH}?ssl_check=1", allow_redirects=False) as answer:
            status = answer.status
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as exc:
        return _say("slack address", ok=False, facts=wording_slack.address_fails(address, type(exc).__name__))
    if status != 200:
        return _say("slack address", ok=False, facts=wording_slack.address_fails(address, f"status {status}"))
    return _say("slack address", ok=True, facts=wording_slack.address_works(address))


def client_of(session: aiohttp.ClientSession, api_url: str, token: str | None = None) -> AsyncWebClient:
    return AsyncWebClient(token=token, base_url=api_url, session=session, retry_handlers=[])


def _error(exc: PolicyBotError) -> str:
    return str(exc.details.get("error") or exc.code)


def _say(name: str, *, ok: bool, facts: str) -> int:
    print(wording.doctor_line(name, ok=ok, facts=facts))
    return 0 if ok else 1
