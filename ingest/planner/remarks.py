"""What a person should know of the versions planned."""

from collections.abc import Mapping, Sequence
from datetime import date

from ingest.planner.history import holds, is_in_force, is_void
from ingest.planner.shapes import Entry, Remark
from ingest.planner.suspicion import Profile, doubt
from rag_core.documents import DocumentVersion, VersionStatus


def remarks_on(history: Sequence[DocumentVersion], entries: Sequence[Entry], today: date) -> list[Remark]:
    """`history` as it was before, `entries` as they are settled; both in order."""
    new = [entry for entry in entries if entry.is_new and entry.version.status is not VersionStatus.HELD]
    return [*_backdated(history, new), *_future(new, today), *_overlapping(entries), *_of_one_day(entries)]


def overlapping(entries: Sequence[Entry], doc_ids: Sequence[str]) -> list[Remark]:
    """For stored versions whose stated end has changed."""
    return _overlaps([(at, entry) for at, entry in enumerate(entries) if entry.version.doc_id in doc_ids], entries)


def held_remarks(entries: Sequence[Entry], profiles: Mapping[str, Profile], share: float) -> list[Remark]:
    """For those that are held for review now, and for those that wait and would still change what holds."""
    live = [entry.version for entry in entries if is_in_force(entry.version)]
    last = live[-1] if live else None
    return [
        Remark(entry.version.origin, "version_held", _held_details(entry, last, profiles, share))
        for entry in entries
        if entry.version.status is VersionStatus.HELD
        and (entry.is_new or last is None or entry.version.effective_from >= last.effective_from)
    ]


def _held_details(
    entry: Entry, live: DocumentVersion | None, profiles: Mapping[str, Profile], share: float
) -> dict[str, object]:
    own = entry.arrival.profile if entry.arrival is not None else profiles.get(entry.version.doc_id)
    before = profiles.get(live.doc_id) if live is not None else None
    why = entry.doubt or (doubt(before, own, share) if before is not None and own is not None else None)
    return {
        "doc_id": entry.version.doc_id,
        "was": before.size if before is not None else None,
        "now": own.size if own is not None else None,
        "why": str(why) if why is not None else None,
    }


def _backdated(history: Sequence[DocumentVersion], new: Sequence[Entry]) -> list[Remark]:
    live = next((each for each in reversed(history) if is_in_force(each)), None)
    if live is None:
        return []
    return [
        Remark(
            entry.version.origin,
            "version_backdated",
            {
                "doc_id": entry.version.doc_id,
                "day": entry.version.effective_from.isoformat(),
                "live_doc_id": live.doc_id,
                "live_from": live.effective_from.isoformat(),
            },
        )
        for entry in new
        if entry.arrival is not None and entry.arrival.stated and entry.version.effective_from < live.effective_from
    ]


def _future(new: Sequence[Entry], today: date) -> list[Remark]:
    return [
        Remark(
            entry.version.origin,
            "version_future",
            {"doc_id": entry.version.doc_id, "day": entry.version.effective_from.isoformat()},
        )
        for entry in new
        if entry.version.effective_from > today and not is_void(entry.version)
    ]


def _overlapping(entries: Sequence[Entry]) -> list[Remark]:
    return _overlaps([(at, entry) for at, entry in enumerate(entries) if entry.is_new], entries)


def _overlaps(asked: Sequence[tuple[int, Entry]], entries: Sequence[Entry]) -> list[Remark]:
    found = []
    for at, entry in asked:
        following = next((each.version for each in entries[at + 1 :] if holds(each.version)), None)
        if entry.ends is None or following is None or not holds(entry.version):
            continue
        if entry.ends > following.effective_from:
            details = {
                "doc_id": entry.version.doc_id,
                "ends": entry.ends.isoformat(),
                "next_doc_id": following.doc_id,
                "next_from": following.effective_from.isoformat(),
            }
            found.append(Remark(entry.version.origin, "versions_overlap", details))
    return found


def _of_one_day(entries: Sequence[Entry]) -> list[Remark]:
    """New versions of several files, or several of one, for one day."""
    days: dict[date, list[Entry]] = {}
    for entry in entries:
        if entry.version.status is not VersionStatus.HELD:
            days.setdefault(entry.version.effective_from, []).append(entry)
    found = []
    for day, of_day in days.items():
        new = [entry for entry in of_day if entry.is_new]
        contents = {entry.version.sha256 for entry in of_day}
        last = next((entry for entry in reversed(of_day) if holds(entry.version)), None)
        if new and last is not None and len(contents) > 1 and _are_several(of_day, new):
            doc_ids = [entry.version.doc_id for entry in of_day]
            details = {"day": day.isoformat(), "doc_ids": doc_ids, "holds": last.version.doc_id}
            found.append(Remark(new[-1].version.origin, "versions_same_day", details))
    return found


def _are_several(of_day: Sequence[Entry], new: Sequence[Entry]) -> bool:
    """Not one file that was corrected or read again."""
    return len(new) > 1 or len({entry.version.origin for entry in of_day}) > 1
