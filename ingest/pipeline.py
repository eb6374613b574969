"""A source, from its files to the index: discover, read what changed, plan, embed, save, index."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from ingest.indexing import INDEX_WORK, FullOutbox, embed_missing, follow
from ingest.looking import Found, Parsing, look
from ingest.planner import DocumentPlan, Plan, PlanKind, plan
from ingest.ports import (
    EmbeddingStore,
    IndexWriter,
    LeaderLease,
    RawFiles,
    Source,
    SourceStates,
    VersionStore,
    VersionWrite,
)
from ingest.reading import Reading, chunks_of
from ingest.report import IngestReport, Progress, failure, no_progress
from rag_core.documents import DocumentVersion
from rag_core.errors import Misconfigured, Rejected, Unavailable
from rag_core.ports import Embedder

OTHERS_SECONDS = 900.0
"""How long to wait while another process reads the same source, or writes to the index."""


class Parts(Protocol):
    """All that ingesting writes to."""

    @property
    def versions(self) -> VersionStore: ...
    @property
    def embeddings(self) -> EmbeddingStore: ...
    @property
    def outbox(self) -> FullOutbox: ...
    @property
    def writer(self) -> IndexWriter: ...
    @property
    def embedder(self) -> Embedder: ...
    @property
    def lease(self) -> LeaderLease: ...
    @property
    def states(self) -> SourceStates: ...
    @property
    def raw_files(self) -> RawFiles: ...
    @property
    def parsing(self) -> Parsing: ...


async def ingest(
    sources: Sequence[Source],
    parts: Parts,
    now: Callable[[], datetime],
    progress: Progress = no_progress,
    *,
    dry_run: bool = False,
) -> IngestReport:
    """Bring every source's documents into the store and the index. Sources are closed.

    A document or source that cannot be read is named in the report, and the rest goes on. Two processes that read the
    same source take turns: the second one finds it unchanged. With `dry_run` nothing is
    written: the report says what would happen, and how many chunks would be embedded.
    Raises Unavailable when store or model do not answer: what is saved by then stays, and is not done twice. An index
    that does not answer is in the report: what it has to learn waits in the outbox.
    """
    report = IngestReport()
    for source in sources:
        try:
            if dry_run:
                await _ingest_source(source, parts, now(), progress, report, dry_run)
            else:
                async with parts.lease.hold(f"source:{source.source_id}", OTHERS_SECONDS) as is_ours:
                    _check_turn(is_ours, source.source_id)
                    await _ingest_source(source, parts, now(), progress, report, dry_run)
        except (Rejected, Misconfigured) as error:
            report.failed.append(failure(source.source_id, "", error))
        finally:
            await source.aclose()
    if not dry_run:
        await _bring_into_index(parts, report)
    return report


async def _bring_into_index(parts: Parts, report: IngestReport) -> None:
    try:
        async with parts.lease.hold(INDEX_WORK, OTHERS_SECONDS) as is_ours:
            _check_turn(is_ours, INDEX_WORK)
            await follow(parts.outbox, parts.embeddings, parts.writer, parts.embedder)
    except Unavailable as error:
        report.not_indexed = error


def _check_turn(is_ours: bool, work: str) -> None:
    if not is_ours:
        raise Unavailable("work_busy", work=work, seconds=OTHERS_SECONDS)


async def _ingest_source(
    source: Source, parts: Parts, now: datetime, progress: Progress, report: IngestReport, dry_run: bool
) -> None:
    items = await source.discover()
    stored = await parts.versions.stored(source.source_id)
    found = await look(source, items, stored, parts, now, progress, report, keep_raw=not dry_run)
    arrivals = [reading.arrival for reading in found.readings.values()]
    planned = plan(stored, found.unchanged, arrivals, found.unreadable, now.date())
    report.unchanged += _documents_unchanged(planned, stored)
    if dry_run:
        await _foresee(planned, found, parts, report)
        return
    await parts.versions.checked(sorted(planned.checked), now)
    await parts.versions.declare(source.defaults.policy_source)
    for at, document in enumerate(planned.documents):
        progress(at, len(planned.documents), document.document_id)
        try:
            await _write(source.source_id, document, found.readings, parts, report)
        except Rejected as error:
            report.failed.append(failure(source.source_id, document.document_id, error))
    await _remember(source.source_id, found, parts, report)
    progress(len(planned.documents), len(planned.documents), "")


async def _remember(source_id: str, found: Found, parts: Parts, report: IngestReport) -> None:
    """Only now: what was not stored must be fetched again."""
    failed = {each.origin for each in report.failed if each.source_id == source_id}
    not_written = {
        origin for origin, reading in found.readings.items() if reading.arrival.version.document_id in failed
    }
    await parts.states.keep(source_id, [state for origin, state in found.states.items() if origin not in not_written])
    await parts.states.forget(source_id, found.gone)


async def _write(
    source_id: str, document: DocumentPlan, readings: Mapping[str, Reading], parts: Parts, report: IngestReport
) -> None:
    writes = [_version_write(source_id, version, readings[version.origin]) for version in document.new]
    own = {readings[write.version.origin].own_source for write in writes}
    for source in own:
        if source is not None:
            await parts.versions.declare(source)
    chunks = [chunk for write in writes for chunk in write.chunks]
    embedded = await embed_missing(chunks, parts.embeddings, parts.embedder)
    await parts.versions.save(writes, document.updates)
    _count(document, report)
    report.chunks += len(chunks)
    report.embedded += embedded


def _version_write(source_id: str, version: DocumentVersion, reading: Reading) -> VersionWrite:
    chunks = chunks_of(version, reading)
    return VersionWrite(replace(version, chunk_count=len(chunks)), source_id, reading.text, chunks)


def _count(document: DocumentPlan, report: IngestReport) -> None:
    match document.kind:
        case PlanKind.NEW:
            report.new += 1
        case PlanKind.CHANGED:
            report.changed += 1
        case PlanKind.REMOVED:
            report.removed += 1


def _documents_unchanged(planned: Plan, stored: Sequence[DocumentVersion]) -> int:
    touched = {document.document_id for document in planned.documents}
    return len({version.document_id for version in stored if version.doc_id in planned.checked} - touched)


async def _foresee(planned: Plan, found: Found, parts: Parts, report: IngestReport) -> None:
    """Count what `_write` would do."""
    hashes: set[str] = set()
    for document in planned.documents:
        _count(document, report)
        for version in document.new:
            chunks = chunks_of(version, found.readings[version.origin])
            report.chunks += len(chunks)
            hashes.update(chunk.content_hash for chunk in chunks)
    known = await parts.embeddings.known(parts.embedder.model, sorted(hashes))
    report.embedded += len(hashes - known.keys())
