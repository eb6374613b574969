"""The key of pseudonyms: made once, kept in the database, readable by who has the vault's key."""

import base64
import binascii
import secrets
from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.dialect import insert_into
from adapters.sql.people_tables import pseudonym_keys
from adapters.sql.transactions import fetch, write
from adapters.sql.types import utc_now
from adapters.sql.vault import Vault
from bot.access.pseudonyms import KEY_BYTES, Pseudonyms
from rag_core.errors import Misconfigured

_PEOPLE = "people"


async def open_pseudonyms(
    engine: AsyncEngine,
    vault: Vault,
    *,
    now: Callable[[], datetime] = utc_now,
    new_key: Callable[[int], bytes] = secrets.token_bytes,
) -> Pseudonyms:
    """The same on all servers of a database; makes the key the first time.

    A key of the vault may be replaced as long as it still reads what the old one wrote. Raises
    Misconfigured("secret_key_wrong" | "pseudonym_key_unreadable"), Unavailable.
    """
    row = await _row(engine)
    if row is None:
        await _make(engine, vault.encrypt(base64.b64encode(new_key(KEY_BYTES)).decode()), now())
        row = await _row(engine)
    return Pseudonyms(_read(vault.decrypt(row.secret if row else "")))


async def _row(engine: AsyncEngine) -> Any:
    rows = await fetch(engine, select(pseudonym_keys).where(pseudonym_keys.c.purpose == _PEOPLE))
    return rows[0] if rows else None


async def _make(engine: AsyncEngine, secret: str, at: datetime) -> None:
    """The first to make one wins."""

    async def add(connection: AsyncConnection) -> None:
        row = {"purpose": _PEOPLE, "secret": secret, "made_at": at}
        await connection.execute(insert_into(connection, pseudonym_keys).values(row).on_conflict_do_nothing())

    await write(engine, add)


def _read(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret, validate=True)
    except binascii.Error as exc:
        raise Misconfigured("pseudonym_key_unreadable") from exc
    if len(key) != KEY_BYTES:
        raise Misconfigured("pseudonym_key_unreadable")
    return key
