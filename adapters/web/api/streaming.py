"""An answer as server-sent events: `status | scope | statement | answer | error`, the last one `answer` or `error`.

`scope` comes as soon as the question is understood, each `statement` as soon as it is verified; both are what the
`answer` has. Should it have other statements after all, a `status` says "replaced", and its own ones follow.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from aiohttp import web

from adapters.web.problems import Problem, attempt
from bot.model.links import Links
from bot.render.json import scope_json, statement_json
from rag_core.answers import Statement
from rag_core.ports import Watching
from rag_core.questions import Question

EVENT_STREAM = "text/event-stream"
_KEEP_ALIVE_SECONDS = 10.0
"""Shorter than the idle timeouts of common proxies (30-60 s)."""

_LOOK_SECONDS = 0.5
"""How soon it is seen that the client has gone, while there is nothing to send."""

_T = TypeVar("_T")
Outcome = dict[str, object] | Problem


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


class _Growing:
    """`rag_core.ports.Watching`: what is to be sent of an answer that is still being made."""

    def __init__(self, links: Links) -> None:
        self._links = links
        self.events: asyncio.Queue[tuple[str, object]] = asyncio.Queue()

    def understood(self, question: Question) -> None:
        self.events.put_nowait(("scope", scope_json(question.scope, self._links)))

    def stated(self, statement: Statement) -> None:
        self.events.put_nowait(("statement", statement_json(statement)))


async def stream(
    request: web.Request, links: Links, work: Callable[[Watching], Coroutine[Any, Any, dict[str, object]]]
) -> web.StreamResponse:
    """Sends `work`'s reply as events. When the client goes away the work is cancelled."""
    response = web.StreamResponse(headers={"Content-Type": EVENT_STREAM, "Cache-Control": "no-store"})
    growing = _Growing(links)
    task = asyncio.ensure_future(attempt(work(growing)))
    try:
        await response.prepare(request)
        await _send(response, "status", {"state": "searching"})
        sent = await _send_growing(request, response, growing, task)
        await _send_outcome(response, task.result(), sent)
        await response.write_eof()
    except ConnectionResetError:
        pass  # the client has gone: there is nobody to tell
    finally:
        task.cancel()
    return response


class ClientHasGone(web.HTTPClientError):
    """Nobody reads what it says; proxies log the status."""

    status_code = 499


async def while_connected(request: web.Request, work: Coroutine[Any, Any, _T]) -> _T:
    """`work`'s result; when the client goes away the work is cancelled. Raises ClientHasGone and what it raises."""
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=_LOOK_SECONDS))[0]:
            if _has_gone(request):
                raise ClientHasGone(reason="Client Closed Request")
        return task.result()
    finally:
        task.cancel()


def _has_gone(request: web.Request) -> bool:
    return request.transport is None or request.transport.is_closing()


async def _send_growing(
    request: web.Request, response: web.StreamResponse, growing: _Growing, task: asyncio.Future[Any]
) -> list[tuple[str, object]]:
    """All events until `task` is done, as they come. Raises ConnectionResetError when the client has gone."""
    sent: list[tuple[str, object]] = []
    quiet = 0.0
    while not (task.done() and growing.events.empty()):
        coming: asyncio.Future[Any] = asyncio.ensure_future(growing.events.get())
        look = min(_LOOK_SECONDS, _KEEP_ALIVE_SECONDS)
        try:
            await asyncio.wait([task, coming], timeout=look, return_when=asyncio.FIRST_COMPLETED)
        finally:
            event = coming.result() if coming.done() and not coming.cancelled() else None
            coming.cancel()
        if event is not None:
            await _send(response, *event)
            sent.append(event)
        elif _has_gone(request):
            raise ConnectionResetError
        quiet = 0.0 if event is not None else quiet + look
        if quiet >= _KEEP_ALIVE_SECONDS:
            await response.write(b": still working\n\n")
            quiet = 0.0
    return sent


async def _send_outcome(response: web.StreamResponse, outcome: Outcome, sent: list[tuple[str, object]]) -> None:
    """What of the outcome was not sent yet."""
    if isinstance(outcome, Problem):
        await _send(response, "error", outcome.as_json())
        return
    if ("scope", outcome["scope"]) not in sent:
        await _send(response, "scope", outcome["scope"])
    found = outcome["statements"]
    statements = found if isinstance(found, list) else []
    shown = [payload for event, payload in sent if event == "statement"]
    if shown != statements[: len(shown)]:
        await _send(response, "status", {"state": "replaced"})
        shown = []
    for statement in statements[len(shown) :]:
        await _send(response, "statement", statement)
    await _send(response, "answer", outcome)


async def _send(response: web.StreamResponse, event: str, payload: object) -> None:
    # json.dumps escapes line breaks, so that one `data:` line holds it all
    await response.write(f"event: {event}\ndata: {json.dumps(payload, default=str)}\n\n".encode())
