"""A server's own memory follows forgettings by other processes."""

import asyncio
from pathlib import Path

import pytest

from adapters.local.memory import LocalConversationMemory
from adapters.sql.people.privacy import SqlPeopleForgetting
from bot.access.pseudonyms import Pseudonyms
from bot.model.messages import Actor, Conversation
from ops.privacy.forgotten_elsewhere import ForgottenElsewhere
from rag_core.errors import Unavailable
from tests.fakes.databases import migrated_engine
from tests.fakes.keepers import make_turn
from tests.fakes.privacy import DownMemory

HERE = Conversation("slack", "T1", "C1", "1.1")
PERSON = Actor("slack", "T1", "U1")


async def test_the_memory_is_emptied_when_a_forgetting_begins_and_when_it_ends(tmp_path: Path) -> None:
    memory = LocalConversationMemory(seconds=60)
    async with migrated_engine(tmp_path) as engine:
        command = SqlPeopleForgetting(engine, PERSON, Pseudonyms(bytes(32)))
        watch = ForgottenElsewhere(engine, memory)
        await memory.remember(HERE, make_turn(1))
        assert [await watch.look(), await watch.look()] == [False, False]
        assert len(await memory.recall(HERE)) == 1
        forgetting_id = await command.begin()
        assert await watch.look()
        assert await memory.recall(HERE) == ()
        await memory.remember(HERE, make_turn(2))
        await command.finish(forgetting_id)
        assert [await watch.look(), await watch.look()] == [True, False]
        assert await memory.recall(HERE) == ()


async def test_what_could_not_be_emptied_is_by_the_next_look(tmp_path: Path) -> None:
    async with migrated_engine(tmp_path) as engine:
        watch = ForgottenElsewhere(engine, DownMemory())
        await watch.look()
        await SqlPeopleForgetting(engine, PERSON, Pseudonyms(bytes(32))).begin()
        for _ in range(2):
            with pytest.raises(Unavailable, match="redis_down"):
                await watch.look()


async def test_it_goes_on_looking(tmp_path: Path) -> None:
    memory = LocalConversationMemory(seconds=60)
    async with migrated_engine(tmp_path) as engine:
        running = asyncio.create_task(ForgottenElsewhere(engine, memory).run(0.01))
        await asyncio.sleep(0.2)
        await memory.remember(HERE, make_turn(1))
        await SqlPeopleForgetting(engine, PERSON, Pseudonyms(bytes(32))).begin()
        async with asyncio.timeout(5):
            while True:
                if not await memory.recall(HERE):
                    break
                await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
