"""What was planned, written: documents in batches that are embedded together, each saved by itself."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from ingest.indexing import EMBEDDED_AT_ONCE, embed_missing
from ingest.model.report import IngestReport, Progress, failure
from ingest.parts import IndexingParts
from ingest.planner import DocumentPlan, PlanKind
from ingest.ports import VersionWrite
from ingest.reader.version import Reading, chunks_of
from ingest.run.discovery import in_order
from rag_core.documents import SHOWN_STATUSES, DocumentVersion
from rag_core.errors import Rejected

_BATCHES_AT_ONCE = 2
"""The one that is saved, and the next one, which is embedded meanwhile."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """A batch to save. `embedded` False: one of its texts cannot be, so that each document has to try by itself."""

    documents: Sequence[tuple[DocumentPlan, list[VersionWrite]]]
    embedded: bool


@dataclass(slots=True)
class _Writing:
    """The documents of one source on their way. `done`: saved, or refused."""

    source_id: str
    readings: Mapping[str, Reading]
    parts: IndexingParts
    progress: Progress
    report: IngestReport
    total: int
    done: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def embedded(self, batch: Sequence[DocumentPlan]) -> _Ready:
        self.progress(self.done, self.total, batch[0].document_id)
        documents = await asyncio.to_thread(_version_writes, self.source_id, batch, self.readings)
        try:
            self.report.embedded += await _embed([write for _, writes in documents for write in writes], self.parts)
        except Rejected:
            return _Ready(documents, embedded=False)
        return _Ready(documents, embedded=True)

    async def saved(self, _: object, ready: _Ready) -> None:
        async with self.turn:
            for document, writes in ready.documents:
                self.progress(self.done, self.total, document.document_id)
                self.done += 1
                try:
                    if not ready.embedded:
                        self.report.embedded += await _embed(writes, self.parts)
                    await _save(document, writes, self.readings, self.parts, self.report)
                except Rejected as error:
                    self.report.failed.append(failure(self.source_id, document.document_id, error))


async def write_all(
    source_id: str,
    documents: Sequence[DocumentPlan],
    readings: Mapping[str, Reading],
    parts: IndexingParts,
    progress: Progress,
    report: IngestReport,
) -> None:
    """A transaction for each document; what several small ones lack is embedded together, while those before are saved.

    A document that model or store refuse is in the report. Raises Unavailable.
    """
    writing = _Writing(source_id, readings, parts, progress, report, len(documents))
    batches = in_order(_batches(documents, readings), writing.embedded, writing.saved, _BATCHES_AT_ONCE)
    async with aclosing(batches) as saved:
        async for _ in saved:
            pass


def _batches(documents: Sequence[DocumentPlan], readings: Mapping[str, Reading]) -> Iterator[list[DocumentPlan]]:
    """One after the other, as many at a time as have no more chunks together than the model is given at once."""
    batch: list[DocumentPlan] = []
    chunks = 0
    for document in documents:
        own = sum(len(readings[version.origin].drafts) for version in document.new)
        if batch and chunks + own > EMBEDDED_AT_ONCE:
            yield batch
            batch, chunks = [], 0
        batch.append(document)
        chunks += own
    if batch:
        yield batch


def _version_writes(
    source_id: str, documents: Sequence[DocumentPlan], readings: Mapping[str, Reading]
) -> list[tuple[DocumentPlan, list[VersionWrite]]]:
    """Each document with what to write of it."""
    return [
        (document, [_version_write(source_id, version, readings[version.origin]) for version in document.new])
        for document in documents
    ]


async def _embed(writes: Sequence[VersionWrite], parts: IndexingParts) -> int:
    """Only what may be shown: what is held for review is embedded when it is released."""
    shown = [chunk for write in writes if write.version.status in SHOWN_STATUSES for chunk in write.chunks]
    return await embed_missing(shown, parts.embeddings, parts.embedder)


async def _save(
    document: DocumentPlan,
    writes: Sequence[VersionWrite],
    readings: Mapping[str, Reading],
    parts: IndexingParts,
    report: IngestReport,
) -> None:
    own = {readings[write.version.origin].own_source for write in writes}
    for source in own:
        if source is not None:
            await parts.versions.declare(source)
    await parts.versions.save(writes, document.updates)
    count(document, report)
    report.chunks += sum(len(write.chunks) for write in writes)


def _version_write(source_id: str, version: DocumentVersion, reading: Reading) -> VersionWrite:
    chunks = chunks_of(version, reading)
    return VersionWrite(replace(version, chunk_count=len(chunks)), source_id, reading.text, chunks)


def count(document: DocumentPlan, report: IngestReport) -> None:
    """Into the report, by what is done to it."""
    match document.kind:
        case PlanKind.NEW:
            report.new += 1
        case PlanKind.CHANGED:
            report.changed += 1
        case PlanKind.KEPT:
            report.unchanged += 1
        case PlanKind.REMOVED:
            report.removed += 1
