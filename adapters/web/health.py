"""`/healthz`: the process answers. `/readyz`: so do the store and the index."""

import asyncio
from collections.abc import Awaitable

from aiohttp import web

from adapters.web.parts import EVERYBODY, PARTS, WebParts
from rag_core.errors import Unavailable
from rag_core.questions import Filters

_READY_SECONDS = 5.0
_PROBE = "advertising policy"
"""Any words do: the question is whether the index answers, not what."""


routes = web.RouteTableDef()


@routes.get("/healthz")
async def healthz(_: web.Request) -> web.Response:
    return web.json_response({"status": "ok"})


@routes.get("/readyz")
async def readyz(request: web.Request) -> web.Response:
    """200 when both answer, else 503; `degraded` names parts of the search that do not."""
    parts = request.app[PARTS]
    store, index = await asyncio.gather(_answers(_store(parts)), _answers(_index(parts)))
    ready = store is not None and index is not None
    checks = {"store": "ok" if store is not None else "down", "index": "ok" if index is not None else "down"}
    body = {"status": "ready" if ready else "not_ready", "checks": checks, "degraded": list(index or ())}
    return web.json_response(body, status=200 if ready else 503)


async def _answers(work: Awaitable[tuple[str, ...]]) -> tuple[str, ...] | None:
    """What `work` says is degraded, or None if it does not answer in time."""
    try:
        async with asyncio.timeout(_READY_SECONDS):
            return await work
    except (Unavailable, TimeoutError):
        return None


async def _store(parts: WebParts) -> tuple[str, ...]:
    await parts.store.sources(EVERYBODY)
    return ()


async def _index(parts: WebParts) -> tuple[str, ...]:
    found = await parts.search(
        _PROBE,
        filters=Filters(),
        today=parts.today(),
        as_of=None,
        groups=EVERYBODY,
        limit=1,
        prefer_specific=False,
    )
    return found.degraded
