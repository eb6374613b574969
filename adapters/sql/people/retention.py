"""What has been kept for long enough, counted and removed in small steps."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Select, Table, delete, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.forgetting import IS_EMPTY, SqlAuditForgetting
from adapters.sql.database.transactions import fetch, write
from adapters.sql.people.privacy import PEOPLE_ROWS
from adapters.sql.tables.audit import audit_personal, audit_records
from adapters.sql.tables.channels import notices
from adapters.sql.tables.people import api_tokens
from adapters.sql.tables.policies import conversations, inbox, messages
from bot.audit.entries import AuditEntry

CONVERSATIONS, INBOX, NOTICES, PERSONAL, TOKENS = "conversations", "inbox", "notices", "record", "tokens"
SWEPT = (CONVERSATIONS, INBOX, NOTICES, PERSONAL, TOKENS, *(rows.kind for rows in PEOPLE_ROWS))
"""All kinds."""

_BATCH = 200
"""Rows (conversations: with their turns) in one transaction: others who write wait for its end."""

_PERSONAL_BATCH = 1_000
"""Records: each act tells of all that are forgotten, so they are fewer and larger."""


class SqlRetention:
    """Whatever is removed is older than the moment given: conversations by their last question, ended questions,
    notices and tokens (with who signed in by them) by their end. Done again it goes on where it was stopped. Raises
    Unavailable."""

    def __init__(self, engine: AsyncEngine, *, batch: int = _BATCH) -> None:
        self._engine = engine
        self._batch = batch

    async def due(self, kind: str, before: datetime) -> int:
        """How many there are to remove."""
        found = select(func.count()).select_from(self._old(kind, before).subquery())
        return int((await fetch(self._engine, found))[0][0])

    async def remove(self, kind: str, before: datetime, act: AuditEntry) -> int:
        """Some of them; how many. 0: there are no more. `act` tells of personal fields that went, which must be known
        to verify what is left; with an id of its own each time."""
        old = self._old(kind, before)
        if kind == PERSONAL:
            place = tuple_(audit_personal.c.chain, audit_personal.c.sequence)
            return await SqlAuditForgetting(self._engine).of(place.in_(old.limit(_PERSONAL_BATCH)), act)

        async def work(connection: AsyncConnection) -> int:
            some = old.limit(self._batch)
            if kind == CONVERSATIONS:
                return await _remove_conversations(connection, some)
            table, key = _table_of(kind)
            return int((await connection.execute(delete(table).where(tuple_(*key).in_(some)))).rowcount)

        return await write(self._engine, work)

    def _old(self, kind: str, before: datetime) -> Select[Any]:
        """Their keys."""
        if kind == CONVERSATIONS:
            return select(conversations.c.conversation_key).where(conversations.c.last_at < before)
        if kind == INBOX:
            return select(inbox.c.question_id).where(inbox.c.finished_at < before)
        if kind == NOTICES:
            return select(notices.c.position).where(notices.c.finished_at < before)
        if kind == TOKENS:
            ended = func.coalesce(api_tokens.c.revoked_at, api_tokens.c.expires_at)
            return select(api_tokens.c.token_id).where(ended < before)
        if kind == PERSONAL:
            beside = (audit_personal.c.chain == audit_records.c.chain) & (
                audit_personal.c.sequence == audit_records.c.sequence
            )
            found = select(audit_personal.c.chain, audit_personal.c.sequence).join(audit_records, beside)
            return found.where(audit_records.c.at < before, ~IS_EMPTY)
        rows = next(rows for rows in PEOPLE_ROWS if rows.kind == kind)
        return select(*rows.key).where(rows.at < before)


def _table_of(kind: str) -> tuple[Table, Sequence[Column[Any]]]:
    if kind == INBOX:
        return inbox, (inbox.c.question_id,)
    if kind == NOTICES:
        return notices, (notices.c.position,)
    if kind == TOKENS:
        return api_tokens, (api_tokens.c.token_id,)
    rows = next(rows for rows in PEOPLE_ROWS if rows.kind == kind)
    return rows.table, rows.key


async def _remove_conversations(connection: AsyncConnection, old: Select[Any]) -> int:
    """Locked first: a question that comes just now makes its conversation young again, or begins a new one."""
    keys = (await connection.execute(old.with_for_update(skip_locked=True))).scalars().all()
    await connection.execute(delete(messages).where(messages.c.conversation_key.in_(keys)))
    gone: ColumnElement[bool] = conversations.c.conversation_key.in_(keys)
    return int((await connection.execute(delete(conversations).where(gone))).rowcount)
