"""The bytes of every version, kept once."""

import hashlib

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.dialect import insert_into
from adapters.sql.tables import raw_files
from adapters.sql.transactions import fetch, write
from rag_core.errors import Rejected


class SqlRawFiles:
    """Keyed by SHA-256; what is there is never written again. Raises Rejected("raw_file_differs") for bytes that are
    not what the key says."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def keep(self, sha256: str, content: bytes) -> None:
        if hashlib.sha256(content).hexdigest() != sha256:
            raise Rejected("raw_file_differs", sha256=sha256)

        async def insert(connection: AsyncConnection) -> None:
            row = {"sha256": sha256, "size": len(content), "content": content}
            await connection.execute(insert_into(connection, raw_files).values(row).on_conflict_do_nothing())

        await write(self._engine, insert)

    async def read(self, sha256: str) -> bytes | None:
        rows = await fetch(self._engine, select(raw_files.c.content).where(raw_files.c.sha256 == sha256))
        return bytes(rows[0].content) if rows else None
