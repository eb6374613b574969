"""Who is let in to web pages and REST, as the settings say: put together, and looked at by `doctor`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import aiohttp
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.oidc.settings import OidcSettings
from adapters.sql.people.api_tokens import SqlApiTokens, SqlPageSessions
from adapters.web.callers import Callers, Unauthenticated
from adapters.web.credentials import BearerCallers, ClaimNames, FailedAttempts, IdentityHolders, TokenHolders
from adapters.web.parts import PageSignIn, cookie_name
from bot.access.groups import Access
from bot.access.tokens import ApiToken
from bot.questions.limits import limit_from
from ops.backends import open_engine
from ops.config import Config, names
from ops.parts import utc_now
from ops.wording import general as wording
from ops.wording import web_access as wording_web_access
from rag_core.errors import PolicyBotError

if TYPE_CHECKING:
    from adapters.oidc.issuer import IssuerKeys

_SOON = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class WebAccess:
    """What the web listener is given of it."""

    callers: Callers
    sign_in: PageSignIn | None = None


@asynccontextmanager
async def open_web_access(config: Config, engine: AsyncEngine, access: Access) -> AsyncIterator[WebAccess]:
    """`access` knows the operator's groups. Raises Misconfigured."""
    attempts = FailedAttempts(limit_from(config.limit_failures, "ADPOLICY_LIMIT_FAILURES"))
    if not config.is_protected:
        yield WebAccess(Unauthenticated())
        return
    tokens = _token_holders(config, engine, access) if config.web_tokens else None
    async with _session() as session:
        callers = BearerCallers(
            tokens=tokens,
            identities=_identities(config, session, access) if config.oidc_issuer else None,
            attempts=attempts,
            proxies=frozenset(names(config.trusted_proxies)),
            cookie=cookie_name(config.public_url),
            public_url=config.public_url,
        )
        yield WebAccess(callers, PageSignIn(tokens, attempts) if tokens else None)


async def check_web_access(config: Config, now: datetime | None = None) -> int:
    """The part of `doctor` about credentials; 1 if nobody could come in who should."""
    async with open_engine(config) as engine:
        tokens = await SqlApiTokens(engine).all()
    failed = _tell_tokens(config, tokens, now or utc_now())
    if config.oidc_issuer:
        failed = max(failed, await _tell_issuer(config))
    return failed


def _tell_tokens(config: Config, tokens: list[ApiToken], now: datetime) -> int:
    live = [each for each in tokens if each.holds_at(now)]
    expired = sum(each.revoked_at is None and each.expires_at <= now for each in tokens)
    failed = config.web_tokens and not live and not config.oidc_issuer
    if failed:
        facts = wording_web_access.NO_TOKEN_IN_FORCE
    elif config.web_tokens:
        facts = wording_web_access.tokens_facts(len(live), expired)
    elif live:
        facts = wording_web_access.tokens_not_asked_for(len(live))
    else:
        facts = "" if config.oidc_issuer else wording_web_access.NO_CREDENTIALS
    if facts:
        print(wording.doctor_line("tokens", ok=not failed, facts=facts))
    for each in live if config.web_tokens else ():
        if each.expires_at - now < _SOON:
            print(
                wording_web_access.doctor_note(
                    wording_web_access.token_expires(each.name, (each.expires_at - now).days)
                )
            )
    return int(failed)


async def _tell_issuer(config: Config) -> int:
    async with _session() as session:
        try:
            keys = await _keys(config, session).fetch()
        except PolicyBotError as exc:
            facts = wording_web_access.issuer_fails(config.oidc_issuer, wording.explain(exc))
            print(wording.doctor_line("issuer", ok=False, facts=facts))
            return 1
    print(wording.doctor_line("issuer", ok=True, facts=wording_web_access.issuer_works(config.oidc_issuer, len(keys))))
    return 0


def _token_holders(config: Config, engine: AsyncEngine, access: Access) -> TokenHolders:
    tokens, sessions = SqlApiTokens(engine), SqlPageSessions(engine)
    return TokenHolders(tokens, sessions, access, session_hours=config.web_session_hours, now=utc_now)


def _identities(config: Config, session: aiohttp.ClientSession, access: Access) -> IdentityHolders:
    from adapters.oidc.verifying import OidcTokens  # noqa: PLC0415 - only who uses it waits for its import

    keys = _keys(config, session)
    claims = ClaimNames(config.oidc_person_claim, config.oidc_groups_claim, config.oidc_permissions_claim)
    return IdentityHolders(OidcTokens(_settings(config), keys, utc_now), claims, access)


def _keys(config: Config, session: aiohttp.ClientSession) -> "IssuerKeys":
    from adapters.oidc.issuer import IssuerKeys  # noqa: PLC0415

    return IssuerKeys(_settings(config), session)


def _settings(config: Config) -> OidcSettings:
    return OidcSettings(config.oidc_issuer, config.oidc_audience)


def _session() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
