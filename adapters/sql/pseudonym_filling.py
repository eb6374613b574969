"""Rows from before there were pseudonyms: people's own ids in them are replaced or removed, once."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Text, cast, delete, literal, not_, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.dialect import insert_into
from adapters.sql.inbox_rows import ENDED
from adapters.sql.tables import answers, conversations, inbox, messages
from adapters.sql.transactions import fetch, write
from bot.memory import conversation_key
from bot.messages import Actor, Conversation
from bot.pseudonyms import Pseudonyms

_BATCH = 500

_PERSONAL = ("rest", "web", "terminal")
"""Platforms whose conversations are kept under the person."""


async def has_people(engine: AsyncEngine) -> bool:
    """Whether anybody has asked anything yet."""
    for table in (answers, messages, inbox):
        if await fetch(engine, select(literal(1)).select_from(table).limit(1)):
            return True
    return False


async def fill_pseudonyms(engine: AsyncEngine, pseudonyms: Pseudonyms) -> int:
    """How many rows had a person's own id. A transaction for each batch: what was done stays done when the process ends
    half way, and several processes may do it at once. Done by the next call."""
    changed = 0
    while batch := await _answers(engine):
        changed += await _rename(engine, answers, batch, pseudonyms)
    while batch := await _conversations(engine):
        changed += await _move(engine, batch, pseudonyms)
    while batch := await _messages(engine):
        changed += await _rename(engine, messages, batch, pseudonyms)
    while count := await _empty_ended(engine):
        changed += count
    return changed


async def _empty_ended(engine: AsyncEngine) -> int:
    """Finished questions of before kept who had asked what."""
    says_something = or_(inbox.c.text != "", cast(inbox.c.actor, Text) != "{}")
    some = select(inbox.c.question_id).where(inbox.c.finished_at.is_not(None), says_something).limit(_BATCH)

    async def empty(connection: AsyncConnection) -> int:
        ended = update(inbox).where(inbox.c.question_id.in_(some)).values(ENDED)
        return int((await connection.execute(ended)).rowcount)

    return await write(engine, empty)


def _real(person: ColumnElement[str]) -> ColumnElement[bool]:
    return not_(person.like("p1:" + "_" * 64))


async def _answers(engine: AsyncEngine) -> Sequence[Any]:
    """(id, person, platform, workspace)"""
    columns = (answers.c.answer_id, answers.c.person, answers.c.answered_from, answers.c.workspace)
    return await fetch(engine, select(*columns).where(_real(answers.c.person)).order_by(columns[0]).limit(_BATCH))


async def _messages(engine: AsyncEngine) -> Sequence[Any]:
    found = (
        select(messages.c.answer_id, messages.c.person, conversations.c.platform, conversations.c.workspace)
        .join(conversations, conversations.c.conversation_key == messages.c.conversation_key)
        .where(_real(messages.c.person))
        .order_by(messages.c.answer_id)
        .limit(_BATCH)
    )
    return await fetch(engine, found)


async def _rename(engine: AsyncEngine, table: Any, rows: Sequence[Any], pseudonyms: Pseudonyms) -> int:
    async def rename(connection: AsyncConnection) -> int:
        changed = 0
        for answer_id, person, platform, workspace in rows:
            its = (table.c.answer_id == answer_id) & (table.c.person == person)
            name = pseudonyms.of(Actor(platform, workspace, person))
            changed += (await connection.execute(update(table).where(its).values(person=name))).rowcount
        return changed

    return await write(engine, rename)


async def _conversations(engine: AsyncEngine) -> Sequence[Any]:
    kept_by_person = conversations.c.platform.in_(_PERSONAL) & _real(conversations.c.channel)
    return await fetch(engine, select(conversations).where(kept_by_person).limit(_BATCH))


async def _move(engine: AsyncEngine, rows: Sequence[Any], pseudonyms: Pseudonyms) -> int:
    """Under the pseudonym the conversation has another key: its turns go with it."""

    async def move(connection: AsyncConnection) -> int:
        for row in rows:
            actor = Actor(row.platform, row.workspace, row.channel)
            old = Conversation(row.platform, row.workspace, row.channel, row.thread)
            new = pseudonyms.place(old, actor)
            values = row._asdict() | {"channel": new.channel, "conversation_key": conversation_key(new)}
            added = insert_into(connection, conversations).values(values)
            await connection.execute(added.on_conflict_do_nothing(index_elements=["conversation_key"]))
            its = messages.c.conversation_key == row.conversation_key
            await connection.execute(update(messages).where(its).values(conversation_key=values["conversation_key"]))
            gone = conversations.c.conversation_key == row.conversation_key
            await connection.execute(delete(conversations).where(gone))
        return len(rows)

    return await write(engine, move)
