"""Who holds a bearer token, or signed in to the pages with one."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from adapters.web.callers import INSTALLATION, Caller
from bot.access.groups import Access
from bot.access.tokens import ApiToken, ApiTokens, PageSession, PageSessions, hash_of, is_token
from bot.model.messages import Actor
from rag_core.errors import PolicyBotError

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
