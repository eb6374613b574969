"""Everything that ingesting writes to, real but for the model: SQLite, the local index."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from adapters.local.index_writer import LocalIndexWriter
from adapters.sql.database.lease import SqlLeaderLease
from adapters.sql.policies.changes import SqlChangeFeed
from adapters.sql.policies.embeddings import SqlEmbeddingStore
from adapters.sql.policies.outbox import SqlOutbox
from adapters.sql.policies.rules import SqlRuleStore
from adapters.sql.policies.sources import SqlRemovals, SqlSourceRuns, SqlSourceStates
from adapters.sql.policies.store import SqlPolicyStore
from adapters.sql.policies.versions import SqlRawFiles, SqlVersionStore
from ingest.model.report import IngestReport, no_progress
from ingest.parts import IngestParts
from ingest.ports import Source
from ingest.run.pipeline import ingest
from rag_core.documents import DocumentVersion, Passage
from tests.fakes.databases import migrated_engine
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.readers import ReaderHere


@dataclass
class Workshop(IngestParts):
    """Parts of ingest, a clock that a test moves, and what came of it all. Rules are read by those who set a reader."""

    versions: SqlVersionStore
    outbox: SqlOutbox
    embedder: FakeEmbedder
    removals: SqlRemovals
    runs: SqlSourceRuns
    store: SqlPolicyStore = field(kw_only=True)
    now: datetime = field(default_factory=lambda: datetime(2026, 6, 1, 12, tzinfo=UTC))

    async def run(self, *sources: Source, dry_run: bool = False) -> IngestReport:
        self.embedder.embedded.clear()
        return await ingest(sources, self, lambda: self.now, no_progress, dry_run=dry_run)

    def wait(self, days: int) -> None:
        self.now += timedelta(days=days)

    async def stored(self, source_id: str = "acme-docs") -> list[DocumentVersion]:
        return await self.versions.stored(source_id)

    async def passages(self) -> list[Passage]:
        """Every chunk that belongs in the index, by doc_id and place."""
        return [passage async for batch in self.outbox.all_passages() for passage in batch]


@asynccontextmanager
async def open_workshop(folder: Path) -> AsyncIterator[Workshop]:
    """A workshop with nothing in it yet."""
    embedder = FakeEmbedder()
    async with migrated_engine(folder) as engine:
        yield Workshop(
            SqlVersionStore(engine),
            SqlEmbeddingStore(engine),
            SqlOutbox(engine),
            LocalIndexWriter(folder / "index", model=embedder.model, dimensions=embedder.dimensions),
            embedder,
            SqlLeaderLease(engine),
            SqlRuleStore(engine),
            None,
            SqlSourceStates(engine),
            SqlRawFiles(engine),
            SqlRemovals(engine),
            SqlSourceRuns(engine),
            ReaderHere(),
            SqlChangeFeed(engine),
            store=SqlPolicyStore(engine),
        )
