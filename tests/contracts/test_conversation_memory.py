"""ConversationMemory: the last turns of each conversation, bounded in number, size and time."""

from collections.abc import AsyncIterator

import pytest

from bot.model.memory import LONGEST_TEXT, MOST_BYTES, MOST_TURNS, CitedChunk
from bot.model.messages import Conversation
from tests.fakes.keepers import HOSTILE, KINDS, MAKERS, Keepers, all_of, make_turn

HERE = Conversation("slack", "T1", "C1", "1.1")
THERE = Conversation("slack", "T1", "C1", "1.2")
CITED = tuple(CitedChunk(f"chunk{n}", "doc", "document", "acme", "Rules > Alcohol") for n in range(3))


@pytest.fixture(params=KINDS)
async def keepers(request: pytest.FixtureRequest) -> AsyncIterator[Keepers]:
    async with MAKERS[request.param]() as made:
        yield made


async def test_turns_come_back_as_they_were_oldest_first(keepers: Keepers) -> None:
    memory = keepers.memory()
    turns = [make_turn(1, citations=CITED), make_turn(2, asked="Darf ich 🍺?\n\x00", person="\ud83d")]
    for turn in turns:
        await memory.remember(HERE, turn)
    assert await memory.recall(HERE) == tuple(turns)


async def test_whom_a_turn_is_for_is_never_lost(keepers: Keepers) -> None:
    memory = keepers.memory()
    await memory.remember(HERE, make_turn(1, needed=("hr", "legal")))
    await memory.remember(HERE, make_turn(2, needed=("legal",), topics=("x" * MOST_BYTES,)))  # loses what is too large
    await memory.refill(THERE, [make_turn(3, needed=("legal",))])
    assert [turn.needed for turn in await memory.recall(HERE)] == [("hr", "legal"), ("legal",)]
    assert [turn.needed for turn in await memory.recall(THERE)] == [("legal",)]


async def test_what_was_never_said_is_no_turns(keepers: Keepers) -> None:
    memory = keepers.memory()
    await memory.remember(HERE, make_turn())
    assert await memory.recall(THERE) == ()


async def test_what_was_said_in_one_workspace_is_not_heard_in_another(keepers: Keepers) -> None:
    memory = keepers.memory()
    await memory.remember(HERE, make_turn())
    for workspace, channel in (("T2", "C1"), ("", "T1/C1"), ("T1/C1", "")):
        assert await memory.recall(Conversation("slack", workspace, channel, "1.1")) == ()


async def test_only_the_last_turns_are_kept(keepers: Keepers) -> None:
    memory = keepers.memory()
    for number in range(MOST_TURNS + 3):
        await memory.remember(HERE, make_turn(number))
    assert await memory.recall(HERE) == tuple(make_turn(number) for number in range(3, MOST_TURNS + 3))


async def test_one_answer_is_there_once(keepers: Keepers) -> None:
    memory = keepers.memory()
    await memory.remember(HERE, make_turn(1))
    await memory.remember(HERE, make_turn(2))
    await memory.remember(HERE, make_turn(1, asked="told again"))
    assert await memory.recall(HERE) == (make_turn(1), make_turn(2))


async def test_of_many_at_once_each_is_there_once(keepers: Keepers) -> None:
    memory = keepers.memory()
    await all_of([memory.remember(HERE, make_turn(number % 5)) for number in range(200)])
    answers = [turn.answer_id for turn in await memory.recall(HERE)]
    assert sorted(answers) == [f"a{number}" for number in range(5)]


async def test_conversations_at_once_do_not_mix(keepers: Keepers) -> None:
    memory = keepers.memory()
    places = [Conversation("slack", "T1", "C1", str(number)) for number in range(200)]
    await all_of([memory.remember(place, make_turn(number)) for number, place in enumerate(places)])
    recalled = await all_of([memory.recall(place) for place in places])
    assert recalled == [(make_turn(number),) for number in range(200)]


async def test_a_quiet_conversation_is_forgotten(keepers: Keepers) -> None:
    memory = keepers.memory(seconds=0.2)
    await memory.remember(HERE, make_turn())
    await keepers.wait(0.2)
    assert await memory.recall(HERE) == ()


async def test_use_keeps_a_conversation(keepers: Keepers) -> None:
    memory = keepers.memory(seconds=0.8)
    await memory.remember(HERE, make_turn())
    for _ in range(3):
        await keepers.wait(0.3)
        assert await memory.recall(HERE) == (make_turn(),)
    await keepers.wait(0.3)
    await memory.remember(HERE, make_turn())  # known already: use all the same
    await keepers.wait(0.3)
    assert await memory.recall(HERE) == (make_turn(),)


