"""The way up and down of whom replies and turns are for."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.conversations import SqlConversationMemory
from adapters.sql.migrate import downgrade, upgrade
from bot.messages import Conversation
from tests.fakes.databases import SCRIPTS
from tests.fakes.keepers import make_turn

HERE = Conversation("slack", "T1", "C1", "1.1")


async def test_a_version_that_knows_no_audiences_is_left_what_was_for_everybody(engine: AsyncEngine) -> None:
    memory = SqlConversationMemory(engine)
    for turn in (make_turn(1), make_turn(2, needed=("legal",)), make_turn(3)):
        await memory.remember(HERE, turn)
    await downgrade(engine, SCRIPTS, "0005")
    async with engine.connect() as connection:
        rows = (await connection.execute(text("SELECT answer_id FROM messages ORDER BY answer_id"))).scalars().all()
    assert rows == ["a1", "a3"]
    await upgrade(engine, SCRIPTS)
    assert await memory.recall(HERE) == (make_turn(1), make_turn(3))
