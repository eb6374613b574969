"""A new key reaches everything that is encrypted, beside those who write; nothing else that opens doors is stored."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import Column, Connection, LargeBinary, Text, inspect, select, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.database.types import Encrypted
from adapters.sql.database.vault import Vault, new_key
from adapters.sql.people.encrypted import ENCRYPTED, Renewal, SqlRenewal
from adapters.sql.tables.policies import inbox, metadata
from rag_core.errors import Misconfigured
from tests.fakes.inboxes import stored, taken
from tests.fakes.questions import make_question

OLD, NEW, LOST = new_key(), new_key(), new_key()
BOTH = Vault([NEW, OLD])
COLUMN = inbox.c.reply_address

_OPENS_DOORS = re.compile(
    r"token|secret|password|credential|encrypted|reply_address|response_url|refresh|reference|key$"
)
_OPEN = {
    "inbox.claim_key": "names a delivery",
    "inbox.conversation_key": "names a conversation",
    "conversations.conversation_key": "names a conversation",
    "messages.conversation_key": "names a conversation",
    "messages.tokens_in": "a number",
    "messages.tokens_out": "a number",
    "model_calls.prompt_tokens": "a number",
    "model_calls.completion_tokens": "a number",
    "chunks.has_cross_reference": "yes or no",
    "api_tokens.token_id": "names a token, of which only a hash is kept",
    "page_sessions.token_id": "names the token that somebody signed in with",
}
"""Columns whose names sound like it, and what they are instead."""


async def fill(engine: AsyncEngine, count: int, key: str = OLD) -> None:
    box = SqlInbox(engine, Vault([key]))
    for number in range(1, count + 1):
        await box.accept(make_question(number))


async def test_all_rows_are_renewed_in_batches_and_stay_what_they_said(engine: AsyncEngine) -> None:
    await fill(engine, 7)
    before = await stored(engine, "reply_address")
    renewal = SqlRenewal(engine, BOTH, batch=3)
    assert await renewal.look(COLUMN) == Renewal(7, 7, 0)
    assert await stored(engine, "reply_address") == before
    assert await renewal.renew(COLUMN) == Renewal(7, 7, 0)
    assert await renewal.renew(COLUMN) == Renewal(7, 0, 0)
    after = await stored(engine, "reply_address")
    assert [Vault([NEW]).decrypt(str(each)) for each in after] == [Vault([OLD]).decrypt(str(each)) for each in before]
    lease = await taken(SqlInbox(engine, Vault([NEW])))
    assert lease.question == make_question(1)


async def test_with_the_old_key_nothing_can_be_read_any_more(engine: AsyncEngine) -> None:
    await fill(engine, 1)
    await SqlRenewal(engine, BOTH).renew(COLUMN)
    with pytest.raises(Misconfigured, match="secret_key_wrong"):
        await SqlInbox(engine, Vault([OLD])).take("w1", 60.0)


async def test_what_no_key_can_read_is_counted_and_stays(engine: AsyncEngine) -> None:
    await fill(engine, 2)
    async with engine.begin() as connection:
        lost = Vault([LOST]).encrypt("x")
        await connection.execute(update(inbox).where(inbox.c.question_id == "q1").values(reply_address=lost))
    assert await SqlRenewal(engine, BOTH).renew(COLUMN) == Renewal(2, 1, 1)
    assert (await stored(engine, "reply_address"))[0] == lost


async def test_a_value_that_changes_meanwhile_stays_as_it_is_then(engine: AsyncEngine) -> None:
    """Read, then written by somebody else, then renewed: the other one's value stays."""
    await fill(engine, 2)
    other = Vault([NEW]).encrypt("newer")
    first = update(inbox).where(inbox.c.question_id == "q1").values(reply_address=other)

    class Late(SqlRenewal):
        async def _write(self, column: Column[Any], changed: Sequence[dict[str, Any]]) -> None:
            async with engine.begin() as connection:
                await connection.execute(first)
            await super()._write(column, changed)

    assert await Late(engine, BOTH).renew(COLUMN) == Renewal(2, 2, 0)
    assert (await stored(engine, "reply_address"))[0] == other
    assert (await SqlRenewal(engine, BOTH).look(COLUMN)) == Renewal(2, 0, 0)


async def test_beside_a_server_that_answers_nothing_is_lost(engine: AsyncEngine) -> None:
    await fill(engine, 30)
    server = SqlInbox(engine, BOTH)

    async def work() -> set[str]:
        done = set()
        while lease := await server.take("w1", 60.0):
            done.add(lease.question.question_id)
        return done

    done, found = await asyncio.gather(work(), SqlRenewal(engine, BOTH, batch=4).renew(COLUMN))
    assert found.unreadable == 0
    assert len(done) >= 1
    assert (await SqlRenewal(engine, BOTH).look(COLUMN)).behind == 0


async def test_killed_between_two_batches_it_goes_on(engine: AsyncEngine) -> None:
    await fill(engine, 6)

    class Dies(Vault):
        left = 4

        def renewed(self, token: str) -> str | None:
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt
            return super().renewed(token)

    with pytest.raises(KeyboardInterrupt):
        await SqlRenewal(engine, Dies([NEW, OLD]), batch=2).renew(COLUMN)
    assert await SqlRenewal(engine, BOTH).look(COLUMN) == Renewal(6, 2, 0)
    assert await SqlRenewal(engine, BOTH).renew(COLUMN) == Renewal(6, 2, 0)


async def test_every_column_that_opens_doors_is_in_the_register(engine: AsyncEngine) -> None:
    """Whoever adds one without encrypting it, or without putting it into the register, hears of it here. Names are
    those in the database: a table that no module here knows counts, too."""
    registered = {str(each) for each in ENCRYPTED}
    known = [each for table in metadata.tables.values() for each in table.columns]
    assert {str(each) for each in known if isinstance(each.type, Encrypted)} == registered
    async with engine.connect() as connection:
        names = await connection.run_sync(_column_names)
    sounding = {each for each in names if _OPENS_DOORS.match(each.partition(".")[2])}
    assert sounding - set(_OPEN) <= registered, "encrypt it, or say in _OPEN why it opens nothing"
    assert set(_OPEN) <= names
    assert registered <= sounding


def _column_names(connection: Connection) -> set[str]:
    looked = inspect(connection)
    return {f"{table}.{each['name']}" for table in looked.get_table_names() for each in looked.get_columns(table)}


async def test_no_table_holds_an_address_to_post_to_in_the_clear(engine: AsyncEngine) -> None:
    """Whatever the column is called."""
    await fill(engine, 1)
    async with engine.connect() as connection:
        for table in metadata.tables.values():
            for column in table.columns:
                if isinstance(column.type, LargeBinary):
                    continue
                shown = (await connection.execute(select(column.cast(Text)))).scalars().all()
                assert not any("commands/secret" in str(each) for each in shown), column
        assert (await connection.execute(text("SELECT count(*) FROM inbox"))).scalar_one() == 1
