"""The durable history of conversations, as ConversationMemory and as rows."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.conversations import SqlConversationMemory
from adapters.sql.tables.policies import conversations, messages
from bot.model.memory import MOST_TURNS, CitedChunk
from bot.model.messages import Conversation
from tests.fakes.clock import FakeClock
from tests.fakes.keepers import HOSTILE, make_turn
from tests.fakes.questions import NOON

HERE = Conversation("slack", "T1", "C1", "1.1")
THERE = Conversation("slack", "T1", "C1", "1.2")


def cited(*document_ids: str) -> tuple[CitedChunk, ...]:
    return tuple(
        CitedChunk(f"chunk-{each}", f"{each}_2026-01-01", each, "acme", "Rules > Alcohol") for each in document_ids
    )


@pytest.fixture
def memory(engine: AsyncEngine) -> SqlConversationMemory:
    return SqlConversationMemory(engine)


async def rows(engine: AsyncEngine, table: Any) -> list[Any]:
    async with engine.connect() as connection:
        return list((await connection.execute(select(table))).mappings())


async def test_turns_come_back_as_they_were_oldest_first(memory: SqlConversationMemory) -> None:
    turns = [make_turn(2, citations=cited("a", "b")), make_turn(1, content_types=("video",), kind="refusal")]
    for turn in turns:
        await memory.remember(HERE, turn)
    assert await memory.recall(HERE) == (turns[1], turns[0])
    assert await memory.recall(THERE) == ()


async def test_all_turns_are_kept_and_the_last_ones_recalled(
    engine: AsyncEngine, memory: SqlConversationMemory
) -> None:
    turns = [make_turn(number) for number in range(MOST_TURNS + 3)]
    for turn in turns:
        await memory.remember(HERE, turn)
    assert await memory.recall(HERE) == tuple(turns[3:])
    assert len(await rows(engine, messages)) == MOST_TURNS + 3


async def test_one_answer_is_there_once_and_the_first_stays(memory: SqlConversationMemory) -> None:
    await memory.remember(HERE, make_turn(1))
    await memory.remember(HERE, make_turn(1, asked="told again"))
    assert await memory.recall(HERE) == (make_turn(1),)


async def test_many_at_once_lose_nothing(engine: AsyncEngine, memory: SqlConversationMemory) -> None:
    turns = [make_turn(n, topics=(f"topic-{n % 12}",), citations=cited(f"doc-{n % 12}")) for n in range(24)]
    await asyncio.gather(
        *(memory.remember(HERE, turn) for turn in turns), *(memory.remember(HERE, turns[0]) for _ in range(5))
    )
    assert len(await rows(engine, messages)) == 24
    [row] = await rows(engine, conversations)
    assert sorted(row["topics"]) == sorted({f"topic-{n}" for n in range(12)})
    assert sorted(row["document_ids"]) == sorted({f"doc-{n}" for n in range(12)})


async def test_the_conversation_says_where_when_and_what_about(
    engine: AsyncEngine, memory: SqlConversationMemory
) -> None:
    await memory.remember(HERE, make_turn(1, topics=("alcohol", "beer"), citations=cited("a")))
    await memory.remember(HERE, make_turn(2, topics=("gambling",), citations=cited("b")))
    await memory.remember(HERE, make_turn(3, topics=("alcohol",), citations=()))
    [row] = await rows(engine, conversations)
    assert (row["platform"], row["workspace"], row["channel"], row["thread"]) == ("slack", "T1", "C1", "1.1")
    assert (row["started_at"], row["last_at"]) == (NOON + timedelta(minutes=1), NOON + timedelta(minutes=3))
    assert (row["topics"], row["document_ids"]) == (["beer", "gambling", "alcohol"], ["a", "b"])
    assert [(each["tokens_in"], each["tokens_out"]) for each in await rows(engine, messages)] == [(None, None)] * 3


async def test_what_was_discussed_is_bounded(engine: AsyncEngine, memory: SqlConversationMemory) -> None:
    await memory.remember(HERE, make_turn(1, topics=tuple(f"topic-{n}" for n in range(80))))
    [row] = await rows(engine, conversations)
    assert row["topics"] == [f"topic-{n}" for n in range(30, 80)]


async def test_a_conversation_that_was_quiet_for_long_begins_anew(engine: AsyncEngine) -> None:
    clock = FakeClock()
    memory = SqlConversationMemory(engine, most_quiet=timedelta(hours=24), now=clock)
    await memory.remember(HERE, make_turn(0))
    clock.move(hours=23)
    await memory.remember(HERE, make_turn(1, at=clock()))
    clock.move(hours=23)
    assert len(await memory.recall(HERE)) == 2
    clock.move(hours=2)
    assert await memory.recall(HERE) == ()


async def test_refilling_makes_a_history_and_leaves_one_that_is_there(memory: SqlConversationMemory) -> None:
    await memory.refill(HERE, [])
    assert await memory.recall(HERE) == ()
    await memory.refill(HERE, [make_turn(1), make_turn(2)])
    await memory.refill(HERE, [make_turn(3)])
    assert await memory.recall(HERE) == (make_turn(1), make_turn(2))


async def test_after_forgetting_there_is_nothing(engine: AsyncEngine, memory: SqlConversationMemory) -> None:
    await memory.remember(HERE, make_turn(1))
    await memory.remember(THERE, make_turn(2))
    await memory.forget(HERE)
    await memory.forget(HERE)
    assert await memory.recall(HERE) == ()
    assert await memory.recall(THERE) == (make_turn(2),)
    assert len(await rows(engine, conversations)) == 1


@pytest.mark.parametrize("odd", HOSTILE, ids=range(len(HOSTILE)))
async def test_odd_ids_and_texts_are_kept(memory: SqlConversationMemory, odd: str) -> None:
    place = Conversation(odd, odd, odd, odd)
    await memory.remember(place, make_turn(1, person=odd, asked=odd, topics=(odd,)))
    [turn] = await memory.recall(place)
    assert (turn.asked, turn.topics) == (turn.person, (turn.asked,))
    assert await memory.recall(HERE) == ()


async def test_what_is_for_some_only_comes_back_so_and_is_no_topic_of_the_conversation(
    engine: AsyncEngine, memory: SqlConversationMemory
) -> None:
    turns = [
        make_turn(1, citations=cited("a")),
        make_turn(2, topics=("merger",), citations=cited("secret"), needed=("hr", "legal")),
    ]
    for turn in turns:
        await memory.remember(HERE, turn)
    assert await memory.recall(HERE) == tuple(turns)
    [row] = await rows(engine, conversations)
    assert (row["topics"], row["document_ids"]) == (["alcohol", "beer"], ["a"])
