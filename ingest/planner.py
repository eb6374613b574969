"""What is stored and what was read -> what to write. Pure: no store, no clock.

Each version of a document holds until the next one's `effective_from`. Among versions of one day the later arrival
holds, and the earlier one is retired: it held for no day. Nothing that is stored is overwritten.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from ingest.naming import version_id, version_number
from ingest.ports import VersionUpdate
from rag_core.documents import DocumentVersion, VersionStatus


class PlanKind(StrEnum):
    NEW = "new"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A document as read now: `version` is complete but for doc_id, bounds, status and `supersedes`.

    `stated`: the day from which it holds, where the document or its file name says so; else it holds from the day
    on which it was first seen.
    """

    version: DocumentVersion
    stated: date | None


@dataclass(frozen=True, slots=True)
class DocumentPlan:
    """What to write for one document, in one transaction. `new`: complete, but for the number of chunks."""

    document_id: str
    kind: PlanKind
    new: tuple[DocumentVersion, ...]
    updates: tuple[VersionUpdate, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """`checked`: doc_ids of stored versions that the source still holds as they are."""

    documents: tuple[DocumentPlan, ...]
    checked: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A version in the history of its document. `replaced`: it holds for no day any more."""

    version: DocumentVersion
    is_new: bool
    replaced: bool = False


def up_to_date(stored: Sequence[DocumentVersion]) -> dict[str, DocumentVersion]:
    """For each origin the version that needs nothing as long as bytes and pipeline stay the same.

    That is the one read last, if it is live, or if a later arrival of its day replaced it. A version that was
    retired because its source lost it is none: its document has come back.
    """
    replaced: set[str] = set()
    for history in _by_document(stored).values():
        later: DocumentVersion | None = None
        for version in reversed(history):
            same_day = later is not None and later.effective_from == version.effective_from
            if later is not None and same_day and (later.status is VersionStatus.LIVE or later.doc_id in replaced):
                replaced.add(version.doc_id)
            later = version
    return {
        origin: version
        for origin, version in _read_last(stored).items()
        if version.status is VersionStatus.LIVE or version.doc_id in replaced
    }


def plan(
    stored: Sequence[DocumentVersion],
    unchanged: Iterable[DocumentVersion],
    arrivals: Sequence[Arrival],
    unreadable: AbstractSet[str],
    today: date,
) -> Plan:
    """What to do, given everything `stored` from a source, and of what the source has now: the stored versions
    found `unchanged`, the documents read anew (in order), and the origins that could not be read (not gone).
    """
    histories = _by_document(stored)
    checked = {version.doc_id for version in unchanged}
    read = {arrival.version.origin for arrival in arrivals}
    fresh: dict[str, list[Arrival]] = {}
    for arrival in arrivals:
        document = arrival.version.document_id
        if (known := _known_elsewhere(histories.get(document, ()), arrival, checked, read)) is not None:
            checked.add(known.doc_id)
        elif not any(_is_twin(arrival, each) for each in fresh.get(document, ())):
            fresh.setdefault(document, []).append(arrival)
    kept = frozenset(checked)
    plans = [
        _with_arrivals(histories.get(document, []), fresh[document], kept, unreadable, today) for document in fresh
    ]
    plans += [
        _without_arrivals(history, kept, unreadable, today)
        for document, history in histories.items()
        if document not in fresh
    ]
    return Plan(tuple(each for each in plans if each.new or each.updates), kept)


def _by_document(stored: Iterable[DocumentVersion]) -> dict[str, list[DocumentVersion]]:
    found: dict[str, list[DocumentVersion]] = {}
    for version in sorted(stored, key=_order):
        found.setdefault(version.document_id, []).append(version)
    return found


def _order(version: DocumentVersion) -> tuple[date, int]:
    return version.effective_from, version_number(version.doc_id)


def _read_last(stored: Iterable[DocumentVersion]) -> dict[str, DocumentVersion]:
    return {each.origin: each for each in sorted(stored, key=lambda each: (each.seen_at, *_order(each)))}


def _same_content(one: DocumentVersion, other: DocumentVersion) -> bool:
    return (one.document_id, one.sha256, one.pipeline) == (other.document_id, other.sha256, other.pipeline)


def _is_twin(one: Arrival, other: Arrival) -> bool:
    """The same bytes for the same day at two addresses: stored once."""
    return one.stated == other.stated and _same_content(one.version, other.version)


def _known_elsewhere(
    history: Iterable[DocumentVersion], arrival: Arrival, checked: AbstractSet[str], read: AbstractSet[str]
) -> DocumentVersion | None:
    """A stored version with the same bytes under another origin: a second address, or a file that moved.

    `read`: the origins that hold something else now; what is stored under them has not moved.
    """
    for version in history:
        other = version.origin != arrival.version.origin and _same_content(version, arrival.version)
        if not other or arrival.stated not in (None, version.effective_from):
            continue
        open_ended = version.effective_to is None or arrival.stated is not None
        moved = version.origin not in read and version.status is VersionStatus.LIVE and open_ended
        if moved or version.doc_id in checked:
            return version
    return None


def _with_arrivals(
    history: list[DocumentVersion],
    arrivals: Sequence[Arrival],
    checked: AbstractSet[str],
    unreadable: AbstractSet[str],
    today: date,
) -> DocumentPlan:
    read_last = _read_last(history)
    entries = [_Entry(version, is_new=False) for version in history]
    numbers = _numbers(history)
    for arrival in arrivals:
        day = arrival.stated or _day_first_seen(read_last.get(arrival.version.origin), arrival.version) or today
        numbers[day] = numbers.get(day, 0) + 1
        doc_id = version_id(arrival.version.document_id, day, numbers[day])
        version = replace(arrival.version, doc_id=doc_id, effective_from=day, effective_to=None)
        entries = [_replaced_by(entry, version) for entry in entries]
        entries.append(_Entry(replace(version, status=VersionStatus.LIVE), is_new=True))
    entries.sort(key=lambda entry: _order(entry.version))
    settled = _settled(entries)
    kind = PlanKind.CHANGED if history else PlanKind.NEW
    return _planned(kind, history, _last_gone(settled, checked, unreadable, today))


def _without_arrivals(
    history: list[DocumentVersion], checked: AbstractSet[str], unreadable: AbstractSet[str], today: date
) -> DocumentPlan:
    entries = [_Entry(version, is_new=False) for version in history]
    return _planned(PlanKind.REMOVED, history, _last_gone(entries, checked, unreadable, today))


def _planned(kind: PlanKind, history: Iterable[DocumentVersion], entries: Iterable[_Entry]) -> DocumentPlan:
    before = {version.doc_id: version for version in history}
    settled = list(entries)
    new = tuple(entry.version for entry in settled if entry.is_new)
    updates = tuple(
        _update(entry.version) for entry in settled if before.get(entry.version.doc_id, entry.version) != entry.version
    )
    return DocumentPlan(settled[0].version.document_id, kind, new, updates)


def _update(version: DocumentVersion) -> VersionUpdate:
    return VersionUpdate(version.doc_id, version.effective_to, version.status, version.supersedes)


def _numbers(history: Iterable[DocumentVersion]) -> dict[date, int]:
    """The highest number of a version of each day."""
    found: dict[date, int] = {}
    for version in history:
        found[version.effective_from] = max(found.get(version.effective_from, 0), version_number(version.doc_id))
    return found


def _day_first_seen(before: DocumentVersion | None, version: DocumentVersion) -> date | None:
    """The day of the version that merely has to be read again, because the pipeline changed."""
    if before is None or before.sha256 != version.sha256 or before.status is not VersionStatus.LIVE:
        return None
    return before.effective_from


def _replaced_by(entry: _Entry, version: DocumentVersion) -> _Entry:
    """What the same file said for the same or a later day is withdrawn: its effective date was corrected."""
    same_file = entry.version.origin == version.origin and not entry.is_new
    return replace(
        entry, replaced=entry.replaced or (same_file and entry.version.effective_from >= version.effective_from)
    )


def _settled(entries: Sequence[_Entry]) -> list[_Entry]:
    """Each version with its end: the beginning of the next one that holds; and with what it supersedes."""
    settled: list[_Entry] = []
    following: date | None = None
    for entry in reversed(entries):
        settled.append(replace(entry, version=_bounded(entry, following)))
        if not entry.replaced:
            following = entry.version.effective_from
    settled.reverse()
    return [_linked(entry, settled[at - 1] if at else None) for at, entry in enumerate(settled)]


def _bounded(entry: _Entry, following: date | None) -> DocumentVersion:
    version = entry.version
    end = version.effective_from if entry.replaced else following
    if version.status is VersionStatus.RETIRED and version.effective_to is not None:
        end = min(version.effective_to, end or version.effective_to)
    status = VersionStatus.RETIRED if end == version.effective_from else version.status
    return replace(version, effective_to=end, status=status)


def _linked(entry: _Entry, before: _Entry | None) -> _Entry:
    return replace(entry, version=replace(entry.version, supersedes=before.version.doc_id if before else None))


def _last_gone(
    entries: list[_Entry], checked: AbstractSet[str], unreadable: AbstractSet[str], today: date
) -> list[_Entry]:
    """The last version closed, if the source holds it no more; the earlier ones stay as they are."""
    live = [at for at, entry in enumerate(entries) if entry.version.status is VersionStatus.LIVE]
    if not live:
        return entries
    last = entries[live[-1]].version
    if entries[live[-1]].is_new or last.doc_id in checked or last.origin in unreadable or last.effective_to is not None:
        return entries
    closed = replace(last, effective_to=max(today, last.effective_from), status=VersionStatus.RETIRED)
    return [replace(entry, version=closed) if entry.version is last else entry for entry in entries]
