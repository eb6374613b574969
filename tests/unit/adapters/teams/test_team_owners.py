"""Who owns a team, and that where nobody can tell nobody is taken for an owner."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from adapters.teams.directory import SECONDS, GraphTeamOwners
from adapters.teams.graph import Graph
from adapters.teams.settings import GraphSettings
from adapters.teams.tokens import AppTokens, SecretGrant
from tests.fakes.graph import APP_ID, APP_SECRET, OTHER_TENANT, TEAM, TENANT, GraphDesk, graph_desk, person


@pytest.fixture
async def desk() -> AsyncIterator[GraphDesk]:
    async with graph_desk() as made:
        made.graph.owners[TEAM] = [person(number) for number in range(1, 6)]
        yield made


async def owns(
    desk: GraphDesk, who: str, team: str = TEAM, tenant: str = TENANT, seconds: float = SECONDS
) -> bool | None:
    async with aiohttp.ClientSession() as session:
        settings = GraphSettings(APP_ID, APP_SECRET, frozenset({TENANT}), f"{desk.graph.url}/v1.0", desk.graph.url)
        tokens = AppTokens(SecretGrant(session, APP_ID, APP_SECRET, desk.graph.url))
        return await GraphTeamOwners(Graph(session, settings, tokens), settings, seconds).owns(tenant, team, who)


async def test_owners_are_found_on_every_page(desk: GraphDesk) -> None:
    assert await owns(desk, person(5)) is True
    assert await owns(desk, person(1).upper(), TEAM.upper()) is True
    assert await owns(desk, person(6)) is False


async def test_what_cannot_be_told_is_not_known(desk: GraphDesk) -> None:
    assert await owns(desk, person(1), "55555555-3333-3333-3333-333333333333") is None
    for who, team, tenant in (("", TEAM, TENANT), (person(1), "x/../y", TENANT), (person(1), TEAM, OTHER_TENANT)):
        assert await owns(desk, who, team, tenant) is None
    desk.graph.troubles.extend([(403, None)] * 2)
    assert await owns(desk, person(1)) is None
    desk.graph.troubles.clear()
    desk.graph.troubles.append((503, 2))  # Graph asks to wait longer than a form does
    assert await owns(desk, person(1), seconds=0.2) is None
