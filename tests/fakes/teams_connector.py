"""A connector of Teams on loopback, with log-in and issuer: what reached it, and what it answers. Small on purpose; the
stand-in knows Teams' rules."""

import itertools
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.teams.addresses import TeamsReference
from adapters.teams.botframework.opening import BotFramework, open_botframework
from adapters.teams.botframework.wire import ConnectorPatience
from adapters.teams.settings import TeamsSettings
from ops.parts import utc_now
from ops.teams_sdk import app_tokens, channel_tokens
from tests.fakes.issuer import FakeIssuer, running_issuer
from tests.fakes.teams import APP_ID, APP_SECRET, BOT, CHANNEL, TENANT, settings


@dataclass(frozen=True, slots=True)
class Reached:
    """`path` as it was on the wire."""

    method: str
    path: str
    body: object
    token: str


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is answered instead; `drops`: the connection is closed without an answer."""

    status: int = 500
    code: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    drops: bool = False
    text: str = ""


@dataclass
class FakeConnector:
    """`members`: of every conversation, `page` at once. `troubles` come first, one a call; `refuses`: these tokens.
    `graph_token`: what is given out for Graph in `graph_tenants`."""

    members: list[dict[str, object]] = field(default_factory=list)
    page: int = 2
    troubles: deque[Trouble] = field(default_factory=deque)
    refuses: set[str] = field(default_factory=set)
    reached: list[Reached] = field(default_factory=list)
    forms: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    lasts: int = 3600
    login_status: int = 200
    graph_token: str = ""
    graph_tenants: frozenset[str] = frozenset({TENANT})
    repeats_pages: bool = False
    empty_pages: bool = False
    """Nobody is on any page, and there is always another one."""
    url: str = ""
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def app(self) -> web.Application:
        app = web.Application(client_max_size=2**22)
        app.router.add_post("/login/{tenant}/oauth2/v2.0/token", self._token)
        app.router.add_route("*", "/teams/v3/{path:.*}", self._call)
        return app

    async def _token(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.forms.append((request.match_info["tenant"], form))
        if form.get("client_secret") != APP_SECRET:
            return web.json_response({"error": "invalid_client"}, status=401)
        is_graph = "graph" in form["scope"]
        if is_graph and request.match_info["tenant"] not in self.graph_tenants:
            return web.json_response({"error": "unauthorized_client"}, status=400)
        token = self.graph_token if is_graph else f"token-{next(self._numbers)}"
        body = {"token_type": "Bearer", "expires_in": self.lasts, "access_token": token}
        return web.json_response(body, status=self.login_status)

    async def _call(self, request: web.Request) -> web.Response:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        body = await request.json() if request.can_read_body else None
        self.reached.append(Reached(request.method, request.raw_path, body, token))
        if self.troubles:
            return self._troubled(request, self.troubles.popleft())
        if not token.startswith("token-") or token in self.refuses:
            return web.json_response({"error": {"code": "Unauthorized"}}, status=401)
        return self._answer(request)

    def _troubled(self, request: web.Request, trouble: Trouble) -> web.Response:
        if trouble.drops and request.transport is not None:
            request.transport.close()
        if trouble.text:
            return web.Response(text=trouble.text, status=trouble.status, content_type="text/html")
        error = {"error": {"code": trouble.code, "message": "no"}} if trouble.code else {}
        return web.json_response(error, status=trouble.status, headers=trouble.headers)

    def _answer(self, request: web.Request) -> web.Response:
        path = request.match_info["path"]
        if request.method == "DELETE":
            return web.Response()
        if path.endswith("/pagedmembers"):
            start = int(request.query.get("continuationToken", "0"))
            if self.empty_pages:
                return web.json_response({"members": [], "continuationToken": str(start + 1)})
            following = "0" if self.repeats_pages else str(start + self.page)
            more = {"continuationToken": following} if start + self.page < len(self.members) else {}
            return web.json_response({"members": self.members[start : start + self.page], **more})
        if "/members/" in path:
            who = path.rpartition("/")[2]
            found = [each for each in self.members if who in (each.get("id"), each.get("aadObjectId"))]
            missing = {"error": {"code": "MemberNotFoundInConversation"}}
            return web.json_response(found[0]) if found else web.json_response(missing, status=404)
        return web.json_response({"id": f"id-{next(self._numbers)}"}, status=201)


@dataclass
class Desk:
    """The ports on a pretended Teams. `slept`: how long they would have waited."""

    connector: FakeConnector
    issuer: FakeIssuer
    sdk: BotFramework
    session: aiohttp.ClientSession
    settings: TeamsSettings
    slept: list[float]

    @property
    def service_url(self) -> str:
        return f"{self.connector.url}/teams/"

    def to(self, conversation: str = f"{CHANNEL};messageid=17", bot: str = BOT) -> TeamsReference:
        return TeamsReference(self.service_url, TENANT, conversation, bot)

    def token(self, kid: str = "rsa", **claims: object) -> str:
        usual: dict[str, object] = {"aud": APP_ID, "serviceurl": self.service_url}
        return self.issuer.token(kid, **(usual | claims))  # type: ignore[arg-type]


@asynccontextmanager
async def connector_desk(**changes: object) -> AsyncIterator[Desk]:
    """`changes`: of the settings."""
    connector, slept = FakeConnector(), []  # type: tuple[FakeConnector, list[float]]

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async with (
        TestServer(connector.app()) as server,
        running_issuer() as issuer,
        aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
    ):
        connector.url = str(server.make_url("")).rstrip("/")
        issuer.endorsements["rsa"] = ["msteams", "webchat"]
        found = settings(
            openid_url=f"{issuer.url}/.well-known/openid-configuration",
            issuer=issuer.url,
            login_url=f"{connector.url}/login",
            **changes,
        )
        sdk = open_botframework(
            found,
            session,
            app_tokens(session, found),
            channel_tokens(session, found, utc_now),
            patience=ConnectorPatience(),
            sleep=sleep,
        )
        yield Desk(connector, issuer, sdk, session, found, slept)
