"""PostingPace: one turn after the other by name, and who would wait too long has reserved nothing."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from uuid import uuid4

import pytest

from adapters.local.limits import LocalPostingPace
from adapters.redis.client import RedisClient, RedisSettings
from adapters.redis.posting_pace import RedisPostingPace
from bot.questions.pace import PostingPace, SteadyPace
from rag_core.errors import Unavailable
from tests.fakes.clock import FakeClock
from tests.fakes.questions import NOON
from tests.fakes.services import address_of


@dataclass(frozen=True, slots=True)
class Paced:
    """`other` is as another process has it."""

    pace: PostingPace
    other: PostingPace
    wait: Callable[[float], Awaitable[None]]


@pytest.fixture(params=["local", pytest.param("redis", marks=pytest.mark.services)])
async def paced(request: pytest.FixtureRequest) -> AsyncIterator[Paced]:
    if request.param == "local":
        clock = FakeClock()

        async def wait(seconds: float) -> None:
            clock.move(seconds=seconds)

        pace = LocalPostingPace(clock=lambda: (clock() - NOON).total_seconds())
        yield Paced(pace, pace, wait)
        return
    client = RedisClient(RedisSettings(address_of("redis"), f"pace-{uuid4().hex}"))
    yield Paced(RedisPostingPace(client), RedisPostingPace(client), asyncio.sleep)
    await client.aclose()


def near(seconds: float) -> object:
    return pytest.approx(seconds, abs=0.15)


async def test_the_first_goes_at_once_and_the_others_after_it(paced: Paced) -> None:
    turns = [await each.turn("C1", 1.0, 10) for each in (paced.pace, paced.other, paced.pace)]
    assert turns == [0.0, near(1.0), near(2.0)]


async def test_another_name_waits_for_nobody(paced: Paced) -> None:
    await paced.pace.turn("C1", 1.0, 10)
    for name in ("C2", "", "日本語", "x" * 10_000, "\ud83d"):
        assert await paced.pace.turn(name, 1.0, 10) == 0.0


async def test_of_many_at_once_each_has_a_turn_of_its_own(paced: Paced) -> None:
    turns = sorted(await asyncio.gather(*(paced.pace.turn("C1", 1.0, 100) for _ in range(20))))
    assert turns == [near(number) for number in range(20)]


async def test_who_would_wait_too_long_has_reserved_nothing(paced: Paced) -> None:
    await paced.pace.turn("C1", 5.0, 10)
    assert [await paced.pace.turn("C1", 1.0, 2.0) for _ in range(3)] == [near(5.0)] * 3
    assert await paced.pace.turn("C1", 1.0, 6.0) == near(5.0)


async def test_when_the_time_has_passed_nobody_waits(paced: Paced) -> None:
    await paced.pace.turn("C1", 0.2, 10)
    await paced.wait(0.3)
    assert await paced.pace.turn("C1", 0.2, 10) == 0.0


class DownPace:
    async def turn(self, name: str, seconds: float, longest: float) -> float:
        raise Unavailable("redis_down")


async def test_while_the_shared_turns_are_down_the_process_keeps_its_own() -> None:
    steady = SteadyPace(DownPace(), LocalPostingPace(clock=lambda: 0.0))
    assert [await steady.turn("C1", 1.0, 10) for _ in range(2)] == [0.0, 1.0]


async def test_of_too_many_names_the_oldest_are_forgotten() -> None:
    pace = LocalPostingPace(most=2, clock=lambda: 0.0)
    for name in ("a", "b", "a", "c"):
        await pace.turn(name, 1.0, 10)
    assert await pace.turn("b", 1.0, 10) == 0.0
    assert await pace.turn("c", 1.0, 10) == 1.0
