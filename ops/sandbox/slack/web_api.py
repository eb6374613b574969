"""Slack's Web API at `/api/{method}`: token, limits, workspace, scope, then the method."""

import asyncio
import base64
import binascii
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from aiohttp import web

from ops.sandbox.slack.grants import Grant
from ops.sandbox.slack.methods import METHODS, oauth
from ops.sandbox.slack.methods.calling import Answer, Call, Method, missing_scope
from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.troubles import Troubles
from ops.sandbox.slack.workspace import Workspace
from ops.sandbox.slack.world import World

_WRITES = ("chat.appendStream", "chat.stopStream")


@dataclass(frozen=True, slots=True)
class Called:
    """One call as it was answered. `at` by the stand-in's clock, `seconds` by the processor's; `error` "" is ok."""

    method: str
    arguments: Mapping[str, object]
    at: datetime
    seconds: float
    team: str
    error: str

    @property
    def channel(self) -> str:
        return str(self.arguments.get("channel") or self.arguments.get("channel_id") or "")


class WebApi:
    """A refusal is `ok: false`, status 200; only a rate limit is 429. `calls` has every call in order."""

    def __init__(self, world: World, troubles: Troubles) -> None:
        self._world = world
        self._troubles = troubles
        self.calls: list[Called] = []
        self.names: list[str] = []
        """The methods that were called, in order, whatever came of it."""
        self.overlaps = 0
        """Calls that wrote to a stream while another one did."""
        self._writing: dict[str, int] = {}

    async def receive(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["method"]
        self.names.append(name)
        arguments = await _arguments(request)
        stream = str(arguments.get("ts")) if name in _WRITES else ""
        self._begin(stream)
        try:
            return await self._answer(name, request, arguments)
        finally:
            self._writing[stream] -= 1

    def _begin(self, stream: str) -> None:
        self._writing[stream] = self._writing.get(stream, 0) + 1
        self.overlaps += bool(stream) and self._writing[stream] > 1

    async def _answer(self, name: str, request: web.Request, arguments: Mapping[str, object]) -> web.Response:
        trouble = self._troubles.next(name)
        if trouble and trouble.only_slow:
            await asyncio.sleep(trouble.delay)
        elif trouble and not trouble.after_doing:
            self._note(name, arguments, time.perf_counter(), "", trouble.error)
            return await trouble.answer(request)
        answer = self._call(name, request, arguments)
        return await trouble.answer(request) if trouble and not trouble.only_slow else answer

    def _call(self, name: str, request: web.Request, arguments: Mapping[str, object]) -> web.Response:
        started, team = time.perf_counter(), ""
        headers: dict[str, str] = {}
        try:
            if name in oauth.METHODS:
                answer: Answer = oauth.METHODS[name](
                    self._world, {"token": _bearer(request), **arguments, **_basic(request)}
                )
            elif name == "apps.connections.open":
                answer = self._connect(_bearer(request))
            else:
                method, grant = (
                    _method(name),
                    self._world.grants.check(_bearer(request) or str(arguments.get("token") or "")),
                )
                grant = replace(grant, scopes=grant.scopes - self._world.lookups.withheld)
                headers["X-OAuth-Scopes"] = ",".join(sorted(grant.scopes))
                workspace = self._workspace(method, grant, arguments)
                team = workspace.team
                answer = self._act(name, method, Call(self._world, workspace, grant, arguments))
        except SlackRefusal as refusal:
            self._note(name, arguments, started, team, refusal.code)
            return _refused(refusal, headers)
        self._note(name, arguments, started, team, "")
        return web.json_response(answer, headers=headers)

    def _act(self, name: str, method: Method, call: Call) -> Answer:
        if method.scopes and not call.grant.scopes & set(method.scopes):
            raise missing_scope(method.scopes, call.grant)
        meter, app = self._world.meter, self._world.app
        meter.call(name, method.tier, call.workspace.team, is_distributed=app.is_distributed)
        return method.act(call)

    def _workspace(self, method: Method, grant: Grant, arguments: Mapping[str, object]) -> Workspace:
        """Where a call is meant: an org token names it, or something in it that only one workspace has."""
        if grant.team:
            return self._world.workspaces[grant.team]
        named = str(arguments.get("team_id") or "")
        if named:
            found = self._world.workspaces.get(named)
            if found is None or not grant.covers(found.team, found.enterprise):
                raise SlackRefusal("team_access_not_granted")
            return found
        if method.by_team:
            raise SlackRefusal("missing_argument", ["[ERROR] missing required field: team_id"])
        return self._holding(grant, arguments)

    def _holding(self, grant: Grant, arguments: Mapping[str, object]) -> Workspace:
        channel = str(arguments.get("channel") or arguments.get("channel_id") or "")
        users = str(arguments.get("user") or arguments.get("user_id") or arguments.get("users") or channel).split(",")
        all_of_them = self._world.in_organisation(grant.enterprise)
        for each in all_of_them:
            if channel in each.channels or users[0] in each.people:
                return each
        return all_of_them[0]

    def _connect(self, token: str) -> Answer:
        if not token:
            raise SlackRefusal("not_authed")
        if not token.startswith("xapp-"):
            raise SlackRefusal("not_allowed_token_type")
        if token != self._world.app.app_token:
            raise SlackRefusal("invalid_auth")
        return {"ok": True, "url": self._world.connect()}

    def _note(self, name: str, arguments: Mapping[str, object], started: float, team: str, error: str) -> None:
        seconds = time.perf_counter() - started
        kept = {
            key: value for key, value in arguments.items() if key not in ("token", "client_secret", "refresh_token")
        }
        self.calls.append(Called(name, kept, self._world.clock(), seconds, team, error))


def _method(name: str) -> Method:
    if name not in METHODS:
        raise SlackRefusal("unknown_method")
    return METHODS[name]


def _refused(refusal: SlackRefusal, headers: dict[str, str]) -> web.Response:
    if refusal.retry_after:
        later = {**headers, "Retry-After": str(refusal.retry_after)}
        return web.json_response(refusal.answer, status=429, headers=later)
    return web.json_response(refusal.answer, headers=headers)


def _bearer(request: web.Request) -> str:
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if kind == "Bearer" else ""


def _basic(request: web.Request) -> dict[str, object]:
    """Client id and secret as HTTP has them."""
    kind, _, given = request.headers.get("Authorization", "").partition(" ")
    if kind != "Basic":
        return {}
    try:
        name, _, secret = base64.b64decode(given).decode().partition(":")
    except (ValueError, binascii.Error):
        return {}
    return {"client_id": name, "client_secret": secret}


async def _arguments(request: web.Request) -> Mapping[str, object]:
    """JSON or a form; query parameters count too."""
    query: dict[str, object] = {**request.query}
    if request.content_type == "application/json":
        try:
            found = json.loads(await request.text())
        except ValueError:
            return query
        return {**query, **found} if isinstance(found, dict) else query
    return {**query, **(await request.post())}
