"""The same roads as on the embedded default, through PostgreSQL, OpenSearch and Redis."""

import pytest

from ops.config import Config
from tests.fakes.services import address_of
from tests.security.access.register import ROADS
from tests.security.access.running import findings, take_all
from tests.security.access.world import worlds_on_servers

pytestmark = [pytest.mark.services, pytest.mark.timeout(900)]


async def test_nothing_restricted_comes_out_on_any_road_through_real_servers() -> None:
    config = Config(
        database_url=address_of("postgresql"), opensearch_url=address_of("opensearch"), redis_url=address_of("redis")
    )
    async with worlds_on_servers(config) as (world, without):
        found = await take_all(ROADS, world, without)
    assert [line for each in found for line in findings(each)] == []
    assert {each.road for each in found} == {each.name for each in ROADS}
    assert all(each.attempts > 0 and each.holds for each in found)
    assert sum(each.attempts for each in found) >= 1_000
    assert {each.road: each.controls > 0 for each in found}["copies in the index"]
    assert {each.road: each.controls > 0 for each in found}["store down"]
