"""Who calls, found out once for each request, before any route runs and before its body is read."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Protocol

from aiohttp import web
from aiohttp.typedefs import Middleware

from adapters.web.problems import RequestRefused
from bot.access.tokens import Permission
from bot.model.messages import Actor
from bot.questions.limits import SteadyLimits
from rag_core.errors import Rejected

Serve = Callable[[web.Request], Awaitable[web.StreamResponse]]


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


INSTALLATION = "local"
"""The workspace of everybody who asks over REST or on the pages: limits for all of them together count it."""

ANYBODY = Caller(Actor("rest", INSTALLATION, "anonymous"), known=False)
"""Who asks where nobody is authenticated: public documents only."""

NOBODY = Caller(Actor("rest", INSTALLATION, "anonymous"), permissions=frozenset(), known=False)
"""Who calls without credentials what needs none, where others are authenticated."""

REALM = 'Bearer realm="adpolicy"'


class Callers(Protocol):
    """Tells who calls. Raises RequestRefused(401) for credentials that are missing or wrong, Unavailable."""

    async def caller(self, request: web.Request) -> Caller: ...


class Unauthenticated:
    """Callers of a listener that no tokens and no issuer are configured for; it stays on loopback."""

    async def caller(self, request: web.Request) -> Caller:
        return ANYBODY


SIGNED_IN = web.RequestKey("SIGNED_IN", bool)
"""Set where a person called with the cookie of the pages: he can sign out."""

_CALLER = web.RequestKey("_CALLER", Caller)


def own_name(actor: Actor) -> Actor:
    """Who is counted, where nobody has a pseudonym."""
    return actor


def known_callers(
    callers: Callers, limits: SteadyLimits | None = None, counted_as: Callable[[Actor], Actor] = own_name
) -> Middleware:
    """Finds out who calls, whatever the route; `limits` hold for everything that one who is known does, who is counted
    as `counted_as` names him."""

    @web.middleware
    async def find(request: web.Request, handler: Serve) -> web.StreamResponse:
        caller = request[_CALLER] = await callers.caller(request)
        if caller.known and limits is not None:
            limited = await limits.hit(counted_as(caller.on("requests")), None)  # counted apart from what Asking counts
            if limited.seconds > 0:
                raise Rejected("requests_limited", seconds=math.ceil(limited.seconds))
        return await handler(request)

    return find


def caller_of(request: web.Request, permission: Permission) -> Caller:
    """Who calls. Raises RequestRefused(403) where he may not do this."""
    caller = request[_CALLER]
    if permission not in caller.permissions:
        challenge = {"WWW-Authenticate": f'{REALM}, error="insufficient_scope", scope="{permission.value}"'}
        raise RequestRefused(403, "permission_missing", challenge, permission=permission.value)
    return caller


def may(request: web.Request, permission: Permission) -> bool:
    return permission in request[_CALLER].permissions
