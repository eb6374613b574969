"""Everything that is kept, whoever may see it: for operators who look at the record, and for nobody else."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.dialect import among, batches
from adapters.sql.rows import passages_from, select_passages
from adapters.sql.tables import chunks
from adapters.sql.transactions import fetch
from rag_core.documents import Passage


class SqlKeptPassages:
    """Chunks of every version, of whatever status, day and audience."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def passages(self, chunk_ids: Sequence[str]) -> dict[str, Passage]:
        """By their ids; those that are not there are left out."""
        found: dict[str, Passage] = {}
        for batch in batches(chunk_ids):
            statement = select_passages().where(among(self._engine.dialect, chunks.c.chunk_id, batch))
            found.update({each.chunk.chunk_id: each for each in passages_from(await fetch(self._engine, statement))})
        return found
