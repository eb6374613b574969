"""`POST /api/v1/ask` and `/api/v1/search`: JSON in, JSON (or an event stream) out."""

import asyncio
from collections.abc import Coroutine

from aiohttp import web

from adapters.web.api import streaming
from adapters.web.api.input import AskBody, SearchBody, read_body
from adapters.web.api.library import passage_json
from adapters.web.api.operations import OF_QUESTIONS, Operation, serves
from adapters.web.api.shapes import ReplyShape, ScopeShape, StatementShape
from adapters.web.api.shapes_store import ProblemShape, ProgressShape, SearchShape
from adapters.web.callers import Caller, caller_of
from adapters.web.parts import PARTS, WebParts
from adapters.web.peers import peer_of
from bot.access.tokens import Permission
from bot.model.messages import Actor, Conversation
from bot.questions.answerer import Asked
from bot.render.json import reply_json
from rag_core.ports import Watching

routes = web.RouteTableDef()

_EVENTS = {
    "status": ProgressShape,
    "scope": ScopeShape,
    "statement": StatementShape,
    "answer": ReplyShape,
    "error": ProblemShape,
}


@routes.post("/api/v1/ask")
@serves(Operation(Permission.ASK, ReplyShape, AskBody, refused=OF_QUESTIONS, events=_EVENTS))
async def ask(request: web.Request) -> web.StreamResponse:
    """An answer, a refusal or a clarification."""
    parts, caller = request.app[PARTS], caller_of(request, Permission.ASK)
    body = await read_body(request, AskBody)
    peer = peer_of(request, parts.proxies)
    if streaming.wanted(request.headers.get("Accept", "")):

        def answer(watching: Watching) -> Coroutine[None, None, dict[str, object]]:
            return _answer(parts, caller, body, peer, watching)

        return await streaming.stream(request, parts.links, answer)
    return web.json_response(await streaming.while_connected(request, _answer(parts, caller, body, peer)))


async def _answer(
    parts: WebParts, caller: Caller, body: AskBody, peer: str, watching: Watching | None = None
) -> dict[str, object]:
    asked = Asked(
        text=body.question,
        actor=caller.actor,
        asked_from="rest",
        filters=body.chosen(),
        history=body.turns(),
        as_of=body.as_of,
        top_k=body.top_k,
        groups=caller.groups,
        conversation=_conversation(caller.actor, body.conversation_id),
        counted=caller.known,  # of those nobody knows by name, a limit would be one for all programs together
        watching=watching,
    )
    with parts.waiting.one_of(peer):
        answered = await parts.ask(asked)
    return reply_json(answered.answer_id, answered.reply, parts.links, answered.trace.timings_ms)


def _conversation(person: Actor, conversation_id: str | None) -> Conversation | None:
    """The person is part of it: the same id of another person is another conversation."""
    if conversation_id is None:
        return None
    return Conversation(person.platform, person.workspace, person.person, conversation_id)


@routes.post("/api/v1/search")
@serves(Operation(Permission.READ, SearchShape, SearchBody, refused=OF_QUESTIONS))
async def search(request: web.Request) -> web.StreamResponse:
    """Passages, best first. `degraded` is there only if a part of the search did not answer."""
    parts, caller = request.app[PARTS], caller_of(request, Permission.READ)
    body = await read_body(request, SearchBody)
    if body.limit == 0:
        return web.json_response({"results": []})
    async with asyncio.timeout(parts.ask_seconds):
        found = await parts.search(
            body.query,
            filters=body.chosen(),
            today=parts.today(),
            as_of=body.as_of,
            groups=caller.groups,
            limit=body.limit,
            prefer_specific=body.prefer_specific,
        )
    results = [passage_json(each.passage, parts.links) | {"score": round(each.score, 6)} for each in found.results]
    return web.json_response({"results": results} | ({"degraded": list(found.degraded)} if found.degraded else {}))
