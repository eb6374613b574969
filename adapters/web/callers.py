"""Who calls, found out once for each request, before any route runs."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from aiohttp import web
from aiohttp.typedefs import Middleware

from adapters.web.problems import RequestRefused
from bot.messages import Actor

Serve = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Permission(StrEnum):
    """What a caller may do."""

    ASK = "ask"
    """Ask questions, send feedback, read his own answers."""

    READ = "read"
    """Search, read passages, documents, changes and source pages."""

    METRICS = "metrics"
    """Read the figures of the process."""


@dataclass(frozen=True, slots=True)
class Caller:
    """`actor` names him in conversations, limits and the record; `groups` are the operator's names of what he belongs
    to. `known`: somebody authenticated him; nobody else is counted against limits by name."""

    actor: Actor
    groups: frozenset[str] = frozenset()
    permissions: frozenset[Permission] = frozenset(Permission)
    known: bool = True

    def on(self, platform: str) -> Actor:
        """The same person, as the web pages or the API know him."""
        return replace(self.actor, platform=platform)


ANYBODY = Caller(Actor("rest", "local", "anonymous"), known=False)
"""Who asks where nobody is authenticated: public documents only."""


class Callers(Protocol):
    """Tells who calls. Raises RequestRefused(401) for credentials that are missing or wrong, Unavailable."""

    async def caller(self, request: web.Request) -> Caller: ...


class Unauthenticated:
    """Callers of a listener that no tokens and no issuer are configured for; it stays on loopback."""

    async def caller(self, request: web.Request) -> Caller:
        return ANYBODY


_CALLER = web.RequestKey("_CALLER", Caller)


def known_callers(callers: Callers) -> Middleware:
    """Finds out who calls, whatever the route."""

    @web.middleware
    async def find(request: web.Request, handler: Serve) -> web.StreamResponse:
        request[_CALLER] = await callers.caller(request)
        return await handler(request)

    return find


def caller_of(request: web.Request, permission: Permission) -> Caller:
    """Who calls. Raises RequestRefused(403) where he may not do this."""
    caller = request[_CALLER]
    if permission not in caller.permissions:
        raise RequestRefused(403, "permission_missing", permission=permission.value)
    return caller
