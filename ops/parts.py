"""What `ops.wiring` puts together, as the rest of `ops` holds it."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from bot.asking import Asking
from bot.links import Links
from ingest.ports import EmbeddingStore, IndexWriter, Outbox, VersionStore
from rag_core.ports import Embedder, PolicyStore, SearchIndex
from rag_core.retrieval.search import PolicySearch


def utc_now() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class Answering:
    """All that answering needs, open. `links` knows the names of the sources as of the last `refresh_names`."""

    asking: Asking
    search: PolicySearch
    store: PolicyStore
    index: SearchIndex
    embedder: Embedder
    links: Links
    names: dict[str, str]
    engine: AsyncEngine

    async def refresh_names(self) -> None:
        """Learn the display names of sources that were ingested meanwhile."""
        sources = await self.store.sources(frozenset())
        self.names.update({source.slug: source.display_name for source in sources})


@dataclass(frozen=True, slots=True)
class IngestParts:
    """All that ingesting writes to, open."""

    versions: VersionStore
    embeddings: EmbeddingStore
    outbox: Outbox
    writer: IndexWriter
    embedder: Embedder
