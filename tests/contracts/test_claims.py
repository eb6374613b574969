"""Claims: the first caller gets it, for long enough."""

from collections.abc import AsyncIterator

import pytest

from adapters.local import claims as local
from adapters.redis import claims as redis
from ops.bench.deliveries import bench_claims
from tests.fakes.keepers import HOSTILE, KINDS, MAKERS, Keepers, all_of


@pytest.fixture(params=KINDS)
async def keepers(request: pytest.FixtureRequest) -> AsyncIterator[Keepers]:
    async with MAKERS[request.param]() as made:
        yield made


async def test_the_first_gets_it(keepers: Keepers) -> None:
    claims = keepers.claims()
    assert not await claims.is_claimed("slack:T1:1")
    assert await claims.claim("slack:T1:1")
    assert not await claims.claim("slack:T1:1")
    assert await claims.is_claimed("slack:T1:1")
    assert not await claims.is_claimed("slack:T1:2")


async def test_of_many_at_once_one_gets_it(keepers: Keepers) -> None:
    claims = keepers.claims()
    assert sum(await all_of([claims.claim("slack:T1:1") for _ in range(200)])) == 1


async def test_of_a_thousand_deliveries_of_a_hundred_events_a_hundred_run(keepers: Keepers) -> None:
    figures = await bench_claims({"here": keepers.claims()}, {"here": keepers.locks()}, {})
    assert [(each.what, each.calls, each.ran, each.is_right) for each in figures] == [
        ("claims", 1000, 100, True),
        ("locks", 1000, 100, True),
    ]


async def test_what_was_released_can_be_claimed(keepers: Keepers) -> None:
    claims = keepers.claims()
    await claims.release("slack:T1:1")
    assert await claims.claim("slack:T1:1")
    await claims.release("slack:T1:1")
    assert not await claims.is_claimed("slack:T1:1")
    assert await claims.claim("slack:T1:1")


async def test_a_claim_ends(keepers: Keepers) -> None:
    claims = keepers.claims(seconds=0.5)
    assert await claims.claim("slack:T1:1")
    await keepers.wait(0.1)
    assert not await claims.claim("slack:T1:1")  # asking again does not make it last longer
    await keepers.wait(0.4)
    assert not await claims.is_claimed("slack:T1:1")
    assert await claims.claim("slack:T1:1")


def test_a_claim_holds_for_fifteen_minutes_at_least() -> None:
    assert local.CLAIM_SECONDS == redis.CLAIM_SECONDS >= 15 * 60


async def test_odd_keys_are_keys(keepers: Keepers) -> None:
    claims = keepers.claims()
    assert all(await all_of([claims.claim(odd) for odd in HOSTILE]))
    assert not any(await all_of([claims.claim(odd) for odd in HOSTILE]))