async def test_after_forgetting_there_is_nothing(keepers: Keepers) -> None:
    memory = keepers.memory()
    await memory.remember(HERE, make_turn())
    await memory.remember(THERE, make_turn())
    await memory.forget(HERE)
    await memory.forget(HERE)
    assert await memory.recall(HERE) == ()
    assert await memory.recall(THERE) == (make_turn(),)


async def test_refilling_makes_a_memory(keepers: Keepers) -> None:
    memory = keepers.memory()
    turns = tuple(make_turn(number) for number in range(MOST_TURNS + 4))
    await memory.refill(HERE, [*turns, make_turn(MOST_TURNS + 3, asked="told again")])
    assert await memory.recall(HERE) == turns[-MOST_TURNS:]
    await memory.remember(HERE, turns[-2])
    assert await memory.recall(HERE) == turns[-MOST_TURNS:]


async def test_refilling_leaves_what_is_remembered(keepers: Keepers) -> None:
    memory = keepers.memory()
    await memory.remember(HERE, make_turn(5))
    await memory.refill(HERE, [make_turn(1), make_turn(2)])
    assert await memory.recall(HERE) == (make_turn(5),)


async def test_refilling_with_nothing_changes_nothing(keepers: Keepers) -> None:
    memory = keepers.memory()
    await memory.refill(HERE, [])
    assert await memory.recall(HERE) == ()
    await memory.refill(HERE, [make_turn()])
    assert await memory.recall(HERE) == (make_turn(),)


async def test_what_was_refilled_ends_too(keepers: Keepers) -> None:
    memory = keepers.memory(seconds=0.2)
    await memory.refill(HERE, [make_turn()])
    await keepers.wait(0.2)
    assert await memory.recall(HERE) == ()


async def test_the_size_is_bounded_and_the_oldest_go_first(keepers: Keepers) -> None:
    memory = keepers.memory(most_bytes=4_500)
    turns = [make_turn(number, asked="x" * 1_000) for number in range(6)]
    for turn in turns:
        await memory.remember(HERE, turn)
    assert await memory.recall(HERE) == tuple(turns[-3:])
    await memory.refill(THERE, turns)
    assert await memory.recall(THERE) == tuple(turns[-3:])


async def test_a_turn_that_is_too_large_loses_what_it_can_do_without(keepers: Keepers) -> None:
    memory = keepers.memory()
    many = tuple(CitedChunk("c" * 1000, "d", "e", "f") for _ in range(100))
    turn = make_turn(1, asked="ü" * 50_000, citations=many, topics=("t",) * 50_000)
    await memory.remember(HERE, turn)
    (kept,) = await memory.recall(HERE)
    assert (kept.asked, kept.citations, kept.topics) == ("ü" * LONGEST_TEXT, (), ())
    assert (kept.answer_id, kept.regions) == (turn.answer_id, turn.regions)


async def test_a_turn_that_cannot_fit_is_left_out(keepers: Keepers) -> None:
    memory = keepers.memory()
    await memory.remember(HERE, make_turn(1))
    await memory.remember(HERE, make_turn(2, person="p" * MOST_BYTES))
    assert await memory.recall(HERE) == (make_turn(1),)


@pytest.mark.parametrize("odd", HOSTILE, ids=range(len(HOSTILE)))
async def test_odd_ids_are_ids(keepers: Keepers, odd: str) -> None:
    memory = keepers.memory()
    place = Conversation(odd, odd, odd, odd)
    turn = make_turn(1, answer_id=odd)
    await memory.remember(place, turn)
    await memory.remember(place, turn)
    assert await memory.recall(place) == (turn,)
    assert await memory.recall(HERE) == ()
    await memory.forget(place)
    assert await memory.recall(place) == ()


async def test_all_conversations_are_forgotten_at_once(keepers: Keepers) -> None:
    memory, claims = keepers.memory(), keepers.claims()
    for number in range(3):
        await memory.remember(Conversation("slack", "T1", "C1", f"1.{number}"), make_turn(number))
    assert await claims.claim("slack:T1:1")
    assert await memory.forget_all() == 3
    assert [await memory.recall(Conversation("slack", "T1", "C1", f"1.{number}")) for number in range(3)] == [()] * 3
    assert await memory.forget_all() == 0
    assert await claims.is_claimed("slack:T1:1")  # nothing else is
    await memory.remember(HERE, make_turn(1))
    assert await memory.recall(HERE) == (make_turn(1),)
