"""Bearer tokens and the sessions of the pages."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, delete, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.chain import add_entries
from adapters.sql.database.dialect import insert_into
from adapters.sql.database.transactions import fetch, write
from adapters.sql.tables.people import api_tokens, page_sessions
from bot.access.tokens import ApiToken, PageSession, Permission
from bot.audit.entries import AuditEntry
from rag_core.errors import Rejected

USED_MINUTES = 10
"""`last_used_at` is right to so many minutes: it is not written at each use."""

_COLUMNS = tuple(column for column in api_tokens.c if column is not api_tokens.c.hash)


class SqlApiTokens:
    """`bot.access.tokens.ApiTokens`, and how an operator makes and ends them: each with its entry on the record, both
    or neither."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def with_hash(self, hash_: str) -> ApiToken | None:
        rows = await fetch(self._engine, select(*_COLUMNS).where(api_tokens.c.hash == hash_))
        return _token(rows[0]) if rows else None

    async def used(self, token_id: str, at: datetime) -> None:
        long_ago = at - timedelta(minutes=USED_MINUTES)
        last = api_tokens.c.last_used_at
        mine = (api_tokens.c.token_id == token_id, or_(last.is_(None), last < long_ago))

        async def note(connection: AsyncConnection) -> None:
            await connection.execute(update(api_tokens).where(*mine).values(last_used_at=at))

        await write(self._engine, note)

    async def create(self, token: ApiToken, hash_: str, entry: AuditEntry) -> None:
        """Raises Rejected("token_name_taken") while another one of this name is not revoked."""
        same_name = select(api_tokens.c.token_id).where(
            api_tokens.c.name == token.name, api_tokens.c.revoked_at.is_(None)
        )

        async def add(connection: AsyncConnection) -> None:
            there = (await connection.execute(same_name)).scalar_one_or_none()
            if there == token.token_id:  # the answer to a first try was lost
                return
            if there is not None:
                raise Rejected("token_name_taken", name=token.name)
            await connection.execute(insert(api_tokens).values(_row(token, hash_)))
            await add_entries(connection, [entry])

        try:
            await write(self._engine, add)
        except Rejected as exc:
            if exc.code != "constraint_broken":
                raise
            raise Rejected("token_name_taken", name=token.name) from exc  # somebody else was quicker

    async def revoke(self, token_id: str, at: datetime, entry: AuditEntry) -> bool:
        """It lets nobody in any more, and who signed in with it is signed out. False if it was revoked already."""
        live = (api_tokens.c.token_id == token_id, api_tokens.c.revoked_at.is_(None))

        async def end(connection: AsyncConnection) -> bool:
            ended = await connection.execute(update(api_tokens).where(*live).values(revoked_at=at))
            if not ended.rowcount:
                return False
            await connection.execute(delete(page_sessions).where(page_sessions.c.token_id == token_id))
            await add_entries(connection, [entry])
            return True

        return await write(self._engine, end)

    async def all(self) -> list[ApiToken]:
        """By name, then by when they were made."""
        return [
            _token(row)
            for row in await fetch(self._engine, select(*_COLUMNS).order_by(api_tokens.c.name, api_tokens.c.created_at))
        ]


class SqlPageSessions:
    """`bot.access.tokens.PageSessions`: one row a session."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def open(self, hash_: str, session: PageSession) -> None:
        row = {
            "hash": hash_,
            "token_id": session.token_id,
            "created_at": session.created_at,
            "expires_at": session.expires_at,
        }

        async def add(connection: AsyncConnection) -> None:
            await connection.execute(delete(page_sessions).where(page_sessions.c.expires_at <= session.created_at))
            await connection.execute(insert_into(connection, page_sessions).values(row).on_conflict_do_nothing())

        await write(self._engine, add)

    async def token_of(self, hash_: str, now: datetime) -> ApiToken | None:
        found = (
            select(*_COLUMNS)
            .join(page_sessions, page_sessions.c.token_id == api_tokens.c.token_id)
            .where(page_sessions.c.hash == hash_, page_sessions.c.expires_at > now)
        )
        rows = await fetch(self._engine, found)
        return _token(rows[0]) if rows else None

    async def close(self, hash_: str) -> None:
        async def end(connection: AsyncConnection) -> None:
            await connection.execute(delete(page_sessions).where(page_sessions.c.hash == hash_))

        await write(self._engine, end)


def _row(token: ApiToken, hash_: str) -> dict[str, Any]:
    return {
        "token_id": token.token_id,
        "name": token.name,
        "hash": hash_,
        "permissions": sorted(token.permissions),
        "allowed_groups": sorted(token.groups),
        "created_at": token.created_at,
        "expires_at": token.expires_at,
    }


def _token(row: Row[*tuple[Any, ...]]) -> ApiToken:
    """A permission that this version does not know allows nothing."""
    known = frozenset(Permission) & frozenset(row.permissions)
    return ApiToken(
        row.token_id,
        row.name,
        frozenset(Permission(each) for each in known),
        frozenset(row.allowed_groups),
        row.created_at,
        row.expires_at,
        row.last_used_at,
        row.revoked_at,
    )
