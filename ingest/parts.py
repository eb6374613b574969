"""What ingest works with, open: put together in `ops.wiring`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ingest.model.rules import RuleStore
from ingest.ports import (
    EmbeddingStore,
    IndexWriter,
    LeaderLease,
    Outbox,
    RawFiles,
    Removals,
    SourceRuns,
    SourceStates,
    VersionStore,
)
from rag_core.ports import ChangeReader, Embedder
from rag_core.rules.reader import Reader

if TYPE_CHECKING:  # with all sources and their clients: too slow to import for a question
    from ingest.catalogue import SourceTools
    from ingest.reader.contents import Contents, ReadingTask


class DocumentReader(Protocol):
    """`ingest.reader.process.ReadingProcess`."""

    async def read(self, task: "ReadingTask") -> "Contents":
        """Raises Rejected for what cannot be read, or costs too much."""
        ...

    async def rest(self) -> None:
        """End processes that have nothing to do; the next document starts one again."""
        ...


@dataclass(slots=True)
class IndexingParts:
    """Store and index, open for writing: all that keeps the one level with the other, and rules read. `rule_reader`
    None: rules are not read here."""

    versions: VersionStore
    embeddings: EmbeddingStore
    outbox: Outbox
    writer: IndexWriter
    embedder: Embedder
    lease: LeaderLease
    rules: RuleStore
    rule_reader: Reader | None


@dataclass(slots=True)
class IngestParts(IndexingParts):
    """All that ingesting reads with and writes to, open."""

    states: SourceStates
    raw_files: RawFiles
    removals: Removals
    runs: SourceRuns
    reader: DocumentReader
    changes: ChangeReader
    tools: "SourceTools | None" = None
