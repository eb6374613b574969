"""Teams' requests: authenticated, taken apart, given to the one listener for them. Nothing is answered here.

Each listener module has a `LISTENERS`; `_LISTENERS` joins them.
"""

import asyncio
import logging
from http import HTTPStatus

import aiohttp
from aiohttp import web

from adapters.teams import events, extension, lifecycle
from adapters.teams.actions import dispatch, feedback
from adapters.teams.actions.replies import not_offered
from adapters.teams.conversations import with_team
from adapters.teams.listening import INVOKE_SECONDS, MESSAGE_SECONDS, InvokeReply, Listeners
from adapters.teams.messages import TeamsActivity
from adapters.teams.parts import TeamsParts
from rag_core.errors import Rejected, Unavailable

MESSAGES_PATH = "/api/messages"
MOST_BYTES = 1_048_576
READ_SECONDS = 5.0
"""How long a body may take to come; Teams sends it at once."""

_log = logging.getLogger(__name__)
_LISTENERS: Listeners = {
    **dispatch.LISTENERS,
    **extension.LISTENERS,
    **feedback.LISTENERS,
    **lifecycle.LISTENERS,
    **events.LISTENERS,
}
_INVOKE = "invoke"


def teams_routes(parts: TeamsParts, listeners: Listeners | None = None) -> list[web.RouteDef]:
    """Nothing of it has to be closed."""
    known = _LISTENERS if listeners is None else listeners

    async def receive(request: web.Request) -> web.Response:
        try:
            body = await _read(request)
            activity = await parts.inbound.receive(request.headers.get("Authorization", ""), body)
        except Rejected as exc:
            return web.Response(status=_REFUSALS.get(exc.code, HTTPStatus.BAD_REQUEST))
        except Unavailable as exc:
            _log.warning("teams request not taken: code=%s", exc.code)
            return web.Response(status=HTTPStatus.SERVICE_UNAVAILABLE)
        if not parts.settings.allows(activity.tenant):
            _log.warning("teams tenant not allowed: tenant=%s", activity.tenant or "-")
            return web.Response(status=HTTPStatus.FORBIDDEN)
        return await _answered(parts, await with_team(parts, activity), known)

    return [web.post(MESSAGES_PATH, receive)]


_REFUSALS = {"teams_unauthenticated": HTTPStatus.UNAUTHORIZED, "teams_unreadable": HTTPStatus.BAD_REQUEST}


async def _read(request: web.Request) -> bytes:
    """Nothing for a body that is larger than MOST_BYTES or none: whose fault it is, the token says. Raises
    HTTPRequestTimeout."""
    body = b""
    try:
        async with asyncio.timeout(READ_SECONDS):
            while len(body) <= MOST_BYTES and (more := await request.content.read(MOST_BYTES + 1 - len(body))):
                body += more
    except TimeoutError as exc:
        raise web.HTTPRequestTimeout from exc
    except (aiohttp.ClientPayloadError, web.RequestPayloadError):
        return b""
    return body if len(body) <= MOST_BYTES else b""


async def _answered(parts: TeamsParts, activity: TeamsActivity, listeners: Listeners) -> web.Response:
    is_invoke = activity.kind == _INVOKE
    listener = listeners.get(f"{_INVOKE}/{activity.name}" if is_invoke else activity.kind)
    if listener is None:  # acknowledged; an error would be shown to whoever clicked, and says nothing
        _log.info("teams activity without a listener: what=%s", activity.name or activity.kind)
        return _response(not_offered(activity.name) if is_invoke else None)
    try:
        async with asyncio.timeout(INVOKE_SECONDS if is_invoke else MESSAGE_SECONDS):
            reply = await listener(parts, activity)
    except (TimeoutError, Unavailable) as exc:  # nobody was told, so it would be lost: Teams sends it again
        _log.warning("teams activity not taken: what=%s error=%s", activity.name or activity.kind, type(exc).__name__)
        return web.Response(status=HTTPStatus.SERVICE_UNAVAILABLE)
    except Rejected as exc:
        _log.warning("teams activity refused: what=%s code=%s", activity.name or activity.kind, exc.code)
        return web.Response(status=HTTPStatus.BAD_REQUEST)
    return _response(reply)


def _response(reply: InvokeReply | None) -> web.Response:
    if reply is None or reply.body is None:
        return web.Response(status=reply.status if reply else HTTPStatus.OK)
    return web.json_response(dict(reply.body), status=reply.status)
