"""Everything that is kept, whoever may see it: for operators who look at the record, and for nobody else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.dialect import among, batches
from adapters.sql.rows import passages_from, select_passages
from adapters.sql.tables import chunks, version_texts, versions
from adapters.sql.transactions import fetch
from rag_core.documents import Passage, VersionStatus, text_checksum

_AT_A_TIME = 500


@dataclass(frozen=True, slots=True)
class ChangedTexts:
    """What does not fit its checksum: chunks (chunk_id -> doc_id), and the versions whose text does not."""

    chunks: Mapping[str, str]
    versions: Sequence[str]

    @property
    def doc_ids(self) -> list[str]:
        """Every version concerned, in order."""
        return sorted({*self.chunks.values(), *self.versions})


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

    async def changed(self) -> ChangedTexts:
        """Every chunk and every version's text held against its checksum, batch by batch. Raises Unavailable."""
        found: dict[str, str] = {}
        following = select_passages().order_by(chunks.c.chunk_id).limit(_AT_A_TIME)
        last = ""
        while batch := passages_from(await fetch(self._engine, following.where(chunks.c.chunk_id > last))):
            found |= {each.chunk.chunk_id: each.chunk.doc_id for each in batch if not each.is_intact}
            last = batch[-1].chunk.chunk_id
        return ChangedTexts(found, await self._changed_versions())

    async def _changed_versions(self) -> list[str]:
        found: list[str] = []
        following = select(version_texts).order_by(version_texts.c.doc_id).limit(_AT_A_TIME)
        last = ""
        while rows := await fetch(self._engine, following.where(version_texts.c.doc_id > last)):
            found += [row.doc_id for row in rows if text_checksum(row.text) != row.checksum]
            last = rows[-1].doc_id
        return found
