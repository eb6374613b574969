"""An id for each request, in every line that is logged while it is answered. Ours, never one that a caller sends."""

import secrets
from collections.abc import Awaitable, Callable

import structlog
from aiohttp import web

Serve = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def name_request(request: web.Request, handler: Serve) -> web.StreamResponse:
    with structlog.contextvars.bound_contextvars(request_id=secrets.token_hex(8)):
        return await handler(request)
