"""An answer as server-sent events: `status | scope | statement | answer | error`, the last one `answer` or `error`."""

import asyncio
import json
from collections.abc import Coroutine
from typing import Any

from aiohttp import web

from adapters.web.problems import Problem, attempt

EVENT_STREAM = "text/event-stream"
_KEEP_ALIVE_SECONDS = 10.0
"""Shorter than the idle timeouts of common proxies (30-60 s)."""


def wanted(accept: str) -> bool:
    """Whether an Accept header prefers an event stream to JSON."""
    weights = dict(_weight(part) for part in accept.split(","))
    as_stream = weights.get(EVENT_STREAM, 0.0)
    return as_stream > 0 and as_stream >= weights.get("application/json", 0.0)


def _weight(part: str) -> tuple[str, float]:
    media_type, *parameters = (piece.strip().lower() for piece in part.split(";"))
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                return media_type, float(parameter[2:])
            except ValueError:
                return media_type, 0.0
    return media_type, 1.0


async def stream(request: web.Request, work: Coroutine[Any, Any, dict[str, object]]) -> web.StreamResponse:
    """Sends `work`'s reply as events. When the client goes away the work is cancelled."""
    response = web.StreamResponse(headers={"Content-Type": EVENT_STREAM, "Cache-Control": "no-store"})
    task = asyncio.ensure_future(attempt(work))
    try:
        await response.prepare(request)
        await _send(response, "status", {"state": "searching"})
        while not (await asyncio.wait({task}, timeout=_KEEP_ALIVE_SECONDS))[0]:
            await response.write(b": still working\n\n")
        await _send_outcome(response, task.result())
        await response.write_eof()
    except ConnectionResetError:
        pass  # the client has gone: there is nobody to tell
    finally:
        task.cancel()
    return response


async def _send_outcome(response: web.StreamResponse, outcome: dict[str, object] | Problem) -> None:
    if isinstance(outcome, Problem):
        await _send(response, "error", outcome.as_json())
        return
    await _send(response, "scope", outcome["scope"])
    statements = outcome["statements"]
    for statement in statements if isinstance(statements, list) else ():
        await _send(response, "statement", statement)
    await _send(response, "answer", outcome)


async def _send(response: web.StreamResponse, event: str, payload: object) -> None:
    # json.dumps escapes line breaks, so that one `data:` line holds it all
    await response.write(f"event: {event}\ndata: {json.dumps(payload, default=str)}\n\n".encode())
