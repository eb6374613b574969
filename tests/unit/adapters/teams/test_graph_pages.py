"""A Graph that goes on with pages for ever."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.teams.graph import Graph
from adapters.teams.settings import GraphSettings
from adapters.teams.tokens import AppTokens, SecretGrant
from rag_core.errors import Unavailable
from tests.fakes.graph import APP_ID, APP_SECRET, TENANT

pytestmark = pytest.mark.timeout(20)


@pytest.fixture
async def graph() -> AsyncIterator[Graph]:
    """Its pages are empty, and each names another one to follow."""

    async def token(request: web.Request) -> web.Response:
        return web.json_response({"token_type": "Bearer", "expires_in": 3600, "access_token": "t"})

    async def page(request: web.Request) -> web.Response:
        following = request.url.update_query({"$skiptoken": str(int(request.query.get("$skiptoken", "0")) + 1)})
        return web.json_response({"value": [], "@odata.nextLink": str(following)})

    app = web.Application()
    app.router.add_post("/{tenant}/oauth2/v2.0/token", token)
    app.router.add_get("/v1.0/chats", page)
    async with TestServer(app) as server, aiohttp.ClientSession() as session:
        url = str(server.make_url("")).rstrip("/")
        settings = GraphSettings(APP_ID, APP_SECRET, frozenset({TENANT}), f"{url}/v1.0", url)
        yield Graph(session, settings, AppTokens(SecretGrant(session, APP_ID, APP_SECRET, url)))


async def test_pages_without_end_are_no_answer(graph: Graph) -> None:
    """Empty ones are allowed, so that counting what is in them ends nothing."""
    with pytest.raises(Unavailable, match="directory_refused") as raised:
        await graph.listed(TENANT, "chats", 500)
    assert raised.value.details["error"] == "pages_without_end"
