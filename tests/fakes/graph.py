"""Microsoft's log-in and Graph on loopback: tokens that expire, pages, limits and slowing down."""

import itertools
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.teams.directory import GraphDirectory
from adapters.teams.graph import Graph
from adapters.teams.settings import GraphSettings
from adapters.teams.tokens import AppTokens, SecretGrant
from ops.sandbox.teams import stand_in, world
from ops.sandbox.teams.graph import GraphApi

TENANT, OTHER_TENANT, TEAM = world.TENANT, world.OTHER_TENANT, world.TEAM
APP_ID, APP_SECRET = stand_in.APP_ID, stand_in.APP_SECRET

Members = list[dict[str, object]]


def person(number: int) -> str:
    """An object id."""
    return world.object_id(number)


def group(number: int) -> str:
    return f"{number:08d}-aaaa-0000-0000-000000000000"


def member(who: str, **facts: object) -> dict[str, object]:
    """Somebody in a chat or a channel, as Graph lists him."""
    kind = "#microsoft.graph.aadUserConversationMember"
    return {"@odata.type": kind, "userId": who, "tenantId": TENANT, "roles": [], **facts}


@dataclass
class FakeGraph:
    """What Graph knows, and a `GraphFacts` of it: `users`, direct members of `groups` (people and groups), `chats`,
    `channels` and `owners` of teams. How it answers is the stand-in's: `api`.

    `page` entries come at once. `troubles` are answered first, log-in as well: (status, Retry-After or None).
    """

    users: dict[str, dict[str, object]] = field(default_factory=dict)
    groups: dict[str, set[str]] = field(default_factory=dict)
    chats: dict[str, Members] = field(default_factory=dict)
    channels: dict[str, Members] = field(default_factory=dict)
    owners: dict[str, list[str]] = field(default_factory=dict)
    below: dict[str, Members] = field(default_factory=dict)
    """Replies to messages that threads begin with."""
    begun: dict[str, Members] = field(default_factory=dict)
    """Messages that threads of channels begin with."""
    said: dict[str, Members] = field(default_factory=dict)
    """Messages of chats."""
    visibility: str = "private"
    page: int = 2
    lasts: int = 3600
    tokens: dict[str, str] = field(default_factory=dict)
    takes_no_token: bool = False
    next_host: str = ""
    url: str = ""
    api: GraphApi = field(init=False)
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        self.api = GraphApi(self, self._takes)

    @property
    def troubles(self) -> deque[tuple[int, int | None]]:
        return self.api.troubles

    @property
    def calls(self) -> list[str]:
        return self.api.calls

    def add(self, *people: int, **facts: object) -> None:
        for each in people:
            self.users[person(each)] = {"id": person(each), "userType": "Member", "accountEnabled": True, **facts}

    def revoke(self) -> None:
        """Every token that was given out is refused from now on."""
        self.tokens.clear()

    def user(self, id_: str) -> dict[str, object] | None:
        return self.users.get(id_)

    def group(self, id_: str) -> set[str] | None:
        return self.groups.get(id_)

    def members(self, id_: str, team: str = "") -> Members | None:
        return (self.channels if team else self.chats).get(id_)

    def team(self, id_: str) -> tuple[str, list[str]] | None:
        return (self.visibility, self.owners.get(id_, [])) if id_ in (TEAM, *self.owners) else None

    def replies(self, team: str, channel: str, thread: str) -> Members | None:
        return self.below.get(thread)

    def posts(self, team: str, channel: str) -> Members | None:
        return self.begun.get(channel)

    def chat_messages(self, chat: str) -> Members | None:
        return self.said.get(chat)

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/{tenant}/oauth2/v2.0/token", self._token)
        app.router.add_routes(self.api.routes())
        return app

    def _takes(self, authorization: str) -> bool:
        self.api.base_url, self.api.page, self.api.next_host = self.url, self.page, self.next_host
        return authorization.removeprefix("Bearer ") in self.tokens and not self.takes_no_token

    async def _token(self, request: web.Request) -> web.Response:
        trouble = self.api.trouble(request)
        if trouble is not None:
            return trouble
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
