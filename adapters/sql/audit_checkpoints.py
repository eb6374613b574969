"""Signed checkpoints beside the record."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit_tables import audit_chains, audit_checkpoints, audit_database
from adapters.sql.dialect import insert_into
from adapters.sql.transactions import fetch, write
from bot.record.checkpoints import ChainHead, Checkpoint, RecordDatabase


class SqlAuditCheckpoints:
    """One row a chain, count and key; adding one again changes nothing."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def database(self) -> RecordDatabase:
        """Which database this is; without an id where somebody took its row. Raises Unavailable."""
        rows = await fetch(self._engine, select(audit_database.c.database_id, audit_database.c.has_unnamed))
        return RecordDatabase(*rows[0]) if rows else RecordDatabase("", has_unnamed=True)

    async def due(self, key_id: str) -> list[ChainHead]:
        """Heads with something new since this key's last checkpoint."""
        last = (  # of each chain by itself: the end of an index, however many there are
            select(audit_checkpoints.c.sequence)
            .where(audit_checkpoints.c.chain == audit_chains.c.chain, audit_checkpoints.c.key_id == key_id)
            .order_by(audit_checkpoints.c.sequence.desc())
            .limit(1)
            .correlate(audit_chains)
            .scalar_subquery()
        )
        statement = (
            select(audit_chains).where(audit_chains.c.sequence > func.coalesce(last, 0)).order_by(audit_chains.c.chain)
        )
        return [ChainHead(row.chain, row.sequence, row.hash) for row in await fetch(self._engine, statement)]

    async def add(self, checkpoint: Checkpoint) -> None:
        row = {
            "chain": checkpoint.head.chain,
            "sequence": checkpoint.head.count,
            "key_id": checkpoint.key_id,
            "statement": checkpoint.statement,
            "signature": checkpoint.signature,
        }

        async def insert(connection: AsyncConnection) -> None:
            await connection.execute(insert_into(connection, audit_checkpoints).values(row).on_conflict_do_nothing())

        await write(self._engine, insert)

    async def stored(self) -> list[tuple[bytes, str]]:
        """Statement and signature of all, as they are stored, in the order of chain and count."""
        columns = (audit_checkpoints.c.statement, audit_checkpoints.c.signature)
        order = (audit_checkpoints.c.chain, audit_checkpoints.c.sequence, audit_checkpoints.c.key_id)
        return [(row.statement, row.signature) for row in await fetch(self._engine, select(*columns).order_by(*order))]
