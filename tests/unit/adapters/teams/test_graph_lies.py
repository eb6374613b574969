"""A Graph that goes on with pages for ever, and one whose 200 is not what it says it is (a proxy's)."""

import json
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.teams.directory import GraphDirectory
from adapters.teams.graph import Graph
from adapters.teams.settings import GraphSettings
from adapters.teams.tokens import AppTokens, SecretGrant
from bot.model.messages import Actor
from rag_core.errors import Unavailable
from tests.fakes.graph import APP_ID, APP_SECRET, TENANT, group, person

PERSON, GROUP = person(1), group(1)
SAID = web.AppKey("said", dict[str, str])
pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def said() -> dict[str, str]:
    """`user`: what it answers to who somebody is; `groups`: to which groups he belongs to."""
    return {}


@pytest.fixture
async def graph(said: dict[str, str]) -> AsyncIterator[Graph]:
    """Its pages are empty, and each names another one to follow."""

    async def token(request: web.Request) -> web.Response:
        return web.json_response({"token_type": "Bearer", "expires_in": 3600, "access_token": "t"})

    async def page(request: web.Request) -> web.Response:
        following = request.url.update_query({"$skiptoken": str(int(request.query.get("$skiptoken", "0")) + 1)})
        return web.json_response({"value": [], "@odata.nextLink": str(following)})

    async def user(request: web.Request) -> web.Response:
        known = json.dumps({"id": PERSON, "userType": "Member", "accountEnabled": True})
        return web.Response(text=request.app[SAID].get("user", known))

    async def groups(request: web.Request) -> web.Response:
        return web.Response(text=request.app[SAID]["groups"], content_type="application/json")

    app = web.Application()
    app[SAID] = said
    app.router.add_post("/{tenant}/oauth2/v2.0/token", token)
    app.router.add_get("/v1.0/chats", page)
    app.router.add_get(f"/v1.0/users/{PERSON}", user)
    app.router.add_post(f"/v1.0/users/{PERSON}/checkMemberGroups", groups)
    async with TestServer(app) as server, aiohttp.ClientSession() as session:
        url = str(server.make_url("")).rstrip("/")
        yield Graph(session, settings(url), AppTokens(SecretGrant(session, APP_ID, APP_SECRET, url)))


def settings(url: str) -> GraphSettings:
    return GraphSettings(APP_ID, APP_SECRET, frozenset({TENANT}), f"{url}/v1.0", url)


async def test_pages_without_end_are_no_answer(graph: Graph) -> None:
    """Empty ones are allowed, so that counting what is in them ends nothing."""
    with pytest.raises(Unavailable, match="directory_refused") as raised:
        await graph.listed(TENANT, "chats", 500)
    assert raised.value.details["error"] == "pages_without_end"


@pytest.mark.parametrize("body", ["{}", "[]", "<html>", '{"value": 7}', '{"value": null}', f'{{"value": "{GROUP}"}}'])
async def test_what_is_no_list_of_groups_is_no_answer(graph: Graph, said: dict[str, str], body: str) -> None:
    """Read as none it would be believed for minutes, and as anything else it would be an error of ours."""
    member = f"entra:{TENANT}/{GROUP}"
    directory = GraphDirectory(graph, settings("http://127.0.0.1"))
    said["groups"] = f'{{"value": ["{GROUP.upper()}"]}}'
    assert await directory.of_person(Actor("teams", TENANT, PERSON), frozenset({member})) == {member}
    said["groups"] = body
    with pytest.raises(Unavailable, match="directory_refused"):
        await directory.of_person(Actor("teams", TENANT, PERSON), frozenset({member}))


@pytest.mark.parametrize("body", ["", "<html>", "[]", "{}", "7"])
async def test_what_is_no_object_says_nothing_of_anybody(graph: Graph, said: dict[str, str], body: str) -> None:
    """That he is no member would be believed for minutes."""
    said["user"] = body
    directory = GraphDirectory(graph, settings("http://127.0.0.1"))
    with pytest.raises(Unavailable, match="directory_refused"):
        await directory.of_person(Actor("teams", TENANT, PERSON), frozenset({f"entra:{TENANT}/{GROUP}"}))
