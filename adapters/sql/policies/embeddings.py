"""Embeddings, kept for as long as their text may come back."""

from collections.abc import Mapping, Sequence

import numpy as np
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.database.dialect import among, batches, insert_into
from adapters.sql.database.transactions import fetch, write
from adapters.sql.tables.policies import embeddings
from rag_core.documents import values_checksum
from rag_core.errors import Rejected
from rag_core.ports import Vector

STORED = np.dtype("<f4")


class SqlEmbeddingStore:
    """Keyed by content hash and model. A vector that does not fit its checksum is not known: made again, it is
    replaced."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def known(self, model: str, content_hashes: Sequence[str]) -> dict[str, Vector]:
        found: dict[str, Vector] = {}
        for batch in batches(dict.fromkeys(content_hashes)):
            statement = select(embeddings.c.content_hash, embeddings.c.vector, embeddings.c.checksum).where(
                embeddings.c.model == model, among(self._engine.dialect, embeddings.c.content_hash, batch)
            )
            for hash_, stored, checksum in await fetch(self._engine, statement):
                if checksum == vector_checksum(hash_, model, stored):
                    found[hash_] = np.frombuffer(stored, STORED).astype(np.float32)
        return found

    async def keep(self, model: str, vectors: Mapping[str, Vector]) -> None:
        # in one order: two that keep the same never wait for each other
        rows = [_row(model, hash_, vector) for hash_, vector in sorted(vectors.items(), key=lambda each: each[0])]

        async def insert(connection: AsyncConnection) -> None:
            statement = insert_into(connection, embeddings)
            changed = {name: statement.excluded[name] for name in ("dimensions", "vector", "checksum")}
            statement = statement.on_conflict_do_update(index_elements=["content_hash", "model"], set_=changed)
            for batch in batches(rows):
                await connection.execute(statement, batch)

        await write(self._engine, insert)


def vector_checksum(content_hash: str, model: str, vector: bytes) -> str:
    """Of a vector as it is stored."""
    return values_checksum([content_hash, model, vector.hex()])


def _row(model: str, hash_: str, vector: Vector) -> dict[str, object]:
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise Rejected("vector_not_usable", model=model, content_hash=hash_)
    stored = vector.astype(STORED).tobytes()
    return {
        "content_hash": hash_,
        "model": model,
        "dimensions": len(vector),
        "vector": stored,
        "checksum": vector_checksum(hash_, model, stored),
    }
