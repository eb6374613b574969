"""Microsoft's log-in and Graph on loopback: tokens that expire, pages, limits and slowing down."""

import itertools
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer
from aiohttp.typedefs import Handler, Middleware

from adapters.teams.graph import Graph
from adapters.teams.graph_directory import GraphDirectory
from adapters.teams.settings import GraphSettings
from adapters.teams.tokens import AppTokens, SecretGrant

TENANT = "11111111-1111-1111-1111-111111111111"
OTHER_TENANT = "22222222-2222-2222-2222-222222222222"
TEAM = "33333333-3333-3333-3333-333333333333"
APP_ID = "44444444-4444-4444-4444-444444444444"
APP_SECRET = "an-app-secret"  # pragma: allowlist secret

Members = list[dict[str, object]]


def person(number: int) -> str:
    """An object id."""
    return f"{number:08d}-0000-0000-0000-000000000000"


def group(number: int) -> str:
    return f"{number:08d}-aaaa-0000-0000-000000000000"


def member(who: str, **facts: object) -> dict[str, object]:
    """Somebody in a chat or a channel, as Graph lists him."""
    kind = "#microsoft.graph.aadUserConversationMember"
    return {"@odata.type": kind, "userId": who, "tenantId": TENANT, "roles": [], **facts}


@dataclass
class FakeGraph:
    """What Graph knows: `users`, direct members of `groups` (people and groups), `chats`, `channels` and
    `owners` of teams.

    `page` entries come at once. `troubles` are answered first: (status, Retry-After or None).
    """

    users: dict[str, dict[str, object]] = field(default_factory=dict)
    groups: dict[str, set[str]] = field(default_factory=dict)
    chats: dict[str, Members] = field(default_factory=dict)
    channels: dict[str, Members] = field(default_factory=dict)
    owners: dict[str, list[str]] = field(default_factory=dict)
    visibility: str = "private"
    page: int = 2
    lasts: int = 3600
    troubles: deque[tuple[int, int | None]] = field(default_factory=deque)
    calls: list[str] = field(default_factory=list)
    tokens: dict[str, str] = field(default_factory=dict)
    takes_no_token: bool = False
    next_host: str = ""
    url: str = ""
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def add(self, *people: int, **facts: object) -> None:
        for each in people:
            self.users[person(each)] = {"id": person(each), "userType": "Member", "accountEnabled": True, **facts}

    def revoke(self) -> None:
        """Every token that was given out is refused from now on."""
        self.tokens.clear()

    def inside(self, name: str) -> set[str]:
        """People and groups in a group, however deep."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            for each in self.groups.get(waiting.pop(), set()) - found:
                found.add(each)
                waiting.append(each)
        return found

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/{tenant}/oauth2/v2.0/token", self._token)
        app.router.add_get("/v1.0/users/{id}", self._user)
        app.router.add_post("/v1.0/users/{id}/checkMemberGroups", self._check)
        app.router.add_get("/v1.0/groups/{id}/transitiveMembers", self._inside)
        app.router.add_get("/v1.0/groups/{id}/owners", self._owners)
        app.router.add_get("/v1.0/chats/{id}/members", self._chat)
        app.router.add_get("/v1.0/teams/{id}", self._team)
        app.router.add_get("/v1.0/teams/{team}/channels/{id}/allMembers", self._channel)
        app.middlewares.append(self._middleware())
        return app

    def _middleware(self) -> Middleware:
        @web.middleware
        async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
            return self._refusal(request) or await handler(request)

        return check

    def _refusal(self, request: web.Request) -> web.Response | None:
        self.calls.append(f"{request.method} {request.path}")
        if self.troubles:
            status, retry_after = self.troubles.popleft()
            headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
            return web.json_response({"error": {"code": "trouble"}}, status=status, headers=headers)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if "/oauth2/" not in request.path and (token not in self.tokens or self.takes_no_token):
            return _refused(401, "InvalidAuthenticationToken")
        return None

    async def _token(self, request: web.Request) -> web.Response:
        form = await request.post()
        wanted = {
            "grant_type": "client_credentials",
            "client_id": APP_ID,
            "client_secret": APP_SECRET,
            "scope": f"{self.url}/.default",
        }
        if dict(form) != wanted:
            return web.json_response({"error": "invalid_client"}, status=401)
        token = f"token-{next(self._numbers)}"
        self.tokens[token] = request.match_info["tenant"]
        return web.json_response({"token_type": "Bearer", "expires_in": self.lasts, "access_token": token})

    async def _user(self, request: web.Request) -> web.Response:
        user = self.users.get(request.match_info["id"].lower())
        if user is None:
            return _refused(404, "Request_ResourceNotFound")
        wanted = request.query["$select"].split(",")
        return web.json_response({name: user[name] for name in wanted})

    async def _check(self, request: web.Request) -> web.Response:
        ids = (await request.json())["groupIds"]
        if len(ids) > 20:
            return _refused(400, "Request_BadRequest")
        who = request.match_info["id"].lower()
        return web.json_response({"value": [each for each in ids if who in self.inside(each)]})

    async def _inside(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        if name not in self.groups:
            return _refused(404, "Request_ResourceNotFound")
        return self._paged(request, [{"id": each} for each in sorted(self.inside(name))])

    async def _owners(self, request: web.Request) -> web.Response:
        found = self.owners.get(request.match_info["id"].lower())
        if found is None:
            return _refused(404, "Request_ResourceNotFound")
        return self._paged(request, [{"id": each} for each in found])

    async def _chat(self, request: web.Request) -> web.Response:
        found = self.chats.get(request.match_info["id"])
        return _refused(404, "NotFound") if found is None else self._paged(request, found)

    async def _team(self, request: web.Request) -> web.Response:
        if request.match_info["id"] != TEAM:
            return _refused(404, "NotFound")
        return web.json_response({"id": TEAM, "visibility": self.visibility})

    async def _channel(self, request: web.Request) -> web.Response:
        found = self.channels.get(request.match_info["id"])
        return _refused(404, "NotFound") if found is None else self._paged(request, found)

    def _paged(self, request: web.Request, entries: Members) -> web.Response:
        start = int(request.query.get("$skiptoken", "0"))
        end = start + min(self.page, int(request.query.get("$top", "100")))
        answer: dict[str, object] = {"value": entries[start:end]}
        if end < len(entries):
            host = self.next_host or self.url
            answer["@odata.nextLink"] = f"{host}{request.rel_url.update_query({'$skiptoken': str(end)})}"
        return web.json_response(answer)


class FakeSeconds:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class GraphDesk:
    """A directory on the pretended Graph."""

    graph: FakeGraph
    directory: GraphDirectory
    clock: FakeSeconds


@asynccontextmanager
async def graph_desk(
    *, secret: str = APP_SECRET, tenants: frozenset[str] = frozenset({TENANT})
) -> AsyncIterator[GraphDesk]:
    fake, clock = FakeGraph(), FakeSeconds()
    async with TestServer(fake.app()) as server, aiohttp.ClientSession() as session:
        fake.url = str(server.make_url("")).rstrip("/")
        settings = GraphSettings(APP_ID, secret, tenants, f"{fake.url}/v1.0", fake.url)
        tokens = AppTokens(SecretGrant(session, APP_ID, secret, fake.url), clock)
        yield GraphDesk(fake, GraphDirectory(Graph(session, settings, tokens), settings), clock)


def _refused(status: int, code: str) -> web.Response:
    return web.json_response({"error": {"code": code, "message": "no"}}, status=status)
