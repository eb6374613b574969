"""What is stored and what was read -> what to write. Pure: no store, no clock.

Each version of a document holds until the next one's `effective_from`. Among versions of one day the later arrival
holds, and the earlier one is retired: it held for no day. Nothing that is stored is overwritten.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import groupby

from ingest.naming import version_id, version_number
from ingest.ports import VersionUpdate
from rag_core.documents import DocumentVersion, VersionStatus


@dataclass(frozen=True, slots=True)
class Arrival:
    """A document as read now. `version` is complete but for doc_id, bounds, status and `supersedes`.

    `stated`: the day from which it holds, where the document or its file name says so; else it holds from the day
    on which it was first seen.
    """

    version: DocumentVersion
    stated: date | None

    @property
    def document_id(self) -> str:
        return self.version.document_id


@dataclass(frozen=True, slots=True)
class DocumentPlan:
    """What to do for one document, in one transaction. `new` goes with the arrivals of the same index."""

    document_id: str
    new: tuple[DocumentVersion, ...]
    arrivals: tuple[Arrival, ...]
    updates: tuple[VersionUpdate, ...]
    kind: str
    """"new", "changed" or "removed"."""


@dataclass(frozen=True, slots=True)
class Plan:
    documents: tuple[DocumentPlan, ...]
    checked: tuple[str, ...]
    """doc_ids of versions that the source still holds as they are."""


def unchanged(stored: Iterable[DocumentVersion], origin: str, sha256: str, pipeline: str) -> DocumentVersion | None:
    """The stored version that is what the source holds under `origin` now, read by the same pipeline; else None."""
    versions = list(stored)
    of_origin = [version for version in versions if version.origin == origin]
    if not of_origin:
        return None
    latest = max(of_origin, key=lambda each: (each.seen_at, each.effective_from, version_number(each.doc_id)))
    same = latest.sha256 == sha256 and latest.pipeline == pipeline
    return latest if same and _accounted_for(latest, versions) else None


def plan(
    stored: Sequence[DocumentVersion],
    unchanged_: Sequence[DocumentVersion],
    arrivals: Sequence[Arrival],
    unreadable: frozenset[str],
    today: date,
) -> Plan:
    """What to do, given everything `stored` from a source, and of what the source has now: the versions found
    unchanged, the documents read anew (in order), and the origins that could not be read (they are not gone).
    """
    checked = {version.doc_id for version in unchanged_}
    fresh: list[Arrival] = []
    by_document = _by_document(stored)
    for arrival in arrivals:
        known = _same_content(by_document.get(arrival.document_id, ()), arrival)
        twin = any(_same_version(arrival.version, each.version) for each in fresh)
        if known is not None:
            checked.add(known.doc_id)
        elif not twin:
            fresh.append(arrival)
    documents = [
        _document_plan(document, by_document.get(document, ()), list(group), checked)
        for document, group in groupby(sorted(fresh, key=lambda each: each.document_id), lambda each: each.document_id)
    ]
    present = checked | {update.doc_id for each in documents for update in each.updates}
    planned = {each.document_id for each in documents}
    for document, versions in by_document.items():
        if document not in planned and (gone := _removal(versions, present, unreadable, today)):
            documents.append(gone)
    return Plan(tuple(documents), tuple(sorted(checked)))


def _by_document(stored: Iterable[DocumentVersion]) -> Mapping[str, list[DocumentVersion]]:
    found: dict[str, list[DocumentVersion]] = {}
    for version in sorted(stored, key=_order):
        found.setdefault(version.document_id, []).append(version)
    return found


def _order(version: DocumentVersion) -> tuple[date, int]:
    return version.effective_from, version_number(version.doc_id)


def _accounted_for(version: DocumentVersion, versions: Iterable[DocumentVersion]) -> bool:
    """Whether a stored version needs nothing: it is live, or a later arrival of its day replaced it."""
    if version.status is VersionStatus.LIVE:
        return True
    return version.status is VersionStatus.RETIRED and any(
        other.document_id == version.document_id
        and other.effective_from == version.effective_from
        and version_number(other.doc_id) > version_number(version.doc_id)
        for other in versions
    )


def _same_content(versions: Iterable[DocumentVersion], arrival: Arrival) -> DocumentVersion | None:
    """A live version with the same bytes, known under another origin: a file that moved, or a second address."""
    new = arrival.version
    return next(
        (
            version
            for version in versions
            if version.status is VersionStatus.LIVE
            and version.origin != new.origin
            and _same_version(version, new)
            and arrival.stated in (None, version.effective_from)
        ),
        None,
    )


def _same_version(one: DocumentVersion, other: DocumentVersion) -> bool:
    return (one.document_id, one.sha256, one.pipeline) == (other.document_id, other.sha256, other.pipeline)
