"""A process of its own that ingests a folder: `python -m tests.fakes.ingest_process ADDRESS DOCUMENTS INDEX`.

Prints as JSON how many documents it added and what failed.
"""

import asyncio
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from adapters.local.index_writer import LocalIndexWriter
from adapters.sql.database.engine import open_engine
from adapters.sql.database.lease import SqlLeaderLease
from adapters.sql.policies.changes import SqlChangeFeed
from adapters.sql.policies.embeddings import SqlEmbeddingStore
from adapters.sql.policies.outbox import SqlOutbox
from adapters.sql.policies.rules import SqlRuleStore
from adapters.sql.policies.sources import SqlRemovals, SqlSourceRuns, SqlSourceStates
from adapters.sql.policies.versions import SqlRawFiles, SqlVersionStore
from ingest.parts import IngestParts
from ingest.ports import SourceDefaults
from ingest.run.pipeline import ingest
from ingest.sources.folder import FolderSource
from tests.fakes.documents import ACME
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.readers import ReaderHere


async def main(address: str, documents: Path, index: Path) -> None:
    engine, embedder = open_engine(address), FakeEmbedder()
    parts = IngestParts(
        SqlVersionStore(engine),
        SqlEmbeddingStore(engine),
        SqlOutbox(engine),
        LocalIndexWriter(index, model=embedder.model, dimensions=embedder.dimensions),
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
    )
    source = FolderSource("acme-docs", documents, SourceDefaults(ACME))
    report = await ingest([source], parts, lambda: datetime(2026, 6, 1, tzinfo=UTC))
    await engine.dispose()
    failed = [str(each) for each in report.failed] + ([str(report.not_indexed)] if report.not_indexed else [])
    sys.stdout.write(json.dumps({"unchanged": report.unchanged, "failed": failed, "embedded": len(embedder.embedded)}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))
