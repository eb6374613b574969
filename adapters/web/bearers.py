"""Callers who must say who they are: a bearer token in the header, or the cookie of the pages."""

import re
from dataclasses import dataclass

from aiohttp import web

from adapters.web.attempts import FailedAttempts
from adapters.web.callers import NOBODY, REALM, SIGNED_IN, Caller
from adapters.web.identities import IdentityHolders
from adapters.web.peers import peer_of
from adapters.web.problems import RequestRefused
from adapters.web.same_origin import is_of_our_page
from adapters.web.token_holders import TokenHolders
from bot.access.tokens import PREFIX, hash_of
from rag_core.errors import Unavailable

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
