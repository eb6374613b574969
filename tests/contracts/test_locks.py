"""Locks: one holder at a time, known by its token."""

from collections.abc import AsyncIterator

import pytest

from tests.fakes.keepers import HOSTILE, KINDS, MAKERS, Keepers, all_of


@pytest.fixture(params=KINDS)
async def keepers(request: pytest.FixtureRequest) -> AsyncIterator[Keepers]:
    async with MAKERS[request.param]() as made:
        yield made


async def test_one_holds_it_until_it_is_released(keepers: Keepers) -> None:
    locks = keepers.locks()
    token = await locks.acquire("a", 60)
    assert token
    assert await locks.acquire("a", 60) is None
    assert await locks.acquire("b", 60)
    assert await locks.release("a", token)
    assert not await locks.release("a", token)
    assert await locks.acquire("a", 60) not in (None, token)


async def test_of_many_at_once_one_holds_it(keepers: Keepers) -> None:
    locks = keepers.locks()
    tokens = await all_of([locks.acquire("a", 60) for _ in range(200)])
    assert len([token for token in tokens if token]) == 1


async def test_a_stranger_changes_nothing(keepers: Keepers) -> None:
    locks = keepers.locks()
    token = await locks.acquire("a", 0.5)
    assert token
    for stranger in ("", "x", token[:-1], f"{token} ", "\ud83d", "*"):
        assert not await locks.extend("a", stranger, 60)
        assert not await locks.release("a", stranger)
    assert await locks.acquire("a", 60) is None
    await keepers.wait(0.5)
    assert await locks.acquire("a", 60)


async def test_a_lock_ends_and_its_holder_learns_it(keepers: Keepers) -> None:
    locks = keepers.locks()
    first = await locks.acquire("a", 0.2)
    assert first
    await keepers.wait(0.2)
    assert not await locks.extend("a", first, 60)
    second = await locks.acquire("a", 60)
    assert second
    assert not await locks.extend("a", first, 60)
    assert not await locks.release("a", first)
    assert await locks.acquire("a", 60) is None
    assert await locks.release("a", second)


async def test_nobody_releases_what_has_ended(keepers: Keepers) -> None:
    locks = keepers.locks()
    token = await locks.acquire("a", 0.2)
    assert token
    await keepers.wait(0.2)
    assert not await locks.release("a", token)


async def test_extended_it_lasts_from_then_on(keepers: Keepers) -> None:
    locks = keepers.locks()
    token = await locks.acquire("a", 0.4)
    assert token
    await keepers.wait(0.1)
    assert await locks.extend("a", token, 1.0)
    await keepers.wait(0.5)
    assert await locks.acquire("a", 60) is None
    await keepers.wait(0.5)
    assert await locks.acquire("a", 60)


@pytest.mark.parametrize("seconds", [0, -1])
async def test_a_lock_lasts_for_a_time(keepers: Keepers, seconds: float) -> None:
    locks = keepers.locks()
    with pytest.raises(ValueError, match="lasts"):
        await locks.acquire("a", seconds)
    token = await locks.acquire("a", 60)
    assert token
    with pytest.raises(ValueError, match="lasts"):
        await locks.extend("a", token, seconds)
    assert await locks.acquire("a", 60) is None


async def test_odd_names_are_names(keepers: Keepers) -> None:
    locks = keepers.locks()
    tokens = await all_of([locks.acquire(odd, 60) for odd in HOSTILE])
    assert all(tokens)
    assert len(set(tokens)) == len(HOSTILE)
    assert all(await all_of([locks.release(odd, token) for odd, token in zip(HOSTILE, tokens, strict=True)]))


async def test_many_locks_that_ended_make_room(keepers: Keepers) -> None:
    locks = keepers.locks()
    held = await locks.acquire("held", 60)
    assert held
    for each in range(20):
        await all_of([locks.acquire(f"{each}:{number}", 0.01) for number in range(100)])
        await keepers.wait(0.01)
    assert await locks.acquire("held", 60) is None
    assert await locks.release("held", held)
