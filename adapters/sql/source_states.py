"""What is remembered of the items of each source between two runs."""

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.dialect import batches, insert_into
from adapters.sql.tables import source_items
from adapters.sql.transactions import fetch, write
from ingest.ports import ItemState

_KEY = ["source_id", "origin"]
_COLUMNS = ("origin", "revision", "misses", "failures", "failed_with", "retry_at")


class SqlSourceStates:
    """One row an item."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def known(self, source_id: str) -> dict[str, ItemState]:
        columns = [source_items.c[name] for name in _COLUMNS]
        rows = await fetch(self._engine, select(*columns).where(source_items.c.source_id == source_id))
        return {row.origin: ItemState(*row) for row in rows}

    async def keep(self, source_id: str, states: Sequence[ItemState]) -> None:
        rows = [{"source_id": source_id, **asdict(state)} for state in sorted(states, key=lambda each: each.origin)]

        async def replace(connection: AsyncConnection) -> None:
            for batch in batches(rows):
                insert = insert_into(connection, source_items).values(list(batch))
                changed = {name: insert.excluded[name] for name in _COLUMNS if name not in _KEY}
                await connection.execute(insert.on_conflict_do_update(index_elements=_KEY, set_=changed))

        await write(self._engine, replace)

    async def forget(self, source_id: str, origins: Sequence[str]) -> None:
        async def remove(connection: AsyncConnection) -> None:
            for batch in batches(origins):
                of_these = (source_items.c.source_id == source_id, source_items.c.origin.in_(batch))
                await connection.execute(delete(source_items).where(*of_these))

        await write(self._engine, remove)
