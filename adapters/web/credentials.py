"""Credentials: bearer tokens and tokens of the identity provider, and wrong ones counted for each address."""

import re
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from aiohttp import web

from adapters.web.callers import INSTALLATION, NOBODY, REALM, SIGNED_IN, Caller
from adapters.web.origins import is_of_our_page
from adapters.web.peers import peer_of
from adapters.web.problems import RequestRefused
from bot.access.groups import Access
from bot.access.tokens import PREFIX, ApiToken, ApiTokens, PageSession, PageSessions, Permission, hash_of, is_token
from bot.model.messages import Actor
from bot.questions.limits import Limit
from rag_core.errors import PolicyBotError, Rejected, Unavailable

_MOST_ADDRESSES = 50_000


class FailedAttempts:
    """In this process: each of several counts for itself. Of more than `most` addresses those that failed longest ago
    start anew. `limit` None: as often as they like.

    What was right within the last hour is looked at however much else failed there: whoever shares an address with
    somebody who tries things out stays in.
    """

    def __init__(
        self, limit: Limit | None, *, most: int = _MOST_ADDRESSES, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limit = limit
        self._most = most
        self._clock = clock
        self._failed: OrderedDict[str, deque[float]] = OrderedDict()
        self._good: OrderedDict[str, float] = OrderedDict()

    def check(self, peer: str, secret_hash: str = "") -> None:
        """Raises Rejected("attempts_limited", seconds) for an address from which too much was wrong."""
        now = self._clock()
        if self._limit is None or now < self._good.get(secret_hash, now):
            return
        failed = self._failed.get(peer, deque())
        while failed and failed[0] <= now - self._limit.seconds:
            failed.popleft()
        if len(failed) >= self._limit.times:
            raise Rejected("attempts_limited", seconds=failed[0] + self._limit.seconds - now)

    def failed(self, peer: str) -> None:
        if self._limit is None:
            return
        failed = self._failed.setdefault(peer, deque(maxlen=self._limit.times))
        failed.append(self._clock())
        self._failed.move_to_end(peer)
        if len(self._failed) > self._most:
            self._failed.popitem(last=False)

    def succeeded(self, secret_hash: str) -> None:
        self._good[secret_hash] = self._clock() + 3600.0
        self._good.move_to_end(secret_hash)
        if len(self._good) > self._most:
            self._good.popitem(last=False)


FRESH_SECONDS = 5.0
"""How long a token that was looked up is not looked up again: so long a revoked one may still let somebody in, and so
long nobody notices that the database is down."""

_NOTE_USE_SECONDS = 600.0
_MOST = 10_000
_SESSION_BYTES = 32
_Kept = TypeVar("_Kept")


@dataclass(frozen=True, slots=True)
class SignedIn:
    """`secret`: what the browser keeps; `seconds` from now it is of no use any more."""

    secret: str
    seconds: int


@dataclass(slots=True)
class _Seen:
    token: ApiToken
    looked_up: float


class TokenHolders:
    """Looks tokens up by their hash, never compares them. Raises Unavailable while that is impossible.

    `now`: UTC; a token that expires ends at that moment, cached or not. A group that the catalogue does not declare any
    more, as `access` has it, is nobody's: not that of tokens made before, either.
    """

    def __init__(
        self,
        tokens: ApiTokens,
        sessions: PageSessions,
        access: Access,
        *,
        session_hours: float,
        now: Callable[[], datetime],
        clock: Callable[[], float] = time.monotonic,
        new_secret: Callable[[int], str] = secrets.token_urlsafe,
    ) -> None:
        self._tokens = tokens
        self._sessions = sessions
        self._access = access
        self._session = timedelta(hours=session_hours)
        self._now = now
        self._clock = clock
        self._new_secret = new_secret
        self._seen: OrderedDict[str, _Seen] = OrderedDict()
        self._noted: OrderedDict[str, float] = OrderedDict()

    async def of_token(self, secret: str) -> Caller | None:
        token = await self._token(secret)
        return None if token is None else self._caller(token)

    async def of_session(self, secret: str) -> Caller | None:
        """Who signed in and was given `secret`."""
        hash_ = hash_of(secret)
        token = await self._found(f"session {hash_}", lambda: self._sessions.token_of(hash_, self._now()))
        return None if token is None else self._caller(token)

    async def sign_in(self, secret: str) -> SignedIn | None:
        """None for a token that lets nobody in."""
        token = await self._token(secret)
        if token is None:
            return None
        now = self._now()
        ends = min(now + self._session, token.expires_at)
        chosen = self._new_secret(_SESSION_BYTES)
        await self._sessions.open(hash_of(chosen), PageSession(token.token_id, now, ends))
        return SignedIn(chosen, int((ends - now).total_seconds()))

    async def sign_out(self, secret: str) -> None:
        hash_ = hash_of(secret)
        self._seen.pop(f"session {hash_}", None)
        await self._sessions.close(hash_)

    async def _token(self, secret: str) -> ApiToken | None:
        if not is_token(secret):
            return None
        hash_ = hash_of(secret)
        return await self._found(f"token {hash_}", lambda: self._tokens.with_hash(hash_))

    async def _found(self, key: str, look_up: Callable[[], Awaitable[ApiToken | None]]) -> ApiToken | None:
        seen = self._seen.get(key)
        if seen is None or self._clock() - seen.looked_up >= FRESH_SECONDS:
            self._seen.pop(key, None)
            token = await look_up()
            if token is None:
                return None
            seen = _keep(self._seen, key, _Seen(token, self._clock()))
        if not seen.token.holds_at(self._now()):
            return None
        await self._note_use(seen.token.token_id)
        return seen.token

    def _caller(self, token: ApiToken) -> Caller:
        groups = self._access.declared(token.groups)
        return Caller(Actor("rest", INSTALLATION, f"token:{token.token_id}"), groups, token.permissions)

    async def _note_use(self, token_id: str) -> None:
        if self._clock() - self._noted.get(token_id, float("-inf")) < _NOTE_USE_SECONDS:
            return
        _keep(self._noted, token_id, self._clock())
        with suppress(PolicyBotError):  # a date for the operator: nobody is kept waiting or out for it
            await self._tokens.used(token_id, self._now())


def _keep(kept: OrderedDict[str, _Kept], key: str, value: _Kept) -> _Kept:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > _MOST:
        kept.popitem(last=False)
    return value


_LONGEST = 255
_MOST_NAMES = 2_000
_PREFIXES = ("", "adpolicy:", "adpolicy.", "adpolicy/")


class IdentityTokens(Protocol):
    """Checks tokens of an issuer. Raises Unavailable when that is impossible now."""

    async def verified(self, token: str) -> Mapping[str, object] | None:
        """The claims of a token that is the issuer's, is for us and holds now; else None."""
        ...


@dataclass(frozen=True, slots=True)
class ClaimNames:
    """Which claims say who it is, his groups and what he may do; `permissions` "": everybody may ask and read."""

    person: str = "sub"
    groups: str = "groups"
    permissions: str = ""


class IdentityHolders:
    """Claims -> caller. What a claim does not say in the form it should is not said."""

    def __init__(self, tokens: IdentityTokens, names: ClaimNames, access: Access) -> None:
        self._tokens = tokens
        self._names = names
        self._access = access

    async def of_token(self, token: str) -> Caller | None:
        claims = await self._tokens.verified(token)
        person = claims.get(self._names.person) if claims else None
        if claims is None or not isinstance(person, str) or not (0 < len(person) <= _LONGEST and person.isprintable()):
            return None
        groups = self._access.named(frozenset(f"oidc:{name}" for name in self._groups(claims)))
        return Caller(Actor("rest", INSTALLATION, f"oidc:{person}"), groups, self._permissions(claims))

    def _groups(self, claims: Mapping[str, object]) -> list[str]:
        elsewhere = claims.get("_claim_names")
        if isinstance(elsewhere, Mapping) and self._names.groups in elsewhere:
            return []  # Entra: too many for a token, so what stands here, if anything, is not all and may be anybody's
        return _names(claims.get(self._names.groups))

    def _permissions(self, claims: Mapping[str, object]) -> frozenset[Permission]:
        if not self._names.permissions:
            return frozenset({Permission.ASK, Permission.READ})
        value = claims.get(self._names.permissions)
        given = set(value.split() if isinstance(value, str) else _names(value))
        return frozenset(each for each in Permission if any(f"{prefix}{each}" in given for prefix in _PREFIXES))


def _names(value: object) -> list[str]:
    """A name, or a list of names; of a list with anything else in it, nothing."""
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or len(found) > _MOST_NAMES:
        return []
    names = [each for each in found if isinstance(each, str)]
    return names if len(names) == len(found) else []


SIGN_IN, SIGN_OUT = "/sign-in", "/sign-out"
MISSING = "credentials_missing"
LONGEST_TOKEN = 12_000
"""Characters. Tokens of identity providers with many groups in them are the longest."""

_BEARER = re.compile(r"bearer +([A-Za-z0-9._~+/-]+=*)", re.IGNORECASE)
_OPEN = frozenset({"/healthz", SIGN_IN, SIGN_OUT})
_OPTIONAL = frozenset({"/readyz"})
_SAFE_METHODS = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class _Given:
    """What a request came with; "" for what cannot be right."""

    secret: str
    is_cookie: bool = False


class BearerCallers:
    """`adapters.web.callers.Callers` of a listener with `tokens` of our own, `identities` of a provider, or both.

    `cookie` is the name of the pages' cookie. A token in an address or a body is never looked at. Raises
    Unavailable("callers_unknown") while nobody can tell who it is: then nobody is let in.
    """

    def __init__(
        self,
        *,
        tokens: TokenHolders | None,
        identities: IdentityHolders | None,
        attempts: FailedAttempts,
        proxies: frozenset[str] = frozenset(),
        cookie: str = "",
        public_url: str = "",
    ) -> None:
        self._tokens = tokens
        self._identities = identities
        self._attempts = attempts
        self._proxies = proxies
        self._cookie = cookie
        self._public_url = public_url

    async def caller(self, request: web.Request) -> Caller:
        route = _route(request)
        if route in _OPEN or route.startswith("/static/"):
            return NOBODY
        given = self._given(request)
        if given is None and route in _OPTIONAL:
            return NOBODY
        if given is None:
            raise unauthorized(MISSING)
        return await self._known(request, given)

    async def _known(self, request: web.Request, given: _Given) -> Caller:
        """Raises RequestRefused(401), which never says what was wrong."""
        peer, hash_ = peer_of(request, self._proxies), hash_of(given.secret)
        self._attempts.check(peer, hash_)
        try:
            caller = await self._holder(given) if given.secret else None
        except Unavailable as exc:
            raise Unavailable("callers_unknown") from exc
        if caller is None:
            self._attempts.failed(peer)
            raise unauthorized(MISSING if given.is_cookie else "credentials_invalid")
        self._attempts.succeeded(hash_)
        request[SIGNED_IN] = given.is_cookie
        return caller

    async def _holder(self, given: _Given) -> Caller | None:
        if given.is_cookie:
            return await self._tokens.of_session(given.secret) if self._tokens else None
        if given.secret.startswith(PREFIX):
            return await self._tokens.of_token(given.secret) if self._tokens else None
        return await self._identities.of_token(given.secret) if self._identities else None

    def _given(self, request: web.Request) -> _Given | None:
        headers = request.headers.getall("Authorization", [])
        if not headers:
            return self._cookie_given(request)
        match = _BEARER.fullmatch(headers[0].strip()) if len(headers) == 1 else None
        return _Given(match[1] if match and len(match[1]) <= LONGEST_TOKEN else "")

    def _cookie_given(self, request: web.Request) -> _Given | None:
        """A browser sends it by itself, so it does nothing but read, unless a page of ours caused the request."""
        value = request.cookies.get(self._cookie, "") if self._cookie else ""
        if not value or len(value) > LONGEST_TOKEN:
            return None
        if request.method not in _SAFE_METHODS and not is_of_our_page(request, self._public_url):
            return None
        return _Given(value, is_cookie=True)


def unauthorized(code: str) -> RequestRefused:
    """RFC 6750: an error is named only where credentials came along."""
    error = "" if code == MISSING else ', error="invalid_token"'
    return RequestRefused(401, code, {"WWW-Authenticate": f"{REALM}{error}"})


def _route(request: web.Request) -> str:
    """The route as it was declared, not as the address spells it; "" where there is none."""
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else ""
