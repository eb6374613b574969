"""A source, from its files to the index: discover, read what changed, plan, embed, save, index."""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Protocol

from ingest.deciding import decide, tell
from ingest.indexing import INDEX_WORK, IndexingParts, follow
from ingest.looking import Found, Reader, look
from ingest.planner import Plan
from ingest.ports import (
    LeaderLease,
    RawFiles,
    Removals,
    Source,
    SourceStates,
    VersionStore,
)
from ingest.reading import chunks_of
from ingest.removed import drop_removed, is_left_out, left_out
from ingest.report import IngestReport, Progress, failure, no_progress
from ingest.rules.ports import RuleStore
from ingest.rules.reading import read_rules
from ingest.same_pages import drop_same_pages
from ingest.turns import reading_of_source, turn
from ingest.writing import count, write_all
from rag_core.documents import SHOWN_STATUSES, DocumentVersion
from rag_core.errors import Misconfigured, Rejected, Unavailable
from rag_core.rules.reader import Reader as RuleReader


class Parts(IndexingParts, Protocol):
    """All that ingesting writes to."""

    @property
    def versions(self) -> VersionStore: ...
    @property
    def lease(self) -> LeaderLease: ...
    @property
    def states(self) -> SourceStates: ...
    @property
    def raw_files(self) -> RawFiles: ...
    @property
    def removals(self) -> Removals: ...
    @property
    def reader(self) -> Reader: ...
    @property
    def rules(self) -> RuleStore: ...
    @property
    def rule_reader(self) -> RuleReader | None: ...


async def ingest(
    sources: Sequence[Source],
    parts: Parts,
    now: Callable[[], datetime],
    progress: Progress = no_progress,
    *,
    dry_run: bool = False,
    forced: AbstractSet[str] = frozenset(),
) -> IngestReport:
    """Bring every source's documents into the store and the index. Sources are closed.

    A document or source that cannot be read is named in the report, and the rest goes on. Two processes that read the
    same source take turns: the second one finds it unchanged. With `dry_run` nothing is
    written: the report says what would happen, and how many chunks would be embedded. `forced`: document_ids (or
    "all") whose other content for a day that a stored version has is no mistake: it gets a new suffix, and the old
    version is retired. Else it is refused (`doc_id_taken`).
    Raises Unavailable when store or model do not answer: what is saved by then stays, and is not done twice. An index
    that does not answer is in the report: what it has to learn waits in the outbox. So is what keeps rules from being
    read: the next run, or a running server, reads them.
    """
    report = IngestReport()
    for source in sources:
        try:
            if dry_run:
                await _ingest_source(source, parts, now(), progress, report, forced, dry_run=True)
            else:
                async with turn(parts.lease, reading_of_source(source.source_id)):
                    await _ingest_source(source, parts, now(), progress, report, forced, dry_run=False)
        except (Rejected, Misconfigured) as error:
            report.failed.append(failure(source.source_id, "", error))
        finally:
            await source.aclose()
    if not dry_run:
        await _bring_into_index(parts, report)
        await _read_rules(parts, report, progress)
    return report


async def _bring_into_index(parts: Parts, report: IngestReport) -> None:
    try:
        async with turn(parts.lease, INDEX_WORK):
            await follow(parts.outbox, parts.embeddings, parts.writer, parts.embedder)
    except Unavailable as error:
        report.not_indexed = error


async def _read_rules(parts: Parts, report: IngestReport, progress: Progress) -> None:
    try:
        report.rules_read = await read_rules(parts, progress)
    except (Misconfigured, Rejected, Unavailable) as error:
        report.rules_not_read = error


async def _ingest_source(
    source: Source,
    parts: Parts,
    now: datetime,
    progress: Progress,
    report: IngestReport,
    forced: AbstractSet[str],
    *,
    dry_run: bool,
) -> None:
    removed = left_out(await parts.removals.all())
    if is_left_out(source.source_id, removed, report):
        return
    try:
        items = await source.discover()
    except Unavailable as error:  # the source's, not the store's: the other sources go on
        report.failed.append(failure(source.source_id, "", error))
        return
    stored = await parts.versions.stored(source.source_id)
    found = await look(source, items, stored, parts, now, progress, report, keep_raw=not dry_run)
    drop_removed(source.source_id, found, removed, report)
    if source.defaults.same_pages_once:
        drop_same_pages(source.source_id, found, report)
    planned = await decide(source, stored, found, parts.versions, now, forced)
    tell(source.source_id, planned, found, report)
    report.unchanged += _documents_unchanged(planned, stored)
    if dry_run:
        await _foresee(planned, found, parts, report)
        return
    await parts.versions.checked(sorted(planned.checked), now)
    await parts.versions.declare(source.defaults.policy_source)
    await write_all(source.source_id, planned.documents, found.readings, parts, progress, report)
    await _remember(source.source_id, found, parts, report)
    progress(len(planned.documents), len(planned.documents), "")


async def _remember(source_id: str, found: Found, parts: Parts, report: IngestReport) -> None:
    """Only now: what was not stored must be fetched again."""
    failed = {each.origin for each in report.failed if each.source_id == source_id}
    not_written = {
        origin for origin, reading in found.readings.items() if failed & {origin, reading.arrival.version.document_id}
    }
    await parts.states.keep(source_id, [state for origin, state in found.states.items() if origin not in not_written])
    await parts.states.forget(source_id, found.gone)


def _documents_unchanged(planned: Plan, stored: Sequence[DocumentVersion]) -> int:
    touched = {document.document_id for document in planned.documents}
    return len({version.document_id for version in stored if version.doc_id in planned.checked} - touched)


async def _foresee(planned: Plan, found: Found, parts: Parts, report: IngestReport) -> None:
    """Count what `_write` would do."""
    hashes: set[str] = set()
    for document in planned.documents:
        count(document, report)
        for version in document.new:
            chunks = chunks_of(version, found.readings[version.origin])
            report.chunks += len(chunks)
            if version.status in SHOWN_STATUSES:
                hashes.update(chunk.content_hash for chunk in chunks)
    known = await parts.embeddings.known(parts.embedder.model, sorted(hashes))
    report.embedded += len(hashes - known.keys())
