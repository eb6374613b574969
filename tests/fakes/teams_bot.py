"""A bot as the stand-in for Teams meets it: it keeps what it is told, and answers what a test says."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer

from ops.sandbox.teams import TeamsStandIn, teams_stand_in

Json = dict[str, Any]
Answer = Callable[[Json], tuple[int, object]]


def taken(_activity: Json) -> tuple[int, object]:
    return 200, None


@dataclass
class TeamsBot:
    """`answer`: status and body for an activity. `heard`: what came, with `authorizations`."""

    answer: Answer = taken
    heard: list[Json] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)
    before: Callable[[], Awaitable[object]] | None = None

    async def receive(self, request: web.Request) -> web.Response:
        activity = await request.json()
        self.heard.append(activity)
        self.authorizations.append(request.headers.get("Authorization", ""))
        if self.before:
            await self.before()
        status, body = self.answer(activity)
        return web.Response(status=status) if body is None else web.json_response(body, status=status)


@dataclass
class ConnectorClient:
    """Calls the connector as a bot does, with a token that it fetches."""

    teams: TeamsStandIn
    session: aiohttp.ClientSession
    token: str = ""

    async def call(self, method: str, path: str, body: object = None, tenant: str = "") -> tuple[int, Any]:
        if not self.token:
            self.token = await self.fetch_token()
        url = f"{self.teams.service_url(tenant) if tenant else self.teams.service_url()}v3/conversations{path}"
        headers = {"Authorization": f"Bearer {self.token}"}
        async with self.session.request(method, url, json=body, headers=headers) as response:
            self.headers = response.headers
            return response.status, await response.json()

    async def post(self, where: str, activity: object) -> tuple[int, Any]:
        return await self.call("POST", f"/{where}/activities", activity)

    async def fetch_token(self, tenant: str = "", **changes: str) -> str:
        tokens = self.teams.tokens
        form = {
            "grant_type": "client_credentials",
            "client_id": tokens.app_id,
            "client_secret": tokens.app_secret,
            "scope": self.teams.scope,
            **changes,
        }
        url = f"{self.teams.login_url}/{tenant or tokens.app_tenant}/oauth2/v2.0/token"
        async with self.session.post(url, data=form) as response:
            found = await response.json()
            return str(found.get("access_token") or f"{response.status} {found['error']}")


@asynccontextmanager
async def teams_with_bot(bot: TeamsBot, **more: Any) -> AsyncIterator[TeamsStandIn]:
    app = web.Application()
    app.add_routes([web.post("/api/messages", bot.receive)])
    async with TestServer(app) as server, teams_stand_in(str(server.make_url("")), **more) as teams:
        yield teams


@asynccontextmanager
async def connector_client(**more: Any) -> AsyncIterator[ConnectorClient]:
    """A stand-in whose bot only writes."""
    async with teams_stand_in(**more) as teams, aiohttp.ClientSession() as session:
        yield ConnectorClient(teams, session)


def card(*body: object, **more: object) -> Json:
    return {"type": "AdaptiveCard", "version": "1.5", "body": list(body), **more}


def shown(text: str = "", *cards: Json, **more: object) -> Json:
    """A message of a bot's."""
    kind = "application/vnd.microsoft.card.adaptive"
    attachments = [{"contentType": kind, "content": each} for each in cards]
    return {"type": "message", "text": text, "attachments": attachments, **more}
