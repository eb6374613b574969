"""The process decides alone while what it shares with others does not answer."""

import asyncio

from adapters.local.claims import LocalClaims
from bot.questions.limits import SteadyClaims
from tests.fakes.shared_services import FakeClaims


async def test_claims_are_those_of_all_processes() -> None:
    shared = FakeClaims()
    one, other = SteadyClaims(shared, LocalClaims()), SteadyClaims(shared, LocalClaims())
    assert [await one.claim("k"), await other.claim("k"), await one.claim("k")] == [True, False, False]
    assert [await one.is_claimed("k"), await other.is_claimed("k"), await other.is_claimed("l")] == [True, True, False]
    await one.release("k")
    assert not await one.is_claimed("k")
    assert await one.claim("k")


async def test_without_the_others_the_process_knows_its_own() -> None:
    shared = FakeClaims()
    claims = SteadyClaims(shared, LocalClaims())
    shared.down = True
    assert [await claims.claim("k"), await claims.claim("k")] == [True, False]
    assert [await claims.is_claimed("k"), await claims.is_claimed("l")] == [True, False]
    await claims.release("k")
    assert not await claims.is_claimed("k")


async def test_claims_that_were_emptied_are_still_known_to_who_made_them() -> None:
    own = LocalClaims()
    assert await SteadyClaims(FakeClaims(), own).claim("k")
    assert not await SteadyClaims(FakeClaims(), own).claim("k")
    assert await SteadyClaims(FakeClaims(), own).is_claimed("k")


async def test_claims_that_hang_are_not_waited_for() -> None:
    shared = FakeClaims()
    claims = SteadyClaims(shared, LocalClaims(), seconds=0.02)
    shared.hangs = True
    async with asyncio.timeout(1):
        assert not await claims.is_claimed("k")
        assert await claims.claim("k")
        await claims.release("k")
