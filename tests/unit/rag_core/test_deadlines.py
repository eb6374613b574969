"""A deadline that travels with the request."""

import asyncio

import pytest

from rag_core.deadlines import LEAST_SECONDS, is_over, remaining, within


async def test_without_a_deadline_the_cap_holds() -> None:
    assert remaining(7.0) == 7.0
    assert not is_over()


async def test_what_is_left_is_less_than_the_cap() -> None:
    async with within(2.0):
        assert 1.5 < remaining(60.0) <= 2.0
        assert remaining(0.5) == 0.5


async def test_nested_ones_only_shorten() -> None:
    async with within(2.0):
        async with within(60.0):
            assert remaining(60.0) <= 2.0
        async with within(1.0):
            assert remaining(60.0) <= 1.0
        assert remaining(60.0) > 1.0
    assert remaining(60.0) == 60.0


async def test_it_ends_the_block() -> None:
    with pytest.raises(TimeoutError):
        async with within(0.01):
            await asyncio.sleep(10)
    assert remaining(60.0) == 60.0


async def test_an_inner_one_cannot_swallow_that_the_outer_one_is_over() -> None:
    async def ask() -> str:
        try:
            async with within(60.0):
                await asyncio.sleep(10)
        except TimeoutError:
            return "swallowed"
        return "answered"

    with pytest.raises(TimeoutError):
        async with within(0.01):
            await ask()


async def test_an_inner_one_may_end_and_the_outer_goes_on() -> None:
    async with within(10.0):
        with pytest.raises(TimeoutError):
            async with within(0.01):
                await asyncio.sleep(10)
        assert remaining(60.0) > 9


async def test_tasks_inherit_it_and_others_do_not() -> None:
    async def left() -> float:
        return remaining(60.0)

    outside = asyncio.create_task(left())
    async with within(1.0):
        inside = await asyncio.create_task(left())
        assert inside <= 1.0
        assert await outside == 60.0


async def test_nothing_left_is_still_something() -> None:
    ends: list[tuple[float, bool]] = []

    async def wait() -> None:
        try:
            await asyncio.sleep(10)
        finally:
            ends.append((remaining(60.0), is_over()))

    with pytest.raises(TimeoutError):
        async with within(0.0):
            await wait()
    assert ends == [(LEAST_SECONDS, True)]
