"""What a directory said, kept for a while and never longer."""

import asyncio

import pytest

from bot.access.groups import CachedDirectory
from bot.model.cache import Expiring
from bot.model.messages import Actor, Conversation
from rag_core.deadlines import remaining, within
from rag_core.errors import Unavailable
from tests.fakes.directories import FakeDirectory

LEGAL = "slack:T1/usergroup/S1"
MEMBERS = frozenset({LEGAL})


class FakeSeconds:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Made:
    def __init__(self, most: int = 100) -> None:
        self.clock = FakeSeconds()
        self.inner = FakeDirectory({"U1": MEMBERS}, {"C1": ("U1",)})
        self.cached = CachedDirectory(self.inner, 300, most=most, clock=self.clock)

    async def held(self, person: str = "U1") -> frozenset[str]:
        return await self.cached.of_person(Actor("slack", "T1", person), MEMBERS)


async def test_a_person_is_looked_up_once_until_the_time_is_over() -> None:
    made = Made()
    assert [await made.held() for _ in range(3)] == [MEMBERS] * 3
    made.clock.now += 299.9
    assert await made.held() == MEMBERS
    assert made.inner.calls == ["person U1"]
    made.inner.people["U1"] = frozenset()
    made.clock.now += 0.1
    assert await made.held() == frozenset()


async def test_the_time_runs_from_the_question_and_not_from_the_answer() -> None:
    made = Made()

    async def slowly() -> None:
        made.clock.now += 200

    made.inner.before = slowly
    await made.held()
    made.clock.now += 100
    await made.held()
    assert made.inner.calls == ["person U1"] * 2


async def test_a_silent_directory_is_asked_again_and_what_ran_out_does_not_stand_in() -> None:
    made = Made()
    made.inner.down = True
    for _ in range(2):
        with pytest.raises(Unavailable):
            await made.held()
    made.inner.down = False
    assert await made.held() == MEMBERS
    made.inner.down = True
    made.clock.now += 300
    with pytest.raises(Unavailable):
        await made.held()


async def test_who_asks_at_the_same_time_shares_one_call() -> None:
    made = Made()
    assert await asyncio.gather(*(made.held() for _ in range(50))) == [MEMBERS] * 50
    assert made.inner.calls == ["person U1"]


async def test_one_who_gives_up_does_not_take_the_answer_from_the_others() -> None:
    made = Made()
    answer = asyncio.Event()
    made.inner.before = answer.wait
    first, second = asyncio.create_task(made.held()), asyncio.create_task(made.held())
    await asyncio.sleep(0.01)
    first.cancel()
    await asyncio.sleep(0.01)
    answer.set()
    assert await second == MEMBERS
    assert first.cancelled()
    assert made.inner.calls == ["person U1"]


async def test_threads_of_a_channel_have_the_same_readers() -> None:
    made = Made()
    for thread in ("", "1.1", "1.2"):
        where = Conversation("slack", "T1", "C1", thread)
        assert await made.cached.of_each_reader(where, MEMBERS) == frozenset({MEMBERS})
    assert made.inner.calls == ["channel C1"]


async def test_what_is_kept_is_bounded() -> None:
    made = Made(most=2)
    for person in ("U1", "U2", "U3", "U3", "U1"):
        await made.held(person)
    assert made.inner.calls == ["person U1", "person U2", "person U3", "person U1"]


async def test_a_finding_that_hangs_ends() -> None:
    found: Expiring[str, int] = Expiring(60, longest=0.01)

    async def hang() -> int:
        await asyncio.Event().wait()
        return 1

    with pytest.raises(Unavailable, match="directory_slow"):
        await found.get("a", hang)


async def test_the_patience_of_who_asks_first_is_not_that_of_the_others() -> None:
    made, patience = Made(), list[float]()

    async def note() -> None:
        patience.append(remaining(60))

    made.inner.before = note
    async with within(0.5):
        await made.held()
    assert patience == [60]


async def test_closing_gives_up_what_is_being_asked() -> None:
    made = Made()
    made.inner.before = asyncio.Event().wait
    waiting = asyncio.create_task(made.held())
    await asyncio.sleep(0.01)
    await made.cached.aclose()
    with pytest.raises(asyncio.CancelledError):
        await waiting
