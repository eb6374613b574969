"""What is kept beside the policy texts for answering, held against its checksums: for `doctor` and `reindex`."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import and_, delete, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.dialect import batches
from adapters.sql.embedding_store import vector_checksum
from adapters.sql.rule_store import CHECKED, is_reading_intact
from adapters.sql.rule_tables import chunk_readings, correction_checksum, policy_rules, rule_corrections
from adapters.sql.tables import embeddings
from adapters.sql.transactions import fetch, write

_AT_A_TIME = 500


@dataclass(frozen=True, slots=True)
class ChangedReadings:
    """What does not fit its checksum. `chunks`: of which a rule's reading or vector does not, or the vector is gone.
    `vectors`: content hashes. `documents`: of which a correction does not."""

    chunks: Sequence[str]
    vectors: Sequence[str]
    documents: Sequence[str]


class SqlKeptReadings:
    """Readings of rules, vectors and corrections, of every version. Raises Unavailable."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def changed(self) -> ChangedReadings:
        """Every row held against its checksum, batch by batch."""
        vectors = await self._changed_vectors()
        of_texts = await self._lacking_vectors(vectors)
        return ChangedReadings(sorted(of_texts | await self._changed_rules()), vectors, await self._corrections())

    async def discard(self, changed: ChangedReadings) -> None:
        """All but corrections: vectors and readings count as never made, and are made again where they are needed."""

        async def remove(connection: AsyncConnection) -> None:
            for batch in batches(changed.vectors):
                await connection.execute(delete(embeddings).where(embeddings.c.content_hash.in_(batch)))
            for batch in batches(changed.chunks):
                for table in (policy_rules, chunk_readings):
                    await connection.execute(delete(table).where(table.c.chunk_id.in_(batch)))

        await write(self._engine, remove)

    async def _changed_vectors(self) -> list[str]:
        found: list[str] = []
        hash_, model = embeddings.c.content_hash, embeddings.c.model
        following = select(embeddings).order_by(hash_, model).limit(_AT_A_TIME)
        rows = await fetch(self._engine, following)
        while rows:
            for row in rows:
                if row.checksum != vector_checksum(row.content_hash, row.model, row.vector):
                    found.append(row.content_hash)
            last = rows[-1]
            behind = or_(hash_ > last.content_hash, and_(hash_ == last.content_hash, model > last.model))
            rows = await fetch(self._engine, following.where(behind))
        return found

    async def _lacking_vectors(self, changed: Sequence[str]) -> set[str]:
        """The chunks that were read, of which a rule has no vector, or one of `changed`."""
        vector_of = and_(
            embeddings.c.content_hash == policy_rules.c.text_hash, embeddings.c.model == chunk_readings.c.model
        )
        rules = (
            select(policy_rules.c.chunk_id)
            .join_from(policy_rules, chunk_readings, chunk_readings.c.chunk_id == policy_rules.c.chunk_id)
            .outerjoin(embeddings, vector_of)
        )
        rows = list(await fetch(self._engine, rules.where(embeddings.c.content_hash.is_(None))))
        for batch in batches(changed):
            rows += await fetch(self._engine, rules.where(policy_rules.c.text_hash.in_(batch)))
        return {row.chunk_id for row in rows}

    async def _changed_rules(self) -> set[str]:
        found: set[str] = set()
        chunk, number = policy_rules.c.chunk_id, policy_rules.c.rule_number
        following = select(*CHECKED).order_by(chunk, number).limit(_AT_A_TIME)
        rows = await fetch(self._engine, following)
        while rows:
            found |= {row.chunk_id for row in rows if not is_reading_intact(row)}
            last = rows[-1]
            behind = or_(chunk > last.chunk_id, and_(chunk == last.chunk_id, number > last.rule_number))
            rows = await fetch(self._engine, following.where(behind))
        return found

    async def _corrections(self) -> list[str]:
        rows = await fetch(self._engine, select(rule_corrections))
        changed = [
            row.document_id
            for row in rows
            if row.checksum != correction_checksum(row.document_id, row.rule_hash, row.effect)
        ]
        return sorted(set(changed))
