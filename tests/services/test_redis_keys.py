"""What the adapters leave on Redis: keys of their own that end by themselves; and what they make of strange ones."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from adapters.redis.memory import _REPLACE
from bot.model.memory import MOST_TURNS, RememberedTurn, conversation_key
from bot.model.messages import Actor, Conversation
from bot.questions.limits import allowances_from
from tests.fakes.keepers import RedisKeepers, all_of, make_turn, redis_keepers

pytestmark = pytest.mark.services

HERE = Conversation("slack", "WORKSPACE", "CHANNEL", "THREAD")
ANN = Actor("slack", "WORKSPACE", "PERSON")
CLAIM = "slack:WORKSPACE:CHANNEL:1"


@pytest.fixture
async def keepers() -> AsyncIterator[RedisKeepers]:
    async with redis_keepers() as made:
        yield made


async def hold(keepers: RedisKeepers, *, extend: bool = False) -> None:
    locks = keepers.locks()
    token = await locks.acquire("CHANNEL", 60)
    assert token
    assert not extend or await locks.extend("CHANNEL", token, 90)


async def remember(keepers: RedisKeepers, *, recall: bool = False) -> None:
    memory = keepers.memory()
    for number in range(MOST_TURNS + 1):
        await memory.remember(HERE, make_turn(number, asked="QUESTION"))
    await memory.remember(HERE, make_turn(3, asked="QUESTION"))
    assert not recall or await memory.recall(HERE)


async def hit(keepers: RedisKeepers) -> None:
    limits = keepers.limits(allowances_from("2/minute", "2/hour", "2/day"))
    for _ in range(3):
        await limits.hit(ANN, HERE)


OPERATIONS: dict[str, Callable[[RedisKeepers], Awaitable[object]]] = {
    "claim": lambda keepers: keepers.claims().claim(CLAIM),
    "acquire": hold,
    "extend": lambda keepers: hold(keepers, extend=True),
    "remember": remember,
    "recall": lambda keepers: remember(keepers, recall=True),
    "refill": lambda keepers: keepers.memory().refill(HERE, [make_turn(1), make_turn(2)]),
    "hit": hit,
}


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_every_key_has_the_prefix_and_an_end_and_names_nobody(keepers: RedisKeepers, operation: str) -> None:
    before = {key async for key in keepers.raw.scan_iter(count=1000)}
    await OPERATIONS[operation](keepers)
    keys = await keepers.keys()
    assert keys
    strangers = [key async for key in keepers.raw.scan_iter(count=1000) if key not in before]
    # others may be at work on the server: what they leave has prefixes of theirs
    assert not [key for key in strangers if not key.startswith((b"test-", b"adpolicy", b"try"))]
    for key in keys:
        assert await keepers.raw.pttl(key) > 0
        assert not any(word in key for word in ("WORKSPACE", "CHANNEL", "THREAD", "PERSON", "QUESTION", "slack"))


async def test_reading_and_giving_back_leave_no_key(keepers: RedisKeepers) -> None:
    assert await keepers.memory().recall(HERE) == ()
    assert not await keepers.claims().is_claimed(CLAIM)
    assert not await keepers.locks().release("CHANNEL", "token")
    assert not await keepers.locks().extend("CHANNEL", "token", 60)
    await keepers.memory().forget(HERE)
    await keepers.memory().refill(HERE, [])
    assert await keepers.keys() == []


async def test_the_counters_of_a_question_are_in_one_slot(keepers: RedisKeepers) -> None:
    await hit(keepers)
    keys = await keepers.keys()
    tags = {key[key.index("{") : key.index("}") + 1] for key in keys}
    assert len(keys) == 3
    assert len(tags) == 1


async def test_what_ends_with_its_window_is_not_kept_longer(keepers: RedisKeepers) -> None:
    await keepers.limits(allowances_from("2/minute")).hit(ANN, HERE)
    (key,) = await keepers.keys()
    assert 55_000 < await keepers.raw.pttl(key) <= 60_000


async def test_entries_that_cannot_be_read_are_left_out(keepers: RedisKeepers) -> None:
    memory, key = keepers.memory(), memory_key(keepers)
    await memory.remember(HERE, make_turn(1))
    older = make_turn(2).to_json()
    del older["topics"]
    for odd in (
        b"",
        b"\xff" * 100,
        b"x" * 64 + json.dumps(older).encode(),
        b"x" * 64 + b"[]",
        b"x" * 64 + b"[" * 9_999,
    ):
        await keepers.raw.rpush(key, odd)
    await memory.remember(HERE, make_turn(3))
    assert await memory.recall(HERE) == (make_turn(1), make_turn(3))


async def test_where_nothing_can_be_read_refilling_replaces_it(keepers: RedisKeepers) -> None:
    memory, key = keepers.memory(), memory_key(keepers)
    await keepers.raw.rpush(key, b"of an older version", b"x" * 100)
    assert await memory.recall(HERE) == ()
    await memory.refill(HERE, [make_turn(1)])
    assert await memory.recall(HERE) == (make_turn(1),)
    assert await keepers.raw.llen(key) == 1


async def test_more_than_there_may_be_is_cut_on_reading(keepers: RedisKeepers) -> None:
    memory = keepers.memory()
    turns = [make_turn(number) for number in range(MOST_TURNS)]
    await memory.refill(HERE, turns)
    key = memory_key(keepers)
    await keepers.raw.rpush(key, *await keepers.raw.lrange(key, 0, 1))
    recalled: tuple[RememberedTurn, ...] = await memory.recall(HERE)
    assert recalled == (*turns[2:], *turns[:2])


async def test_what_was_remembered_meanwhile_is_not_replaced(keepers: RedisKeepers) -> None:
    memory = keepers.memory()
    places = [Conversation("slack", "T1", "C1", str(number)) for number in range(50)]
    refilling = [memory.refill(place, [make_turn(1)]) for place in places]
    await all_of([*refilling, *[memory.remember(place, make_turn(2)) for place in places]])
    recalled = await all_of([memory.recall(place) for place in places])
    assert all(make_turn(2) in turns for turns in recalled)
    key = memory_key(keepers)
    await keepers.raw.rpush(key, "now")
    await keepers.client.run(_REPLACE, [key], 60_000, 1, "before", "new")
    assert await keepers.raw.lrange(key, 0, -1) == [b"now"]


async def test_what_is_outside_the_window_is_not_kept(keepers: RedisKeepers) -> None:
    limits = keepers.limits(allowances_from("5/second"))
    for _ in range(4):
        assert await limits.hit(ANN, HERE) == 0
    await keepers.wait(0.6)
    assert await limits.hit(ANN, HERE) == 0
    await keepers.wait(0.5)
    assert await limits.hit(ANN, HERE) == 0
    (key,) = await keepers.keys()
    assert await keepers.raw.zcard(key) == 2


async def test_a_clock_that_was_set_back_does_not_lock_anybody_out(keepers: RedisKeepers) -> None:
    limits = keepers.limits(allowances_from("1/minute"))
    assert await limits.hit(ANN, HERE) == 0
    (key,) = await keepers.keys()
    ((member, score),) = await keepers.raw.zrange(key, 0, -1, withscores=True)
    await keepers.raw.zadd(key, {member: score + 300_000_000})
    assert await limits.hit(ANN, HERE) == 0
    assert 0 < await limits.hit(ANN, HERE) <= 60
    assert await keepers.raw.zcard(key) == 1


async def test_after_redis_was_emptied_everything_starts_anew(keepers: RedisKeepers) -> None:
    memory, claims, locks = keepers.memory(), keepers.claims(), keepers.locks()
    limits = keepers.limits(allowances_from("1/minute"))
    await memory.remember(HERE, make_turn(1))
    assert await claims.claim(CLAIM)
    token = await locks.acquire("CHANNEL", 60)
    assert token
    assert await limits.hit(ANN, HERE) == 0

    await keepers.empty()

    assert await memory.recall(HERE) == ()
    await memory.refill(HERE, [make_turn(1)])
    assert await memory.recall(HERE) == (make_turn(1),)
    assert await claims.claim(CLAIM)
    assert not await locks.extend("CHANNEL", token, 60)
    assert await locks.acquire("CHANNEL", 60)
    assert not await locks.release("CHANNEL", token)
    assert await limits.hit(ANN, HERE) == 0


def memory_key(keepers: RedisKeepers) -> str:
    return f"{keepers.prefix}:memory:{conversation_key(HERE)}"
