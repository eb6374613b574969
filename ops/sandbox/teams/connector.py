"""The connector's REST API, at `/{region}/{tenant}/v3/...`: what a bot writes and asks."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from aiohttp import web

from ops.sandbox.teams.limits import Operation
from ops.sandbox.teams.places import base_of
from ops.sandbox.teams.posting import Posting
from ops.sandbox.teams.refusals import TeamsRefusal, conversation_not_found
from ops.sandbox.teams.roster import Roster
from ops.sandbox.teams.streams import chunk_of
from ops.sandbox.teams.tokens import CONNECTOR, Tokens
from ops.sandbox.teams.troubles import Troubles
from ops.sandbox.teams.world import World

Json = dict[str, Any]
Answer = tuple[int, object]
_PREFIX = "/{region}/{tenant}/v3/conversations"
_ONE = _PREFIX + "/{conversation}/activities/{activity}"


@dataclass(frozen=True, slots=True)
class Called:
    """One call as it was answered. `operation` as `Troubles` names it; `conversation` as it was written, with its
    thread; `error`: Teams' code, "" for none. `at` by the stand-in's clock."""

    operation: str
    conversation: str
    body: Mapping[str, object]
    status: int
    error: str
    at: datetime
    seconds: float
    activity_id: str = ""
    answer: Mapping[str, object] = field(default_factory=dict)


class Connector:
    """`calls`: every call in order, whatever came of it."""

    def __init__(self, world: World, tokens: Tokens, troubles: Troubles) -> None:
        self._world = world
        self._tokens = tokens
        self._troubles = troubles
        self._posting = Posting(world)
        self._roster = Roster(world)
        self.calls: list[Called] = []

    def routes(self) -> list[web.RouteDef]:
        people = _PREFIX + "/{conversation}"
        return [
            web.post(_PREFIX, self._create),
            web.post(_PREFIX + "/{conversation}/activities", self._post),
            web.post(_ONE, self._post),
            web.put(_ONE, self._put),
            web.delete(_ONE, self._delete),
            web.get(people + "/members", self._members),
            web.get(people + "/pagedmembers", self._paged),
            web.get(people + "/members/{member}", self._member),
        ]

    async def _create(self, request: web.Request) -> web.Response:
        body = await _body(request)
        return await self._answered(request, "create", body, lambda: self._posting.create(self._tenant(request), body))

    async def _post(self, request: web.Request) -> web.Response:
        body = await _body(request)
        raw = await request.read()
        replied = request.match_info.get("activity", "")
        said = _operation(body)

        def act() -> Answer:
            return self._posting.post(self._tenant(request), _conversation(request), body, raw, replied)

        return await self._answered(request, said, body, act)

    async def _put(self, request: web.Request) -> web.Response:
        body = await _body(request)
        raw = await request.read()

        def act() -> Answer:
            where, id_ = _conversation(request), request.match_info["activity"]
            return self._posting.put(self._tenant(request), where, id_, body, raw)

        return await self._answered(request, "PUT", body, act)

    async def _delete(self, request: web.Request) -> web.Response:
        where, id_ = _conversation(request), request.match_info["activity"]
        return await self._answered(
            request, "DELETE", {}, lambda: self._posting.delete(self._tenant(request), where, id_)
        )

    async def _members(self, request: web.Request) -> web.Response:
        return await self._answered(
            request, "members", {}, lambda: self._roster.everybody(self._tenant(request), _conversation(request))
        )

    async def _paged(self, request: web.Request) -> web.Response:
        asked = dict(request.query)
        return await self._answered(
            request, "members", asked, lambda: self._roster.page(self._tenant(request), _conversation(request), asked)
        )

    async def _member(self, request: web.Request) -> web.Response:
        where, id_ = _conversation(request), request.match_info["member"]
        return await self._answered(
            request, "members", {"member": id_}, lambda: self._roster.one(self._tenant(request), where, id_)
        )

    def _tenant(self, request: web.Request) -> str:
        tenant = request.match_info["tenant"]
        if self._world.tenants.get(tenant) != request.match_info["region"]:
            raise conversation_not_found()
        return tenant

    async def _answered(
        self, request: web.Request, operation: str, body: Mapping[str, object], act: Callable[[], Answer]
    ) -> web.Response:
        started = time.perf_counter()
        trouble = self._troubles.next(operation)
        if trouble and trouble.only_slow:
            await asyncio.sleep(trouble.delay)
        elif trouble and not trouble.after_doing:
            response = await trouble.answer(request)
            self._note(request, operation, body, trouble.status, trouble.code or "trouble", started, {})
            return response
        status, answer, refusal = self._acted(request, operation, act)
        self._note(request, operation, body, status, refusal.code if refusal else "", started, answer)
        if trouble and not trouble.only_slow:
            return await trouble.answer(request)
        return web.json_response(answer, status=status, headers=refusal.headers if refusal else None)

    def _acted(
        self, request: web.Request, operation: str, act: Callable[[], Answer]
    ) -> tuple[int, object, TeamsRefusal | None]:
        try:
            self._tokens.check(request.headers.get("Authorization", ""), CONNECTOR)
            where = base_of(request.match_info.get("conversation", "")) or "new"
            self._world.meter.call(_COUNTED.get(operation, Operation.SEND), where, request.match_info["tenant"])
            status, answer = act()
        except TeamsRefusal as refusal:
            return refusal.status, refusal.answer, refusal
        return status, answer, None

    def _note(
        self,
        request: web.Request,
        operation: str,
        body: Mapping[str, object],
        status: int,
        error: str,
        started: float,
        answer: object,
    ) -> None:
        where, id_ = _conversation(request), request.match_info.get("activity", "")
        said = answer if isinstance(answer, dict) else {}
        seconds = time.perf_counter() - started
        self.calls.append(Called(operation, where, body, status, error, self._world.clock(), seconds, id_, said))
        self._world.messages.nudge()


_COUNTED = {"create": Operation.CREATE, "members": Operation.MEMBERS}


def _conversation(request: web.Request) -> str:
    return request.match_info.get("conversation", "")


def _operation(body: Mapping[str, object]) -> str:
    try:
        is_stream = chunk_of(body) is not None
    except TeamsRefusal:
        is_stream = True
    if is_stream:
        return "stream"
    return "typing" if body.get("type") == "typing" else "POST"


async def _body(request: web.Request) -> Json:
    """What is no JSON object is nothing, which is refused where it is looked at."""
    try:
        found = json.loads(await request.read())
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
