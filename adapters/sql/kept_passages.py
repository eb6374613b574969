"""Everything that is kept, whoever may see it: for operators who look at the record, and for nobody else."""

from collections.abc import Sequence
from datetime import date

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.dialect import among, batches
from adapters.sql.rows import passages_from, select_passages
from adapters.sql.tables import chunks, versions
from adapters.sql.transactions import fetch
from rag_core.documents import Passage, VersionStatus


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

    async def live_on(self, document_id: str, day: date) -> list[Passage]:
        """The version of a document that is live and holds on `day`, in the order of its text."""
        live = (versions.c.document_id == document_id, versions.c.status == VersionStatus.LIVE.value)
        statement = select_passages().where(*live).order_by(chunks.c.doc_id, chunks.c.chunk_index)
        found = passages_from(await fetch(self._engine, statement))
        return [each for each in found if each.version.holds_on(day)]
