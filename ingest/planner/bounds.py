"""Where each version of a document ends."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date

from ingest.planner.history import holds, is_in_force, order
from ingest.planner.shapes import Entry
from ingest.ports import VersionUpdate
from rag_core.documents import SHOWN_STATUSES, DocumentVersion, VersionStatus


def settle(entries: Iterable[Entry], closed_on: date | None = None) -> list[Entry]:
    """In order, each with its end and with what it supersedes. What was never shown stays as it is.

    `closed_on`: the day from which another document supersedes this one.
    """
    settled: list[Entry] = []
    following: date | None = None
    for entry in sorted(entries, key=lambda each: order(each.version), reverse=True):
        version = _bounded(entry, following, closed_on)
        settled.append(_with(entry, version))
        if holds(version):
            following = version.effective_from
    settled.reverse()
    return list(_opened(_linked(settled)))


def without_gone(
    entries: Iterable[Entry], closed_on: date | None, is_kept: Callable[[DocumentVersion], bool], today: date
) -> list[Entry]:
    """Settled, and the last version closed if the source holds it no more; the earlier ones stay as they are.

    Where that one was still to begin, the one before it is the last, and is looked at in its turn.
    """
    while True:
        settled = settle(entries, closed_on)
        last = next((each for each in reversed(settled) if is_in_force(each.version)), None)
        if last is None or last.is_new or is_kept(last.version) or _has_ended(last.version, today):
            return settled
        end = max(today, last.version.effective_from)
        closed = replace(last.version, effective_to=end, status=VersionStatus.RETIRED)
        entries = [replace(each, version=closed) if each is last else each for each in settled]


def updates_of(before: Iterable[DocumentVersion], after: Iterable[Entry]) -> tuple[VersionUpdate, ...]:
    """What has changed of the versions that are stored."""
    known = {version.doc_id: version for version in before}
    return tuple(
        update_of(known[each.version.doc_id], each.version)
        for each in after
        if known.get(each.version.doc_id, each.version) != each.version
    )


def update_of(before: DocumentVersion, after: DocumentVersion) -> VersionUpdate:
    """What has changed of one version."""
    return VersionUpdate(
        after.doc_id,
        after.effective_to,
        after.status,
        after.supersedes,
        after.effective_from if after.effective_from != before.effective_from else None,
        after.open_start if after.open_start != before.open_start else None,
    )


def _has_ended(version: DocumentVersion, today: date) -> bool:
    return version.effective_to is not None and version.effective_to <= today


def _bounded(entry: Entry, following: date | None, closed_on: date | None) -> DocumentVersion:
    version = entry.version
    begin = version.effective_from
    if version.status not in SHOWN_STATUSES:
        return version
    if entry.replaced or following == begin:
        return _ended(version, begin, VersionStatus.RETIRED)
    own = version.effective_to if version.status is VersionStatus.RETIRED else entry.ends
    ends = [day for day in (following, own, closed_on) if day is not None]
    # one that states to have ended, or is superseded, before it began stays live for no day: nothing has to be done
    return _ended(version, max(begin, min(ends)) if ends else None, version.status)


def _ended(version: DocumentVersion, end: date | None, status: VersionStatus) -> DocumentVersion:
    """The same object, where nothing changes: most documents of a run are unchanged, and copies are slow."""
    if (version.effective_to, version.status) == (end, status):
        return version
    return replace(version, effective_to=end, status=status)


def _with(entry: Entry, version: DocumentVersion) -> Entry:
    return entry if entry.version is version else replace(entry, version=version)


def _opened(settled: Iterable[Entry]) -> Iterable[Entry]:
    """The first version that holds at all holds for earlier days too, where nothing says since when: no day is stated,
    and it took the place of no other document."""
    is_first = True
    for entry in settled:
        version = entry.version
        counts = holds(version)
        is_open = counts and is_first and not version.date_stated and entry.link is None
        is_first = is_first and not counts
        yield entry if version.open_start == is_open else _with(entry, replace(version, open_start=is_open))


def _linked(settled: Sequence[Entry]) -> Iterable[Entry]:
    before: str | None = None
    for entry in settled:
        link = entry.link if entry.link is not None else before
        is_so = entry.version.supersedes == link
        yield entry if is_so else _with(entry, replace(entry.version, supersedes=link))
        if entry.version.status in SHOWN_STATUSES:
            before = entry.version.doc_id
