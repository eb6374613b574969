"""A stand-in before the real OpenSearch, which does to requests what a test says; everything else passes through."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from io import BytesIO
from typing import Any

from aiohttp import ClientSession, web

Trouble = Callable[[web.Request, bytes], Awaitable[web.Response | None]]
"""An answer in place of the real one; None: let it pass."""

Refuse = Callable[[dict[str, Any]], dict[str, Any] | None]
"""What is said of a document of a bulk request; None: let it pass."""


class OpenSearchFront:
    """`trouble` sees every request first. `seen` has method and path of all of them, `asked` the
    path with its parameters, `bodies` what they carried."""

    def __init__(self, behind: str) -> None:
        self._behind = behind
        self.trouble: Trouble | None = None
        self.seen: list[str] = []
        self.asked: list[str] = []
        self.bodies: list[bytes] = []
        self.came = asyncio.Event()
        self.url = ""

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.read()
        self.seen.append(f"{request.method} {request.path}")
        self.asked.append(request.path_qs)
        self.bodies.append(body)
        self.came.set()
        if self.trouble is not None and (instead := await self.trouble(request, body)) is not None:
            return instead
        return await self._pass_on(request, body)

    async def partly(self, request: web.Request, body: bytes, refuse: Refuse) -> web.Response:
        """A bulk request of which the chosen documents are refused, and the others written."""
        lines = body.splitlines()
        kept, verdicts = b"", []
        position = 0
        while position < len(lines):
            size = 1 if b'{"delete"' in lines[position][:10] else 2
            refused = refuse(json.loads(lines[position + 1])) if size == 2 else None
            verdicts.append(refused)
            if refused is None:
                kept += b"\n".join(lines[position : position + size]) + b"\n"
            position += size
        real = json.loads((await self._pass_on(request, kept)).body or b"{}") if kept else {"items": []}  # type: ignore[arg-type]
        written = iter(real["items"])
        items = [next(written) if refused is None else {"index": refused} for refused in verdicts]
        return web.json_response(
            {"errors": any("error" in next(iter(each.values())) for each in items), "items": items}
        )

    async def _pass_on(self, request: web.Request, body: bytes) -> web.Response:
        headers = {"content-type": request.headers.get("content-type", "application/json")}
        async with (
            ClientSession() as session,
            session.request(
                request.method,
                f"{self._behind}{request.path_qs}",
                data=BytesIO(body) if body else None,
                headers=headers,
            ) as real,
        ):
            return web.Response(status=real.status, body=await real.read(), content_type="application/json")


@asynccontextmanager
async def front_of(behind: str) -> AsyncIterator[OpenSearchFront]:
    """Listening on loopback."""
    front = OpenSearchFront(behind)
    app = web.Application(client_max_size=100_000_000)
    app.router.add_route("*", "/{path:.*}", front.answer)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    front.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield front
    finally:
        await runner.cleanup()


def error(status: int, kind: str, **more: Any) -> web.Response:
    """What OpenSearch says when it refuses."""
    return web.json_response({"error": {"type": kind, "root_cause": [{"type": kind, **more}]}}, status=status)


def when(
    found: Callable[[web.Request, bytes], bool], response: Callable[[], web.Response], times: int = 10**6
) -> Trouble:
    """Answer so, the first `times` that `found` says yes."""
    left = [times]

    async def trouble(request: web.Request, body: bytes) -> web.Response | None:
        if left[0] > 0 and found(request, body):
            left[0] -= 1
            return response()
        return None

    return trouble


async def hang(_: web.Request, __: bytes) -> web.Response | None:
    """Never answer."""
    await asyncio.Event().wait()
    return None


def queries_with(leg: str) -> Callable[[web.Request, bytes], bool]:
    """Searches that hold this kind of query ("knn", "match_phrase")."""
    return lambda request, body: request.path.endswith("/_search") and f'"{leg}"'.encode() in body


def refusing_items(chosen: Callable[[dict[str, Any]], bool], status: int, kind: str) -> Refuse:
    """Refuses the chosen documents of bulk requests (see `partly`)."""
    return lambda document: {"status": status, "error": {"type": kind, "reason": "no"}} if chosen(document) else None
