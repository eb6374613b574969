"""Tokens of a managed identity, from an endpoint as Azure gives its machines."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from blockbuster import blockbuster_ctx

from adapters.teams.botframework.managed_identity import ManagedIdentityGrant
from adapters.teams.settings import AppType, GraphSettings
from adapters.teams.tokens import AppTokens
from ops.teams_sdk import app_tokens
from rag_core.errors import Unavailable
from tests.fakes.teams import APP_ID, TENANT, settings

SCOPE = "https://api.botframework.com/.default"


@dataclass
class FakeIdentityEndpoint:
    answer: dict[str, object] = field(default_factory=dict)
    status: int = 200
    asked: list[dict[str, str]] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)

    async def get(self, request: web.Request) -> web.Response:
        self.asked.append(dict(request.query))
        self.headers.append(request.headers.get("X-IDENTITY-HEADER", ""))
        return web.json_response(self.answer, status=self.status)


@asynccontextmanager
async def endpoint(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeIdentityEndpoint]:
    fake = FakeIdentityEndpoint({"access_token": "t-1", "expires_on": str(int(time.time()) + 7200), "resource": "r"})
    app = web.Application()
    app.router.add_get("/identity", fake.get)
    async with TestServer(app) as server:
        monkeypatch.setenv("IDENTITY_ENDPOINT", str(server.make_url("/identity")))
        monkeypatch.setenv("IDENTITY_HEADER", "a-header")
        yield fake


async def test_the_identity_made_for_the_app_and_that_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    async with endpoint(monkeypatch) as fake:
        granted = await ManagedIdentityGrant(APP_ID)(TENANT, SCOPE)
        assert granted.token == "t-1"
        assert 7_100 < granted.lasts <= 7_200
        await ManagedIdentityGrant()(TENANT, SCOPE)
    common = {"api-version": "2019-08-01", "resource": "https://api.botframework.com"}
    assert fake.asked == [common | {"client_id": APP_ID}, common]
    assert fake.headers == ["a-header"] * 2


async def test_waiting_for_it_blocks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with endpoint(monkeypatch) as fake:
        tokens = AppTokens(ManagedIdentityGrant(APP_ID))
        with blockbuster_ctx():
            assert [await tokens.token(TENANT, SCOPE) for _ in range(3)] == ["t-1"] * 3
        assert len(fake.asked) == 1


async def test_a_token_that_was_refused_is_not_given_back_by_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    async with endpoint(monkeypatch) as fake:
        tokens = AppTokens(ManagedIdentityGrant(APP_ID))
        tokens.forget(await tokens.token(TENANT, SCOPE))
        fake.answer["access_token"] = "t-2"
        assert await tokens.token(TENANT, SCOPE) == "t-2"


async def test_a_machine_without_the_identity_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async with endpoint(monkeypatch) as fake:
        fake.status, fake.answer = 400, {"statusCode": 400, "message": "no identity"}
        with pytest.raises(Unavailable, match="teams_token_refused"):
            await ManagedIdentityGrant(APP_ID)(TENANT, SCOPE)
    with pytest.raises(Unavailable, match="teams_token_unreachable"):
        await ManagedIdentityGrant(APP_ID)(TENANT, SCOPE)


async def test_which_one_the_settings_mean_and_that_graph_uses_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    async with endpoint(monkeypatch) as fake, aiohttp.ClientSession() as session:
        for kind in (AppType.MANAGED_IDENTITY, AppType.SYSTEM_IDENTITY):
            await app_tokens(session, settings(app_secret="", app_type=kind)).token(TENANT, SCOPE)
        graph = GraphSettings(APP_ID, "", frozenset({TENANT}), app_type=AppType.MANAGED_IDENTITY)
        await app_tokens(session, graph).token(TENANT, "https://graph.microsoft.com/.default")
    assert [each.get("client_id") for each in fake.asked] == [APP_ID, None, APP_ID]
    assert fake.asked[2]["resource"] == "https://graph.microsoft.com"
