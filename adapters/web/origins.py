"""Origins: whether one of our own pages caused a request, and which other pages may call the REST API (CORS)."""

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Middleware


def is_of_our_page(request: web.Request, public_url: str) -> bool:
    """By Sec-Fetch-Site; from a browser that does not send it (an old one, or a plain http address), by Origin."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    host, public = request.headers.get("Host", "").lower(), origin_of(public_url)
    ours = {public} if public.partition("://")[2] == host else {f"http://{host}", f"https://{host}"}
    return {origin.lower() for origin in request.headers.getall("Origin", [""])} <= ours


def origin_of(url: str) -> str:
    """`scheme://host:port`, as browsers write it in Origin; "" for no address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower() if parts.netloc else ""


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
