"""The same page under two addresses of a site, which do not say of each other that they are the same."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime

from ingest.indexing import INDEX_WORK, follow
from ingest.model.report import Failure, IngestReport, Note, Progress, failure, no_progress
from ingest.model.turns import reading_of_source, turn
from ingest.parts import IngestParts
from ingest.planner import Arrival, Plan, plan, profiles_wanted
from ingest.planner.suspicion import Profile, profile_of
from ingest.ports import Discovered, Removal, RemovalKind, Source, VersionStore
from ingest.reader.version import chunks_of
from ingest.rules.reading import read_rules
from ingest.run.discovery import Found, look
from ingest.run.writing import count, write_all
from rag_core.documents import SHOWN_STATUSES, DocumentVersion
from rag_core.errors import Misconfigured, Rejected, Unavailable


def drop_same_pages(source_id: str, found: Found, report: IngestReport) -> None:
    """Takes documents out of `found` whose bytes another document of the source has: the one that was stored before,
    else the first one. What was stored under the other address is closed, as if that were gone."""
    kept = {version.sha256: version for version in found.unchanged}
    for origin, reading in list(found.readings.items()):
        version = reading.arrival.version
        first = kept.setdefault(version.sha256, version)
        if first.document_id != version.document_id:
            del found.readings[origin]
            report.notes.append(Note(source_id, origin, "document_duplicate", {"of": first.origin}))


def read_ones(source_id: str, items: Sequence[Discovered], report: IngestReport) -> list[Discovered]:
    """Those of `items` that a parser reads; the others are named in the report."""
    report.notes += [Note(source_id, each.origin, "document_type_unread") for each in items if not each.is_read]
    return [each for each in items if each.is_read]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The removals in force, by what they keep out: source ids and document ids."""

    sources: Mapping[str, Removal]
    documents: Mapping[str, Removal]


def left_out(removals: Sequence[Removal]) -> LeftOut:
    """Those of `removals` that nobody has undone."""
    in_force = [each for each in removals if each.undone_at is None]
    by_kind = {kind: {each.target: each for each in in_force if each.kind is kind} for kind in RemovalKind}
    return LeftOut(by_kind[RemovalKind.SOURCE], by_kind[RemovalKind.DOCUMENT])


def is_left_out(source_id: str, removed: LeftOut, report: IngestReport) -> bool:
    """Whether nothing of this source is to be read; that is noted then."""
    removal = removed.sources.get(source_id)
    if removal is not None:
        report.notes.append(Note(source_id, "", "source_removed", _facts(removal)))
    return removal is not None


def drop_removed(source_id: str, found: Found, removed: LeftOut, report: IngestReport) -> None:
    """Takes what was removed out of `found`, and notes it once a document."""
    noted: dict[str, str] = {}
    for origin, reading in list(found.readings.items()):
        document_id = reading.arrival.version.document_id
        if document_id in removed.documents:
            del found.readings[origin]
            noted.setdefault(document_id, origin)
    for version in list(found.unchanged):  # where the removal was broken off: what is still shown is closed now
        if version.document_id in removed.documents:
            found.unchanged.remove(version)
            noted.setdefault(version.document_id, version.origin)
    report.notes += [
        Note(source_id, origin, "document_removed", _facts(removed.documents[document_id]))
        for document_id, origin in noted.items()
    ]


def _facts(removal: Removal) -> dict[str, object]:
    return {
        "target": removal.target,
        "person": removal.person,
        "day": removal.at.date().isoformat(),
        "removal_id": removal.removal_id,
        "reason": removal.reason,
    }


async def decide(
    source: Source,
    stored: Sequence[DocumentVersion],
    found: Found,
    versions: VersionStore,
    now: datetime,
    forced: AbstractSet[str],
) -> Plan:
    """`ingest.planner.plan` of what was found at a source. Raises Unavailable."""
    profiles = await _profiles_of_stored(stored, found, versions)
    return plan(
        stored,
        found.unchanged,
        await asyncio.to_thread(_arrivals, found, profiles),
        found.unreadable,
        now.date(),
        ends=found.ends,
        forced=forced,
        profiles=profiles,
        shrink=source.defaults.suspicious_shrink,
    )


def tell(source_id: str, planned: Plan, found: Found, report: IngestReport) -> None:
    """What was refused, and what a person should know: of what is new, and of what waits for a decision."""
    for each in planned.refused:
        details = {"doc_id": each.doc_id, "document_id": each.document_id}
        report.failed.append(Failure(source_id, each.origin, "doc_id_taken", details))
    report.notes += [Note(source_id, each.origin, each.code, each.details) for each in planned.remarks]
    for origin in dict.fromkeys(version.origin for document in planned.documents for version in document.new):
        warnings = found.readings[origin].warnings
        report.notes += [Note(source_id, origin, each.code, each.details) for each in warnings]


async def _profiles_of_stored(
    stored: Sequence[DocumentVersion], found: Found, versions: VersionStore
) -> dict[str, Profile]:
    """By doc_id, of `profiles_wanted`."""
    wanted = profiles_wanted(stored, (reading.arrival for reading in found.readings.values()))
    titles = {version.doc_id: version.title for version in stored}
    profiles: dict[str, Profile] = {}
    for doc_id in sorted(wanted):
        if (text := await versions.text(doc_id)) is not None:
            profiles[doc_id] = await asyncio.to_thread(profile_of, titles[doc_id], text)
    return profiles


def _arrivals(found: Found, profiles: Mapping[str, Profile]) -> list[Arrival]:
    """What was read; with profiles where a document was there before, or comes with several versions."""
    documents = Counter(reading.arrival.version.document_id for reading in found.readings.values())
    known = {version.document_id for version in found.stored if version.doc_id in profiles}
    arrivals = []
    for reading in found.readings.values():
        arrival = reading.arrival
        if arrival.version.document_id in known or documents[arrival.version.document_id] > 1:
            arrival = replace(arrival, profile=profile_of(arrival.version.title, reading.text))
        arrivals.append(arrival)
    return arrivals


async def ingest(
    sources: Sequence[Source],
    parts: IngestParts,
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


async def _bring_into_index(parts: IngestParts, report: IngestReport) -> None:
    try:
        async with turn(parts.lease, INDEX_WORK):
            await follow(parts.outbox, parts.embeddings, parts.writer, parts.embedder)
    except Unavailable as error:
        report.not_indexed = error


async def _read_rules(parts: IngestParts, report: IngestReport, progress: Progress) -> None:
    try:
        report.rules_read = await read_rules(parts, progress)
    except (Misconfigured, Rejected, Unavailable) as error:
        report.rules_not_read = error


async def _ingest_source(
    source: Source,
    parts: IngestParts,
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
        items = read_ones(source.source_id, await source.discover(), report)
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


async def _remember(source_id: str, found: Found, parts: IngestParts, report: IngestReport) -> None:
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


async def _foresee(planned: Plan, found: Found, parts: IngestParts, report: IngestReport) -> None:
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
