"""Who may speak to a listener at all, decided from the connection and the headers before any route runs."""

import ipaddress
import re
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Middleware

from adapters.web.origins import add_cross_origin_headers, allowed_origin, is_of_our_page
from adapters.web.parts import WebParts
from adapters.web.problems import RequestRefused

Serve = Callable[[web.Request], Awaitable[web.StreamResponse]]

_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]@/\s]+)(?::[0-9]{1,5})?")
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

SERVER = "adpolicy"
"""All that is said of the server's software."""

_HSTS = "max-age=31536000"
"""A year, for this name and not for those below it: they may be somebody else's."""


async def add_security_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Signal `on_response_prepare`: every answer has them, an error of the HTTP layer too."""
    response.headers.update(SECURITY_HEADERS)
    response.headers["Server"] = SERVER
    response.headers.setdefault("Cache-Control", "no-store")


def web_headers(parts: WebParts) -> Callable[[web.Request, web.StreamResponse], Awaitable[None]]:
    """The same signal for the web listener: what depends on its parts."""

    async def add(request: web.Request, response: web.StreamResponse) -> None:
        if parts.is_https:
            response.headers["Strict-Transport-Security"] = _HSTS
        if parts.sign_in is not None:  # without a referrer at all browsers say of our own forms: Origin null
            response.headers["Referrer-Policy"] = "same-origin"
        add_cross_origin_headers(request, response, parts.origins)

    return add


def web_guard(parts: WebParts) -> Middleware:
    """The web listener's guard: peers, forwarded headers, Host (DNS rebinding), requests that other sites cause."""
    public = host_name(urlsplit(parts.links.public_url).netloc)
    hosts = {"localhost", public} if public else {"localhost"}

    @web.middleware
    async def guard(request: web.Request, handler: Serve) -> web.StreamResponse:
        _check_peer(request, parts)
        _check_host(request, hosts, any_address=not parts.loopback_only)
        _check_origin(request, parts)
        return await handler(request)

    return guard


def _check_peer(request: web.Request, parts: WebParts) -> None:
    by_proxy = request.remote in parts.proxies
    if not by_proxy and any(name in request.headers for name in _FORWARDED):
        raise RequestRefused(400, "forwarded_header")
    if parts.loopback_only and not by_proxy and request.remote and not is_loopback(request.remote):
        raise RequestRefused(403, "not_local")


def _check_host(request: web.Request, hosts: set[str], *, any_address: bool) -> None:
    """`any_address`: an IP address is let through; no other site can make its pages come from one of ours."""
    given = request.headers.getall("Host", [])
    if len(given) != 1:
        raise RequestRefused(400, "host_missing")
    if not request.raw_path.startswith("/"):  # a whole address (RFC 9112, 3.2.2), whose host counts before the header
        given.append(urlsplit(request.raw_path).netloc)
    for name in map(host_name, given):
        if name is None or not (name in hosts or is_loopback(name) or (any_address and _is_address(name))):
            raise RequestRefused(421, "host_unknown")


def _check_origin(request: web.Request, parts: WebParts) -> None:
    """A browser says when another site (or another host of ours) causes a request: then it may only be a person
    following a link, or a page that the operator named. One that says no more than an origin (an old browser, or a
    plain http address) sends that of our own pages."""
    if allowed_origin(request, parts.origins):
        return
    site = request.headers.get("Sec-Fetch-Site")
    if site is None and "Origin" in request.headers and not is_of_our_page(request, parts.links.public_url):
        raise RequestRefused(403, "cross_site")
    is_followed = request.method in ("GET", "HEAD") and request.headers.get("Sec-Fetch-Dest") == "document"
    if site not in (None, "same-origin", "none") and not is_followed:
        raise RequestRefused(403, "cross_site")


def host_name(authority: str) -> str | None:
    """The name of `name:port`, lower-case and without brackets; None when it is none."""
    match = _HOST.fullmatch(authority)
    return match[1].strip("[]").rstrip(".").lower() if match else None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(address: str) -> bool:
    """Whether an IP address (an IPv4 one written as IPv6, too) is this machine's own; a name never is."""
    try:
        parsed = ipaddress.ip_address(address.split("%", 1)[0])
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None)
    return (mapped or parsed).is_loopback
