"""Memory, claims, locks and limits in the process: however much is asked of them, they stay small."""

import pytest

from adapters.local.claims import LocalClaims
from adapters.local.limits import LocalRateLimits
from adapters.local.locks import LocalLocks
from adapters.local.memory import LocalConversationMemory
from bot.model.messages import Actor, Conversation
from bot.questions.limits import allowances_from
from tests.fakes.keepers import LocalKeepers, make_turn

PLACES = [Conversation("slack", "T1", "C1", str(number)) for number in range(20)]


@pytest.fixture
def time() -> LocalKeepers:
    return LocalKeepers()


async def test_of_many_conversations_those_used_last_are_remembered() -> None:
    memory = LocalConversationMemory(seconds=60, most_conversations=3)
    for place in PLACES[:3]:
        await memory.remember(place, make_turn())
    assert await memory.recall(PLACES[0])
    await memory.remember(PLACES[3], make_turn())
    assert [bool(await memory.recall(place)) for place in PLACES[:4]] == [True, False, True, True]


async def test_all_conversations_together_have_so_much_room() -> None:
    memory = LocalConversationMemory(seconds=60, most_bytes_together=10_000)
    for _ in range(3):  # what is replaced or forgotten makes room again
        for place in PLACES:
            await memory.remember(place, make_turn(1, asked="x" * 1_000))
            await memory.remember(place, make_turn(2, asked="x" * 1_000))
    kept = [place for place in PLACES if await memory.recall(place)]
    assert kept == PLACES[-len(kept) :]
    assert 3 <= len(kept) <= 5
    for place in kept:
        await memory.forget(place)
    assert memory._size == 0


async def test_conversations_that_ended_make_room(time: LocalKeepers) -> None:
    memory = LocalConversationMemory(seconds=60, clock=time.now)
    for place in PLACES:
        await memory.remember(place, make_turn())
    await time.wait(60)
    await memory.remember(PLACES[0], make_turn())
    assert len(memory._kept) == 1


async def test_of_too_many_claims_the_oldest_are_forgotten() -> None:
    claims = LocalClaims(most=3)
    for key in "abcd":
        assert await claims.claim(key)
    assert [await claims.is_claimed(key) for key in "abcd"] == [False, True, True, True]


async def test_claims_that_ended_make_room(time: LocalKeepers) -> None:
    claims = LocalClaims(seconds=60, clock=time.now)
    for number in range(50):
        await claims.claim(str(number))
    await time.wait(60)
    await claims.claim("another")
    assert len(claims._until) == 1


async def test_locks_that_ended_make_room(time: LocalKeepers) -> None:
    locks = LocalLocks(clock=time.now)
    for number in range(5_000):
        assert await locks.acquire(str(number), 1)
        await time.wait(0.1)
    assert len(locks._held) <= 1_000


async def test_of_too_many_counters_those_used_longest_ago_start_anew() -> None:
    limits = LocalRateLimits(allowances_from("1/hour"), most=3)
    people = [Actor("slack", "T1", f"U{number}") for number in range(4)]
    for person in people:
        assert await limits.hit(person, None) == 0
    assert await limits.hit(people[3], None) > 0
    assert await limits.hit(people[0], None) == 0


async def test_counters_of_one_question_are_kept_together() -> None:
    limits = LocalRateLimits(allowances_from("1/hour", "1/hour", "1/hour"), most=3)
    assert await limits.hit(Actor("slack", "T1", "U1"), PLACES[0]) == 0
    assert await limits.hit(Actor("slack", "T1", "U1"), PLACES[0]) > 0
