"""A website on loopback, with real sockets, whose pages a test writes as it goes."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime

import stamina.instrumentation
from aiohttp import web
from blockbuster import blockbuster_ctx

from ingest.fetching.addresses import MayConnect, any_address
from ingest.fetching.fetcher import Fetcher, FetchLimits

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
QUICK = FetchLimits(
    most_bytes=1_000_000,
    connect_seconds=2,
    total_seconds=5,
    first_wait_seconds=0.01,
    longest_wait_seconds=3,
    interval_seconds=0,
)


class FakeSite:
    """`pages`: path with query -> HTML, or what answers. Everything else is 404. `asked`: paths, in order;
    `requests`: with their headers."""

    def __init__(self) -> None:
        self.pages: dict[str, str | Answer] = {}
        self.requests: list[web.Request] = []
        self.url = ""

    @property
    def asked(self) -> list[str]:
        return [request.path_qs for request in self.requests]

    def at(self, path: str) -> str:
        return self.url + path

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        page = self.pages.get(request.path_qs, "")
        if callable(page):
            return await page(request)
        if not page:
            return web.Response(status=404)
        return web.Response(text=page, content_type="text/html")


@asynccontextmanager
async def serving_site(tls: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> AsyncIterator[FakeSite]:
    site = FakeSite()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", site.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    listening = web.TCPSite(runner, host, 0, ssl_context=tls)
    await listening.start()
    port = runner.addresses[0][1]
    site.url = f"{'https' if tls else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"
    try:
        yield site
    finally:
        await runner.cleanup()
        await asyncio.sleep(0.02)  # connections that clients have dropped are closed by the loop


@asynccontextmanager
async def fetching(
    may_connect: MayConnect = any_address, limits: FetchLimits = QUICK, **parts: object
) -> AsyncIterator[Fetcher]:
    """A fetcher that does not wait, and may reach loopback."""
    fetcher = Fetcher("adpolicy/test (+https://acme.example/otherbot)", limits, may_connect, **parts)  # type: ignore[arg-type]
    try:
        yield fetcher
    finally:
        await fetcher.aclose()


@contextmanager
def unblocked_loop() -> Iterator[None]:
    """A blocking call in the event loop fails. Without stamina's first hook, which reads files to set itself up."""
    stamina.instrumentation.set_on_retry_hooks([])
    with blockbuster_ctx():
        yield
    stamina.instrumentation.set_on_retry_hooks(None)


def status(code: int, body: str | bytes = b"", mime_type: str | None = None, **headers: str) -> Answer:
    """Always the same answer. Header names are given with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if mime_type is not None:
        named["Content-Type"] = mime_type

    async def answer(_request: web.Request) -> web.StreamResponse:
        content = body.encode() if isinstance(body, str) else body
        return web.Response(status=code, body=content, headers=named)

    return answer


def redirect(to: str, code: int = 302) -> Answer:
    return status(code, Location=to)


def in_turn(*answers: Answer) -> Answer:
    """The first answer first, and so on; the last one again and again."""
    left = list(answers)

    async def answer(request: web.Request) -> web.StreamResponse:
        return await (left.pop(0) if len(left) > 1 else left[0])(request)

    return answer


def versioned(page: str, etag: str = "", modified: str = "") -> Answer:
    """A page that answers conditional requests."""

    async def answer(request: web.Request) -> web.StreamResponse:
        headers = {name: value for name, value in (("ETag", etag), ("Last-Modified", modified)) if value}
        is_known = (etag and request.headers.get("If-None-Match") == etag) or (
            modified and request.headers.get("If-Modified-Since") == modified
        )
        if is_known:
            return web.Response(status=304, headers=headers)
        return web.Response(text=page, content_type="text/html", headers=headers)

    return answer


def page(*links: str, title: str = "Page", head: str = "") -> str:
    """HTML with links."""
    body = "".join(f'<p><a href="{link}">to {link}</a></p>' for link in links)
    return f"<html><head><title>{title}</title>{head}</head><body><h1>{title}</h1>{body}<p>Rules.</p></body></html>"


NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
