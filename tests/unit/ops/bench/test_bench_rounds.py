"""Measuring in turns."""

import asyncio

from ops.bench.timing import in_turns, latency, throughput


async def test_both_are_asked_everything_equally_often_and_take_turns_to_begin() -> None:
    asked: list[tuple[str, int]] = []

    async def first(number: int) -> None:
        asked.append(("first", number))

    async def second(number: int) -> None:
        asked.append(("second", number))

    one, two = await in_turns(first, second, 3, 2)
    assert (one.count, two.count) == (6, 6)
    assert sorted(asked) == sorted([(who, n) for who in ("first", "second") for n in (0, 1, 2)] * 2)
    assert {asked[place][0] for place in range(0, 12, 2)} == {"first", "second"}


async def test_the_slower_one_is_found_out() -> None:
    async def slow(number: int) -> None:
        await asyncio.sleep(0.02)

    async def quick(number: int) -> None:
        await asyncio.sleep(0.001)

    one, two = await in_turns(slow, quick, 5, 2)
    assert one.p50 > 2 * two.p50
    assert one.p95 >= one.p50 >= 20


async def test_callers_who_wait_for_something_else_get_more_together() -> None:
    async def wait(number: int) -> None:
        await asyncio.sleep(0.01)

    measured = await throughput(wait, callers=4, rounds=3, seconds=0.1)
    assert measured.callers == 4
    assert measured.ratio > 2


async def test_callers_who_wait_for_each_other_do_not() -> None:
    lock = asyncio.Lock()

    async def wait(number: int) -> None:
        async with lock:
            await asyncio.sleep(0.01)

    assert (await throughput(wait, callers=4, rounds=3, seconds=0.2)).ratio < 1.5


def test_percentiles() -> None:
    measured = latency([float(value) for value in range(1, 102)])
    assert (measured.p50, measured.p95, measured.count) == (51.0, 96.0, 101)
