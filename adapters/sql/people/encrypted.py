"""What is encrypted in the database, and how a new key reaches it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Select, bindparam, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.database.transactions import Rows, fetch, write
from adapters.sql.database.vault import Vault
from adapters.sql.tables.channels import known_conversations, slack_installations
from adapters.sql.tables.people import escalation_acts, escalations, pseudonym_keys
from adapters.sql.tables.policies import inbox
from rag_core.errors import Misconfigured

ENCRYPTED: tuple[Column[Any], ...] = (
    inbox.c.reply_address,
    pseudonym_keys.c.secret,
    slack_installations.c.token,
    slack_installations.c.refresh_token,
    escalations.c.encrypted_place,
    escalation_acts.c.encrypted_name,
    known_conversations.c.encrypted_reference,
    known_conversations.c.encrypted_installer,
)
"""The register: every column that holds what lets its holder post or read as the bot. A table with another one joins
here; a test looks for those that did not."""

BATCH = 500
"""Rows in one transaction."""


@dataclass(frozen=True, slots=True)
class Renewal:
    """Of a column or a folder: `seen` values, `behind` of them not written with the first key (before they were
    renewed, if they were), `unreadable` with none of the keys."""

    seen: int = 0
    behind: int = 0
    unreadable: int = 0

    def __add__(self, other: "Renewal") -> "Renewal":
        return Renewal(self.seen + other.seen, self.behind + other.behind, self.unreadable + other.unreadable)


class SqlRenewal:
    """Encrypts anew with the vault's first key, beside whoever writes: a value that changed meanwhile stays as it is
    then. Broken off, it goes on where it is begun again. Raises Unavailable."""

    def __init__(self, engine: AsyncEngine, vault: Vault, batch: int = BATCH) -> None:
        self._engine = engine
        self._vault = vault
        self._batch = batch

    async def renew(self, column: Column[Any]) -> Renewal:
        return await self._each(column, keep=True)

    async def look(self, column: Column[Any]) -> Renewal:
        """The same, and nothing is changed."""
        return await self._each(column, keep=False)

    async def _each(self, column: Column[Any], *, keep: bool) -> Renewal:
        found, after = Renewal(), None
        while rows := await fetch(self._engine, _page(column, after, self._batch)):
            changed, unreadable = self._renewed(rows)
            if keep and changed:
                await self._write(column, changed)
            found += Renewal(len(rows), len(changed), unreadable)
            after = rows[-1][:-1]
        return found

    def _renewed(self, rows: Rows) -> tuple[list[dict[str, Any]], int]:
        """What to write, as parameters, and how many cannot be read."""
        changed, unreadable = [], 0
        for *place, token in rows:
            try:
                renewed = self._vault.renewed(token)
            except Misconfigured:
                unreadable += 1
                continue
            if renewed is not None:
                keys = {f"key_{number}": each for number, each in enumerate(place)}
                changed.append({**keys, "stored": token, "renewed": renewed})
        return changed, unreadable

    async def _write(self, column: Column[Any], changed: Sequence[dict[str, Any]]) -> None:
        its_row = [each == bindparam(f"key_{number}") for number, each in enumerate(_key(column))]
        as_it_was = column == bindparam("stored")
        statement = update(column.table).where(*its_row, as_it_was).values({column.name: bindparam("renewed")})

        async def change(connection: AsyncConnection) -> None:
            await connection.execute(statement, list(changed))

        await write(self._engine, change)


def _key(column: Column[Any]) -> list[Column[Any]]:
    return list(column.table.primary_key)


def _page(column: Column[Any], after: Sequence[Any] | None, size: int) -> Select[Any]:
    key = _key(column)
    statement = select(*key, column).where(column.is_not(None)).order_by(*key).limit(size)
    return statement if after is None else statement.where(tuple_(*key) > tuple_(*after))
