"""The HTTP server below both listeners: its limits, and what it says and logs of requests that are none."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from http import HTTPStatus
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web_protocol import RequestHandler

from adapters.web.guards import SECURITY_HEADERS, SERVER
from adapters.web.problems import Problem, attempt

_REQUEST_LINE_BYTES = 32 * 1024
_HEADER_BYTES = 16 * 1024
"""Room for a token of an identity provider with many groups in it."""

_SHUTDOWN_SECONDS = 25.0
"""A stop waits so long for requests that are being answered: a little more than an answer may take by default."""

_IDLE_SECONDS = 75.0
"""A connection that brings no whole request in that time is closed: longer than common proxies keep theirs (60 s)."""

MOST_CONNECTIONS = 400
"""Of one address: well below the 1,024 files that a process may commonly have open."""

_Serve = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]

_TOO_MANY = b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def runner(
    app: web.Application,
    idle_seconds: float = _IDLE_SECONDS,
    *,
    most_connections: int | None = None,
    proxies: Collection[str] = frozenset(),
) -> web.AppRunner:
    """How either listener is run: no access log, because addresses hold questions, and a request line long enough
    for the longest question in any script. No body is unpacked: even after a refusal aiohttp would go on unpacking what
    is left of it, for up to 10 s and without a break for anybody else.

    `most_connections`: of one address that is none of `proxies`, at the same time; one more is answered with 429. None:
    any number.
    """
    running = _Runner(
        app,
        access_log=None,
        auto_decompress=False,
        logger=_server_log(),
        keepalive_timeout=idle_seconds,
        max_line_size=_REQUEST_LINE_BYTES,
        max_field_size=_HEADER_BYTES,
        shutdown_timeout=_SHUTDOWN_SECONDS,
    )
    running.by_address = _Connections(most_connections, proxies)
    return running


class _OfRequests(logging.Filter):
    """Leaves out what is the client's fault: with a stack trace each, anybody could fill the log with noise."""

    def filter(self, record: logging.LogRecord) -> bool:
        cause = record.exc_info[1] if record.exc_info else None
        return not isinstance(cause, HttpProcessingError | web.RequestPayloadError)


_FILTER = _OfRequests()


def _server_log() -> logging.Logger:
    logger = logging.getLogger("aiohttp.server")
    logger.addFilter(_FILTER)
    return logger


class _Connections:
    """How many are open, by address."""

    def __init__(self, most: int | None, proxies: Collection[str]) -> None:
        self._most, self._proxies = most, proxies
        self._open = Counter[str]()

    def opened(self, address: str) -> bool:
        """Whether one more may be; then it counts."""
        if self._most is not None and address not in self._proxies and self._open[address] >= self._most:
            return False
        self._open[address] += 1
        return True

    def closed(self, address: str) -> None:
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]


class _Handler(RequestHandler):
    """A connection. What cannot be parsed is answered without naming the server's software or repeating what came."""

    __slots__ = ("_address", "_connections")

    def __init__(self, server: web.Server, connections: _Connections, **options: Any) -> None:
        super().__init__(server, **options)
        self._connections = connections
        self._address: str | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if peer else ""
        if self._connections.opened(address):
            self._address = address
            super().connection_made(transport)
        elif isinstance(transport, asyncio.WriteTransport):
            transport.write(_TOO_MANY)
            transport.close()

    def connection_lost(self, exc: BaseException | None) -> None:
        if self._address is not None:
            self._connections.closed(self._address)
            self._address = None
        super().connection_lost(exc)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        response = super().handle_error(request, status, exc, HTTPStatus(status).phrase)
        response.headers.update(SECURITY_HEADERS)
        response.headers["Server"] = SERVER
        return response


class _Server(web.Server):
    by_address: _Connections

    def __call__(self) -> RequestHandler:
        return _Handler(self, self.by_address, loop=self._loop, **self._kwargs)


class _Runner(web.AppRunner):
    by_address: _Connections

    async def _make_server(self) -> web.Server:
        server = await super()._make_server()
        server.__class__ = _Server  # an application makes no other server, and a server no other connections
        server.by_address = self.by_address  # type: ignore[attr-defined]
        server.request_handler = _as_problems(server.request_handler)
        return server


def _as_problems(serve: _Serve) -> _Serve:
    """Also what aiohttp refuses before any middleware of an application runs: an unknown `Expect`, which it repeats."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        outcome = await attempt(serve(request))
        return outcome.as_response() if isinstance(outcome, Problem) else outcome

    return answer
