"""Tokens: those that Teams signs its requests with, and those of the bot's own app."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Protocol

import aiohttp
from yarl import URL

from adapters.teams.client import FAILED, call
from rag_core.errors import Unavailable


class SignedToken(Protocol):
    """`endorsements`: the channels that the key that signed it may speak for."""

    @property
    def claims(self) -> Mapping[str, object]: ...

    @property
    def endorsements(self) -> frozenset[str]: ...


class ChannelTokens(Protocol):
    async def checked(self, token: str) -> SignedToken | None:
        """None unless it is signed (RS256) with a named key of the issuer's, is the issuer's, for our app, and holds
        now: `exp` is there and not over, `nbf` and `iat` are not to come. Never raises for garbage.

        Keys are kept for a day, and fetched at once for one that nobody knows. Raises Unavailable where nobody can
        tell.
        """
        ...


EARLY = 300.0
"""Seconds before its end at which a token is replaced: clocks differ, and a call takes a while."""

_LATEST = 60.0  # while no new one is to be had, the old one serves until so many seconds before its end
_PAUSE = 15.0  # ... and no new one is asked for within so many seconds
_TIMEOUT = aiohttp.ClientTimeout(total=10.0)


@dataclass(frozen=True, slots=True)
class Granted:
    """`lasts`: seconds from when it was asked for."""

    token: str = field(repr=False)
    lasts: float


Grant = Callable[[str, str], Awaitable[Granted]]
"""A new token for a tenant and a scope ("https://.../.default"). Raises Unavailable: `teams_token_refused` (`error`:
Microsoft's own code), `teams_token_unreachable`. Secret and token are in neither."""


@dataclass(frozen=True, slots=True)
class _Kept:
    token: str = field(repr=False)
    renew_at: float
    ends_at: float


class AppTokens:
    """Tokens by tenant and scope, each fetched once for all who wait for it. Raises as `Grant`."""

    def __init__(self, grant: Grant, clock: Callable[[], float] = time.monotonic) -> None:
        self._grant = grant
        self._clock = clock
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._asking: dict[tuple[str, str], asyncio.Lock] = {}
        self._failed: dict[tuple[str, str], tuple[float, Unavailable]] = {}

    async def token(self, tenant: str, scope: str) -> str:
        key, began = (tenant, scope), self._clock()
        asking = self._asking.setdefault(key, asyncio.Lock())
        kept = self._kept.get(key)
        if asking.locked() and kept is not None and began < kept.ends_at - _LATEST:
            return kept.token  # a new one is being asked for, which may take long
        async with asking:
            kept = self._kept.get(key)
            if kept is None or self._clock() >= kept.renew_at:
                kept = self._kept[key] = await self._renewed(key, kept, began)
            return kept.token

    def forget(self, token: str) -> None:
        """It was refused before its end: it was revoked, or its key was rotated."""
        self._kept = {key: kept for key, kept in self._kept.items() if kept.token != token}

    async def _renewed(self, key: tuple[str, str], old: _Kept | None, since: float) -> _Kept:
        """`since`: whoever began to wait then has waited for the last attempt, if that failed later."""
        failed_at, failure = self._failed.get(key, (since, None))
        if failure is not None and failed_at > since:
            raise Unavailable(failure.code, **failure.details)
        began = self._clock()
        try:
            new = await self._grant(*key)
        except Unavailable as exc:
            self._failed[key] = (self._clock(), exc)
            if old is None or began >= old.ends_at - _LATEST:
                raise
            return _Kept(old.token, min(began + _PAUSE, old.ends_at - _LATEST), old.ends_at)
        return _Kept(new.token, began + max(0.0, new.lasts - EARLY), began + new.lasts)


class SecretGrant:
    """A `Grant` by the app's secret (OAuth 2.0 client credentials). Uses the session, does not close it."""

    def __init__(self, session: aiohttp.ClientSession, app_id: str, app_secret: str, login_url: str) -> None:
        self._session = session
        self._app_id = app_id
        self._secret = app_secret
        self._login_url = login_url.rstrip("/")

    async def __call__(self, tenant: str, scope: str) -> Granted:
        form = {
            "grant_type": "client_credentials",
            "client_id": self._app_id,
            "client_secret": self._secret,
            "scope": scope,
        }
        address = URL(f"{self._login_url}/{tenant}/oauth2/v2.0/token")
        try:
            answer = await call(self._session, "POST", address, data=form, times=_TIMEOUT)
        except FAILED as exc:
            raise Unavailable("teams_token_unreachable") from exc
        is_away = answer.status == HTTPStatus.TOO_MANY_REQUESTS or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        if is_away:
            raise Unavailable("teams_token_unreachable", status=answer.status)
        token, lasts = answer.json.get("access_token"), answer.json.get("expires_in")
        if answer.status != HTTPStatus.OK or not isinstance(token, str) or not token:
            raise Unavailable("teams_token_refused", error=answer.error)
        return Granted(token, seconds_of(lasts))


def seconds_of(lasts: object) -> float:
    """0 for what is no number: then every call asks for a new token, which is slow and right."""
    return float(lasts) if isinstance(lasts, int | float) and not isinstance(lasts, bool) else 0.0
