"""The key of pseudonyms."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.vault import Vault, new_key
from adapters.sql.people.privacy import open_pseudonyms
from adapters.sql.tables.people import pseudonym_keys
from bot.model.messages import Actor, Conversation
from rag_core.errors import Misconfigured
from tests.fakes.questions import NOON

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
