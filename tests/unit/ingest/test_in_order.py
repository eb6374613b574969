"""Two steps for many things: the first for one at a time, the second for several."""

import asyncio
from contextlib import aclosing

import pytest

from ingest.run.discovery import in_order


class Steps:
    """Notes what is at work; `hold` keeps the second step of an item until it is set."""

    def __init__(self) -> None:
        self.first = self.then = self.most_first = self.most_then = 0
        self.begun: list[int] = []
        self.ended: list[int] = []
        self.hold: dict[int, asyncio.Event] = {}

    async def fetch(self, item: int) -> str:
        self.first += 1
        self.most_first = max(self.most_first, self.first)
        await asyncio.sleep(0)
        self.first -= 1
        self.begun.append(item)
        return str(item)

    async def read(self, item: int, half: str) -> str:
        self.then += 1
        self.most_then = max(self.most_then, self.then)
        try:
            await (self.hold[item].wait() if item in self.hold else asyncio.sleep(0.001 * (7 - item % 7)))
            if half == "5":
                raise ValueError(half)
        finally:
            self.then -= 1
            self.ended.append(item)
        return half * 2


async def test_everything_comes_out_in_order_though_some_is_ready_earlier() -> None:
    steps = Steps()
    items = [item for item in range(30) if item != 5]
    async with aclosing(in_order(items, steps.fetch, steps.read, 4)) as found:
        assert [each async for each in found] == [str(item) * 2 for item in items]
    assert (steps.most_first, steps.most_then) == (1, 4)
    assert steps.ended != items


async def test_no_more_wait_than_may_be_at_work() -> None:
    steps = Steps()
    steps.hold[0] = asyncio.Event()
    async with aclosing(in_order(range(5), steps.fetch, steps.read, 3)) as found:
        first = asyncio.ensure_future(anext(found))
        await asyncio.sleep(0.05)
        assert steps.begun == [0, 1, 2]
        steps.hold[0].set()
        assert await first == "00"


async def test_an_error_comes_out_at_its_turn_and_the_rest_is_ended() -> None:
    steps = Steps()
    steps.hold[6] = asyncio.Event()
    got: list[str] = []

    async def all_of_it() -> None:
        async with aclosing(in_order(range(9), steps.fetch, steps.read, 4)) as found:
            async for each in found:
                got.append(each)

    with pytest.raises(ValueError, match="5"):
        await all_of_it()
    assert got == ["00", "11", "22", "33", "44"]
    assert (steps.then, 6 in steps.ended) == (0, True)


async def test_an_error_of_the_first_step_waits_for_what_came_before_it() -> None:
    steps = Steps()
    got: list[str] = []

    async def fetch(item: int) -> str:
        if item == 2:
            raise ValueError(item)
        return await steps.fetch(item)

    async def all_of_it() -> None:
        async with aclosing(in_order(range(5), fetch, steps.read, 4)) as found:
            async for each in found:
                got.append(each)

    with pytest.raises(ValueError, match="2"):
        await all_of_it()
    assert (got, steps.begun, steps.ended) == (["00", "11"], [0, 1], [1, 0])


async def test_who_is_cancelled_leaves_nothing_at_work() -> None:
    steps = Steps()
    steps.hold = {item: asyncio.Event() for item in range(9)}

    async def all_of_it() -> None:
        async with aclosing(in_order(range(9), steps.fetch, steps.read, 4)) as found:
            async for _ in found:
                raise AssertionError

    task = asyncio.create_task(all_of_it())
    await asyncio.sleep(0.05)
    assert steps.then == 4
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (steps.then, sorted(steps.ended)) == (0, [0, 1, 2, 3])


async def test_who_stops_listening_leaves_nothing_at_work() -> None:
    steps = Steps()
    steps.hold = {item: asyncio.Event() for item in range(1, 9)}
    async with aclosing(in_order(range(9), steps.fetch, steps.read, 4)) as found:
        assert await anext(found) == "00"
        await asyncio.sleep(0)
    assert steps.then == 0
