"""Who may speak to a listener at all, decided from the connection and the headers before any route runs."""

import ipaddress
import re
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Middleware

from adapters.web.parts import WebParts
from adapters.web.problems import RequestRefused

Serve = Callable[[web.Request], Awaitable[web.StreamResponse]]

_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]@/\s]+)(?::\d{1,5})?")
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Real-IP")

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
"""No script runs on any page; no other site may frame one, read one or learn what was asked (referrer)."""


async def add_security_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Signal `on_response_prepare`: every answer has them, an error of the HTTP layer too."""
    response.headers.update(SECURITY_HEADERS)
    response.headers["Server"] = "adpolicy"
    response.headers.setdefault("Cache-Control", "no-store")


def web_guard(parts: WebParts) -> Middleware:
    """The web listener's guard: peers, forwarded headers, Host (DNS rebinding), requests that other sites cause."""
    public = host_name(urlsplit(parts.links.public_url).netloc)
    hosts = {"localhost", public} if public else {"localhost"}

    @web.middleware
    async def guard(request: web.Request, handler: Serve) -> web.StreamResponse:
        _check_peer(request, parts)
        _check_host(request, hosts)
        _check_origin(request)
        return await handler(request)

    return guard


def _check_peer(request: web.Request, parts: WebParts) -> None:
    by_proxy = request.remote in parts.proxies
    if not by_proxy and any(name in request.headers for name in _FORWARDED):
        raise RequestRefused(400, "forwarded_header")
    if parts.loopback_only and not by_proxy and request.remote and not is_loopback(request.remote):
        raise RequestRefused(403, "not_local")


def _check_host(request: web.Request, hosts: set[str]) -> None:
    given = request.headers.getall("Host", [])
    if len(given) != 1:
        raise RequestRefused(400, "host_missing")
    name = host_name(given[0])
    if name is None or not (name in hosts or is_loopback(name)):
        raise RequestRefused(421, "host_unknown")


def _check_origin(request: web.Request) -> None:
    """A browser says when another site causes a request: then it may only be a person following a link."""
    if request.headers.get("Sec-Fetch-Site") != "cross-site":
        return
    if request.method not in ("GET", "HEAD") or request.headers.get("Sec-Fetch-Dest") != "document":
        raise RequestRefused(403, "cross_site")


def host_name(authority: str) -> str | None:
    """The name of `name:port`, lower-case and without brackets; None when it is none."""
    match = _HOST.fullmatch(authority)
    return match[1].strip("[]").rstrip(".").lower() if match else None


def is_loopback(address: str) -> bool:
    """Whether an IP address (an IPv4 one written as IPv6, too) is this machine's own; a name never is."""
    try:
        parsed = ipaddress.ip_address(address.split("%", 1)[0])
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None)
    return (mapped or parsed).is_loopback
