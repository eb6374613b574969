"""The two listeners as aiohttp applications. Whoever runs them closes what they are made of."""

from collections.abc import Iterable

from aiohttp import web
from aiohttp.typedefs import Middleware

from adapters.web import health, home, metrics, sign_in, source_page
from adapters.web.api import answers, changes, library, openapi, rest, verify
from adapters.web.callers import known_callers
from adapters.web.errors import errors_as_problems, errors_for_readers
from adapters.web.guards import add_security_headers, web_guard, web_headers
from adapters.web.origins import preflights
from adapters.web.pages import set_up_templates, static_routes
from adapters.web.parts import PARTS, WebParts
from adapters.web.request_ids import name_request
from rag_core.regions import find_regions

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
    metrics.routes,
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
