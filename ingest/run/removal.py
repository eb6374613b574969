"""Removing a document, or all of a source, on purpose: recorded, never deleted, and undone by recording that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from rapidfuzz import fuzz, process

from ingest.model.turns import reading_of_source, turn
from ingest.parts import IngestParts
from ingest.ports import Removal, RemovalKind, VersionStore, VersionUpdate
from rag_core.documents import DocumentVersion, VersionStatus
from rag_core.errors import Rejected

_NEAR = 60.0
_MOST_NEAR = 5


@dataclass(frozen=True, slots=True)
class Affected:
    """A document that would go: its newest title, and how much of it is stored."""

    document_id: str
    title: str
    versions: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Removable:
    """What a name stands for. `source_ids`: where its documents came from; none for a source that was never read."""

    kind: RemovalKind
    target: str
    source_ids: tuple[str, ...]
    documents: tuple[Affected, ...]


async def find(
    name: str, parts: IngestParts, kind: RemovalKind | None = None, declared: Sequence[str] = ()
) -> Removable:
    """The document, or the source, of this id. `declared`: ids of sources that may not have been read yet.

    Raises Rejected: "nothing_to_remove" (name, near: similar ids); "removal_ambiguous" (name) where both a document and
    a source bear it and `kind` does not say which.
    """
    known = await parts.removals.removable()
    sources = {*known, *declared}
    documents = {each for of_source in known.values() for each in of_source}
    kinds = {RemovalKind.DOCUMENT: documents, RemovalKind.SOURCE: sources}
    fitting = [each for each, names in kinds.items() if name in names and kind in (None, each)]
    if len(fitting) > 1:
        raise Rejected("removal_ambiguous", name=name)
    if not fitting:
        asked = kinds[kind] if kind else documents | sources
        raise Rejected("nothing_to_remove", name=name, kind=kind or "", near=_near(name, asked))
    source_ids = _sources_of(fitting[0], name, known)
    affected = await _affected(fitting[0], name, source_ids, parts.versions)
    return Removable(fitting[0], name, source_ids, affected)


def _sources_of(kind: RemovalKind, name: str, known: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    if kind is RemovalKind.SOURCE:
        return (name,) if name in known else ()
    return tuple(sorted(source_id for source_id, documents in known.items() if name in documents))


def _near(name: str, known: set[str]) -> list[str]:
    found = process.extract(name, sorted(known), scorer=fuzz.WRatio, limit=_MOST_NEAR, score_cutoff=_NEAR)
    return [each for each, _, _ in found]


async def _affected(
    kind: RemovalKind, name: str, source_ids: Sequence[str], store: VersionStore
) -> tuple[Affected, ...]:
    by_document: dict[str, list[DocumentVersion]] = {}
    for source_id in source_ids:
        for version in await store.stored(source_id):
            if kind is RemovalKind.SOURCE or version.document_id == name:
                by_document.setdefault(version.document_id, []).append(version)
    return tuple(
        Affected(document_id, history[-1].title, len(history), sum(each.chunk_count for each in history))
        for document_id, history in sorted(by_document.items())
    )


async def remove(removable: Removable, removal: Removal, parts: IngestParts) -> int:
    """Record `removal`, whose target `removable` is, and retire every version of it; the id of the record.

    Recorded first: where the rest is broken off, the next run does not read it anew, and removing it once more
    finishes the work. The index learns of it by the outbox. Raises Unavailable("work_busy").
    """
    number = await parts.removals.record(removal)
    for source_id in removable.source_ids:
        async with turn(parts.lease, reading_of_source(source_id)):
            stored = await parts.versions.stored(source_id)
            for document in removable.documents:
                history = [each for each in stored if each.document_id == document.document_id]
                if updates := retired(history, removal.at.date(), all_days=removal.all_days):
                    await parts.versions.save((), updates)
    return number


def retired(history: Sequence[DocumentVersion], today: date, *, all_days: bool) -> list[VersionUpdate]:
    """What to change so that no version is shown from `today` on, or with `all_days` for any day.

    A version that was never shown (held for review, failed) is not shown for the days before either.
    """
    found = []
    for version in history:
        was_shown = version.status in (VersionStatus.LIVE, VersionStatus.RETIRED)
        if all_days or not was_shown:
            end = version.effective_from
        else:
            end = max(version.effective_from, min(version.effective_to or today, today))
        if (version.status, version.effective_to) != (VersionStatus.RETIRED, end):
            found.append(VersionUpdate(version.doc_id, end, VersionStatus.RETIRED, version.supersedes))
    return found


async def undo(removal_id: int, person: str, at: datetime, parts: IngestParts) -> Removal:
    """Record that a removal holds no more: the next run reads again what it left out. What was retired stays so.

    Raises Rejected("unknown_removal").
    """
    return await parts.removals.undo(removal_id, person, at)
