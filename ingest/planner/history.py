"""What the stored versions of a document tell of how they came to be."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime

from ingest.model.names import oldest_first, version_number
from rag_core.documents import SHOWN_STATUSES, DocumentVersion, VersionStatus

Histories = Mapping[str, Sequence[DocumentVersion]]
"""The versions of each document, in order."""


def by_document(stored: Iterable[DocumentVersion]) -> dict[str, list[DocumentVersion]]:
    """Each document's versions in their order."""
    found: dict[str, list[DocumentVersion]] = {}
    for version in sorted(stored, key=order):
        found.setdefault(version.document_id, []).append(version)
    return found


def order(version: DocumentVersion) -> tuple[date, int, str]:
    return version.effective_from, version_number(version.doc_id), version.doc_id


def is_void(version: DocumentVersion) -> bool:
    """Whether it holds for no day at all."""
    return version.effective_to is not None and version.effective_to <= version.effective_from


def holds(version: DocumentVersion) -> bool:
    """Whether it is, was or will be in force on some day."""
    return version.status in SHOWN_STATUSES and not is_void(version)


def is_in_force(version: DocumentVersion) -> bool:
    return version.status is VersionStatus.LIVE and holds(version)


def is_outnumbered(version: DocumentVersion, other: DocumentVersion) -> bool:
    """Whether by their file names `other` is the later version of the same document (alcohol_v1, alcohol_v2)."""
    return version.origin != other.origin and oldest_first([other.origin, version.origin])[0] == version.origin


def read_last(stored: Iterable[DocumentVersion]) -> dict[str, DocumentVersion]:
    """By origin the version that was read last. Those that were withdrawn tell nothing about it."""
    versions = list(stored)
    replaced = _replaced(versions)
    counting = [each for each in versions if not _is_withdrawn(each) or each.doc_id in replaced]
    return {each.origin: each for each in sorted(counting, key=_reading_order)}


def up_to_date(stored: Sequence[DocumentVersion]) -> dict[str, DocumentVersion]:
    """For each origin the version that needs nothing as long as bytes and pipeline stay the same.

    That is the one read last, if it is live or held for review, or if a later arrival of its day replaced it. A
    version that was retired because its source lost it is none: its document has come back.
    """
    replaced = _replaced(stored)
    settled = (VersionStatus.LIVE, VersionStatus.HELD)
    return {
        origin: version
        for origin, version in read_last(stored).items()
        if version.status in settled or version.doc_id in replaced
    }


def stated_ends(history: Sequence[DocumentVersion], closed_on: date | None = None) -> dict[str, date]:
    """The ends of live versions that no other version explains, by doc_id: they were stated.

    `history`: in order; `closed_on`: the day from which another document supersedes this one.
    """
    found: dict[str, date] = {}
    following: date | None = None
    for version in reversed(history):
        end = version.effective_to
        explained = end is None or end == following or _is_closed(version, closed_on)
        if version.status is VersionStatus.LIVE and end is not None and not explained:
            found[version.doc_id] = end
        if holds(version):
            following = version.effective_from
    return found


def stated_ends_of(stored: Iterable[DocumentVersion]) -> dict[str, date]:
    """`stated_ends` of all the documents of a source."""
    histories = by_document(stored)
    closed_on = superseded_on(histories, histories)
    found: dict[str, date] = {}
    for name, history in histories.items():
        found |= stated_ends(history, closed_on.get(name))
    return found


def superseded_on(before: Histories, after: Histories) -> dict[str, date]:
    """For each document that a version of another one supersedes `after` planning: from which day on.

    Only where that version names what was in force then, `before` or after: what something else of its document has
    followed has its end. Of two that name each other the one that holds first counts.
    """
    document_of = {version.doc_id: document for document, history in after.items() for version in history}
    naming = [version for history in after.values() for version in history if version.supersedes and holds(version)]
    found: dict[str, date] = {}
    for version in sorted(naming, key=order):
        document, day = version.document_id, version.effective_from
        for doc_id in links_of(version) if day < found.get(document, date.max) else ():
            other = document_of.get(doc_id, document)
            if other == document:
                continue
            last = [in_force_by(each.get(other, ()), day) for each in (before, after)]
            if doc_id in [each.doc_id for each in last if each is not None]:
                found.setdefault(other, day)
    return found


def links_of(version: DocumentVersion) -> tuple[str, ...]:
    """The doc_ids that it supersedes: one, or parted by spaces where it names several documents."""
    return tuple((version.supersedes or "").split())


def link_elsewhere(version: DocumentVersion, own: AbstractSet[str]) -> str | None:
    """What it supersedes, if that are versions of other documents; `own`: the doc_ids of its own."""
    return None if all(each in own for each in links_of(version)) else version.supersedes


def in_force_by(history: Sequence[DocumentVersion], day: date) -> DocumentVersion | None:
    """The last version that began on `day` or before; the first one, if all begin later."""
    counting = [each for each in history if each.status in SHOWN_STATUSES and not _is_withdrawn(each)]
    begun = [each for each in counting if each.effective_from <= day]
    return begun[-1] if begun else next(iter(counting), None)


def _replaced(stored: Iterable[DocumentVersion]) -> set[str]:
    """Versions for no day because another one of their day is in force instead."""
    found: set[str] = set()
    days: dict[tuple[str, date], list[DocumentVersion]] = {}
    for version in sorted(stored, key=order):
        days.setdefault((version.document_id, version.effective_from), []).append(version)
    for versions in days.values():
        for at, version in enumerate(versions):
            if _is_withdrawn(version) and _is_followed(at, versions):
                found.add(version.doc_id)
    return found


def _is_followed(at: int, versions: Sequence[DocumentVersion]) -> bool:
    """Whether one of the other versions of this day is live, and later: by its turn, or by its file's name."""
    return any(
        each.status is VersionStatus.LIVE and (place > at or is_outnumbered(versions[at], each))
        for place, each in enumerate(versions)
    )


def _is_withdrawn(version: DocumentVersion) -> bool:
    return version.status is VersionStatus.RETIRED and is_void(version)


def _is_closed(version: DocumentVersion, closed_on: date | None) -> bool:
    return closed_on is not None and version.effective_to == max(closed_on, version.effective_from)


def _reading_order(version: DocumentVersion) -> tuple[datetime, date, int, str]:
    return version.seen_at, *order(version)
