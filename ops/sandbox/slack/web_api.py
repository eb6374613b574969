"""Slack's Web API at `/api/{method}`: token, limits, workspace, scope, then the method."""

import base64
import binascii
import hmac
import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from aiohttp import web

from ops.sandbox.slack import chat, methods
from ops.sandbox.slack.calls import Answer, Call, Method, missing_scope
from ops.sandbox.slack.grants import Grant
from ops.sandbox.slack.limits import SlackRefusal
from ops.sandbox.slack.workspace import ORGANISATION, Workspace
from ops.sandbox.slack.world import World
from ops.sandbox.troubles import Trouble, Troubles

METHODS: Mapping[str, Method] = {**chat.METHODS, **methods.METHODS}
"""What is called with a bot's token."""

_WRITES = ("chat.appendStream", "chat.stopStream")
_SECRETS = ("token", "client_secret", "refresh_token")


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
    """A refusal is `ok: false`, status 200; only a rate limit is 429. `calls` has every call in order, `names` their
    methods; `overlaps`: calls that wrote to a stream while another one did."""

    def __init__(self, world: World, troubles: Troubles) -> None:
        self._world = world
        self._troubles = troubles
        self.calls: list[Called] = []
        self.names: list[str] = []
        self.overlaps = 0
        self._writing: Counter[str] = Counter()

    async def receive(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["method"]
        self.names.append(name)
        arguments = await _arguments(request)
        stream = str(arguments.get("ts")) if name in _WRITES else ""
        self._writing[stream] += 1
        self.overlaps += bool(stream) and self._writing[stream] > 1
        try:
            return await self._troubles.answer(
                name,
                request,
                lambda: self._call(name, request, arguments),
                lambda trouble: self._note(name, arguments, time.perf_counter(), "", code_of(trouble)),
            )
        finally:
            self._writing[stream] -= 1

    def _call(self, name: str, request: web.Request, arguments: Mapping[str, object]) -> web.Response:
        started, token, headers, team = time.perf_counter(), _bearer(request), dict[str, str](), ""
        try:
            if name == "oauth.v2.access":
                answer = self._access({**arguments, **_basic(request)})
            elif name == "apps.connections.open":
                answer = self._connect(token)
            elif name not in METHODS:
                raise SlackRefusal("unknown_method")
            else:
                grant = self._world.grants.check(token or str(arguments.get("token") or ""))
                grant = replace(grant, scopes=grant.scopes - self._world.lookups.withheld)
                headers["X-OAuth-Scopes"] = ",".join(sorted(grant.scopes))
                space = self._workspace(METHODS[name], grant, arguments)
                team = space.team
                answer = self._act(name, Call(self._world, space, grant, arguments))
        except SlackRefusal as refusal:
            self._note(name, arguments, started, team, refusal.code)
            later = {"Retry-After": str(refusal.retry_after)} if refusal.retry_after else {}
            return web.json_response(refusal.answer, status=429 if later else 200, headers=headers | later)
        self._note(name, arguments, started, team, "")
        return web.json_response(answer, headers=headers)

    def _act(self, name: str, call: Call) -> Answer:
        method = METHODS[name]
        if method.scopes and not call.grant.scopes & set(method.scopes):
            raise missing_scope(method.scopes, call.grant)
        self._world.meter.call(name, method.tier, call.workspace.team)
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
        channel = str(arguments.get("channel") or arguments.get("channel_id") or "")
        users = str(arguments.get("user") or arguments.get("user_id") or arguments.get("users") or channel).split(",")
        spaces = self._world.in_organisation(grant.enterprise)
        return next((each for each in spaces if channel in each.channels or users[0] in each.people), spaces[0])

    def _connect(self, token: str) -> Answer:
        if not token:
            raise SlackRefusal("not_authed")
        if not token.startswith("xapp-"):
            raise SlackRefusal("not_allowed_token_type")
        if token != self._world.app.app_token:
            raise SlackRefusal("invalid_auth")
        return {"ok": True, "url": self._world.connect()}

    def _access(self, arguments: Mapping[str, object]) -> Answer:
        """A token for a code, or a new one for a refresh token. The caller is known by the app's secret."""
        app, grants = self._world.app, self._world.grants
        code, redirect, refresh, kind, client, secret = (
            str(arguments.get(name) or "")
            for name in ("code", "redirect_uri", "refresh_token", "grant_type", "client_id", "client_secret")
        )
        if client != app.client_id:
            raise SlackRefusal("invalid_client_id")
        if not hmac.compare_digest(secret.encode(), app.client_secret.encode()):
            raise SlackRefusal("bad_client_secret")
        if kind not in ("", "authorization_code", *(("refresh_token",) if app.is_rotating else ())):
            raise SlackRefusal("invalid_grant_type")
        if kind == "refresh_token":
            return self._token(grants.refresh(refresh))
        return self._token(grants.exchange(code, redirect, rotating=app.is_rotating))

    def _token(self, grant: Grant) -> Answer:
        space, rotating = self._world.workspaces.get(grant.team), Answer()
        if grant.expires_at is not None:
            left = int((grant.expires_at - self._world.clock()).total_seconds())
            rotating = {"refresh_token": grant.refresh_token, "expires_in": left}
        return {
            "ok": True, "app_id": self._world.app.app_id, "authed_user": {"id": grant.installer},
            "scope": ",".join(sorted(grant.scopes)), "token_type": "bot", "access_token": grant.token,
            "bot_user_id": grant.bot_user, "team": {"id": space.team, "name": space.name} if space else None,
            "enterprise": {"id": grant.enterprise, "name": ORGANISATION} if grant.enterprise else None,
            "is_enterprise_install": grant.is_org, **rotating,
        }  # fmt: skip

    def _note(self, name: str, arguments: Mapping[str, object], started: float, team: str, error: str) -> None:
        seconds = time.perf_counter() - started
        kept = {key: value for key, value in arguments.items() if key not in _SECRETS}
        self.calls.append(Called(name, kept, self._world.clock(), seconds, team, error))


def code_of(trouble: Trouble) -> str:
    return "internal_error" if trouble.error is None else trouble.error


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
