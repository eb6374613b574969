"""The two listeners as aiohttp applications. Whoever runs them closes what they are made of."""

import secrets
from collections.abc import Awaitable, Callable, Iterable

import structlog
from aiohttp import web
from aiohttp.typedefs import Middleware

from adapters.web import health, home, sign_in, source_page
from adapters.web.api import answers, changes, library, openapi, rest, verify
from adapters.web.callers import known_callers
from adapters.web.guards import add_security_headers, web_guard, web_headers
from adapters.web.origins import preflights
from adapters.web.pages import render, set_up_templates, static_routes
from adapters.web.parts import PARTS, WebParts
from adapters.web.problems import Problem, attempt
from adapters.web.sign_in import sign_in_page
from rag_core.regions import find_regions

Serve = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def name_request(request: web.Request, handler: Serve) -> web.StreamResponse:
    with structlog.contextvars.bound_contextvars(request_id=secrets.token_hex(8)):
        return await handler(request)


UNAUTHORIZED = 401


@web.middleware
async def errors_as_problems(request: web.Request, handler: Serve) -> web.StreamResponse:
    outcome = await attempt(handler(request))
    return outcome.as_response() if isinstance(outcome, Problem) else outcome


@web.middleware
async def errors_for_readers(request: web.Request, handler: Serve) -> web.StreamResponse:
    """A page where somebody reads pages, problem details under `/api` and for the probes."""
    outcome = await attempt(handler(request))
    if not isinstance(outcome, Problem):
        return outcome
    if not _is_read_by_people(request):
        return outcome.as_response()
    if outcome.status == UNAUTHORIZED and request.app[PARTS].sign_in is not None:
        return _asked_to_sign_in(request, outcome)
    page = render(request, "error.html", {"problem": outcome}, status=outcome.status)
    page.headers.update(outcome.headers)
    return page


def _asked_to_sign_in(request: web.Request, problem: Problem) -> web.Response:
    """What was wanted is shown after that; what was to be done is to be done again."""
    return sign_in_page(request, request.path_qs if request.method == "GET" else "/", problem)


def _is_read_by_people(request: web.Request) -> bool:
    if request.path.startswith("/api/") or request.path in ("/api", "/healthz", "/readyz", "/metrics"):
        return False
    return "text/html" in request.headers.get("Accept", "")


_CHAT_BODY_BYTES = 1024 * 1024
"""Slack and Teams send at most some tens of kilobytes."""

_ROUTES = (
    home.routes,
    source_page.routes,
    rest.routes,
    answers.routes,
    library.routes,
    verify.routes,
    changes.routes,
    openapi.routes,
    health.routes,
)


def web_app(parts: WebParts) -> web.Application:
    """The web listener: pages, REST, `/healthz`, `/readyz`, `/metrics`."""
    guards = [web_guard(parts), preflights(parts.origins), known_callers(parts.callers, parts.limits, parts.counted_as)]
    app = _application([errors_for_readers, *guards], parts.body_bytes)
    app.on_response_prepare.append(web_headers(parts))
    app[PARTS] = parts
    set_up_templates(app)
    find_regions("")  # reads the names of places from disk: now, not while the first request waits
    for routes in _ROUTES:
        app.add_routes(routes)
    app.add_routes(static_routes())
    if parts.sign_in is not None:
        app.add_routes(sign_in.routes)
    app[openapi.DOCUMENT] = openapi.document_of(app, parts.issuer)
    return app


def described(issuer: str) -> bytes:
    """The OpenAPI document, without a server. `issuer`: whose tokens are taken, "" for nobody's."""
    app = web.Application()
    for routes in _ROUTES:
        app.add_routes(routes)
    return openapi.document_of(app, issuer)


def chat_app(routes: Iterable[web.RouteDef]) -> web.Application:
    """The chat listener: `/healthz` and the platforms' own `routes`, which authenticate what they get."""
    app = _application([errors_as_problems], _CHAT_BODY_BYTES)
    app.add_routes([web.get("/healthz", health.healthz), *routes])
    return app


def _application(middlewares: list[Middleware], body_bytes: int) -> web.Application:
    app = web.Application(middlewares=[name_request, *middlewares], client_max_size=body_bytes)
    app.on_response_prepare.append(add_security_headers)
    return app
