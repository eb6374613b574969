"""Pages of other origins that may call the REST API from a browser (CORS): none, unless the operator names them.

They send a bearer token themselves: no credentials of the browser are let through, ever.
"""

from collections.abc import Awaitable, Callable

from aiohttp import web
from aiohttp.typedefs import Middleware

Serve = Callable[[web.Request], Awaitable[web.StreamResponse]]

_API = "/api/"
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "Access-Control-Max-Age": "600",
}


def allowed_origin(request: web.Request, origins: frozenset[str]) -> str:
    """The origin that caused the request if it is one of `origins` and the API is called, else ""."""
    given = request.headers.getall("Origin", [])
    is_allowed = len(given) == 1 and given[0] in origins and request.path.startswith(_API)
    return given[0] if is_allowed else ""


def preflights(origins: frozenset[str]) -> Middleware:
    """Answers what browsers ask before they call; there are no credentials in it."""

    @web.middleware
    async def answer(request: web.Request, handler: Serve) -> web.StreamResponse:
        is_preflight = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
        if is_preflight and allowed_origin(request, origins):
            return web.Response(status=204, headers=_PREFLIGHT)
        return await handler(request)

    return answer


def add_cross_origin_headers(request: web.Request, response: web.StreamResponse, origins: frozenset[str]) -> None:
    """On every answer to an origin that is allowed, an error too."""
    if not origins:
        return
    response.headers["Vary"] = "Origin"
    if origin := allowed_origin(request, origins):
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Expose-Headers"] = "Retry-After, WWW-Authenticate"
