"""The key of pseudonyms, and rows from before there were any."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.conversations import SqlConversationMemory
from adapters.sql.inbox import SqlInbox
from adapters.sql.privacy_tables import pseudonym_keys
from adapters.sql.pseudonym_filling import fill_pseudonyms
from adapters.sql.pseudonym_key import open_pseudonyms
from adapters.sql.tables import answers, conversations, inbox, messages
from adapters.sql.vault import Vault, new_key
from bot.messages import Actor, Conversation
from bot.ports import InboxState
from bot.pseudonyms import Pseudonyms
from rag_core.errors import Misconfigured
from tests.fakes.keepers import make_turn
from tests.fakes.privacy import dump_of
from tests.fakes.questions import NOON, make_question

SLACK = Actor("slack", "T1", "U0FORGETME")
REST = Actor("rest", "local", "alice")
THREAD = Conversation("slack", "T1", "C1", "1.1")
OWN = Conversation("rest", "local", "alice", "c-1")
WEB = Conversation("web", "local", "alice", "c-2")


async def rows(engine: AsyncEngine, table: Any) -> list[Any]:
    async with engine.connect() as connection:
        return list((await connection.execute(select(table))).mappings())


async def test_all_processes_have_one_key_and_it_is_not_readable_in_the_database(engine: AsyncEngine) -> None:
    vault = Vault([new_key()])
    made = await asyncio.gather(*(open_pseudonyms(engine, vault) for _ in range(4)))
    assert len({each.key for each in made}) == 1
    assert await open_pseudonyms(engine, vault) == made[0]
    [row] = await rows(engine, pseudonym_keys)
    assert vault.decrypt(row["secret"]) != row["secret"]
    assert made[0].key not in row["secret"].encode()


async def test_another_key_of_the_vault_changes_nobodys_pseudonym(engine: AsyncEngine) -> None:
    old, new = new_key(), new_key()
    before = await open_pseudonyms(engine, Vault([old]))
    assert (await open_pseudonyms(engine, Vault([new, old]))).of(SLACK) == before.of(SLACK)
    with pytest.raises(Misconfigured, match="secret_key_wrong"):
        await open_pseudonyms(engine, Vault([new]))


@pytest.mark.parametrize("secret", ["no base 64!", "AAAA"])
async def test_a_damaged_key_stops_the_start(engine: AsyncEngine, secret: str) -> None:
    vault = Vault([new_key()])
    async with engine.begin() as connection:
        row = {"purpose": "people", "secret": vault.encrypt(secret), "made_at": NOON}
        await connection.execute(insert(pseudonym_keys).values(row))
    with pytest.raises(Misconfigured, match="pseudonym_key_unreadable"):
        await open_pseudonyms(engine, vault)


async def write_old_rows(engine: AsyncEngine, vault: Vault, count: int = 3) -> None:
    """As they were written when nobody had a pseudonym."""
    memory = SqlConversationMemory(engine)
    await memory.remember(THREAD, make_turn(1, person="U0FORGETME"))
    await memory.remember(THREAD, make_turn(2, person="U0STAYS"))
    await memory.remember(OWN, make_turn(3, person="alice"))
    await memory.remember(WEB, make_turn(4, person="alice"))
    ended = SqlInbox(engine, vault)
    await ended.accept(make_question(1, actor=SLACK, text="moonshine"))
    lease = await ended.take("worker", 60)
    assert lease is not None
    assert await ended.finish(lease, InboxState.SENT)
    async with engine.begin() as connection:
        old = {"text": "moonshine", "actor": {"platform": "slack", "workspace": "T1", "person": "U0FORGETME"}}
        await connection.execute(inbox.update().values(old))
        for number in range(count):
            actor = SLACK if number % 2 else REST
            row = {
                "answer_id": f"a{number}",
                "answered_from": "web" if number == 2 else actor.platform,
                "workspace": actor.workspace,
                "person": actor.person,
                "question_text": "beer",
                "reply": {},
                "answered_at": NOON,
            }
            await connection.execute(insert(answers).values(row))


async def test_rows_from_before_get_their_pseudonyms_and_the_ids_are_gone(engine: AsyncEngine, tmp_path: Path) -> None:
    vault = Vault([new_key()])
    await write_old_rows(engine, vault)
    assert b"U0FORGETME" in await dump_of(engine, tmp_path)
    pseudonyms = await open_pseudonyms(engine, vault)
    slack, rest = pseudonyms.of(SLACK), pseudonyms.of(REST)
    assert {row["answer_id"]: row["person"] for row in await rows(engine, answers)} == {
        "a0": rest,
        "a1": slack,
        "a2": rest,
    }
    found = {row["answer_id"]: row["person"] for row in await rows(engine, messages)}
    assert (found["a1"], found["a3"], found["a4"]) == (slack, rest, rest)
    places = {(row["platform"], row["channel"]) for row in await rows(engine, conversations)}
    assert places == {("slack", "C1"), ("rest", rest), ("web", rest)}
    memory = SqlConversationMemory(engine)
    assert [turn.answer_id for turn in await memory.recall(pseudonyms.place(OWN, REST))] == ["a3"]
    assert [turn.answer_id for turn in await memory.recall(THREAD)] == ["a1", "a2"]
    dump = await dump_of(engine, tmp_path)
    assert [trace for trace in (b"U0FORGETME", b"U0STAYS", b"alice", b"moonshine") if trace in dump] == []


async def test_filling_goes_on_where_it_was_stopped(engine: AsyncEngine) -> None:
    vault = Vault([new_key()])
    pseudonyms = Pseudonyms(bytes(32))
    await write_old_rows(engine, vault)
    async with engine.begin() as connection:  # as if the process had been killed half way
        await connection.execute(
            text("UPDATE answers SET person = :done WHERE answer_id = 'a1'"), {"done": "p1:" + "0" * 64}
        )
    assert await fill_pseudonyms(engine, pseudonyms) == 2 + 2 + 4 + 1
    assert await fill_pseudonyms(engine, pseudonyms) == 0


async def test_a_start_that_was_killed_before_the_end_of_filling_is_made_up_for(engine: AsyncEngine) -> None:
    vault = Vault([new_key()])
    await open_pseudonyms(engine, vault)
    async with engine.begin() as connection:
        await connection.execute(pseudonym_keys.update().values(filled_at=None))
    await write_old_rows(engine, vault)
    pseudonyms = await open_pseudonyms(engine, vault)
    assert {row["person"] for row in await rows(engine, answers)} == {pseudonyms.of(SLACK), pseudonyms.of(REST)}
    [row] = await rows(engine, pseudonym_keys)
    assert row["filled_at"] is not None
