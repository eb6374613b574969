"""The plan for a source: every document's history with what was read of it now."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import date

from ingest.planner.bounds import updates_of, without_gone
from ingest.planner.history import (
    Histories,
    by_document,
    holds,
    in_force_by,
    is_in_force,
    is_void,
    link_elsewhere,
    order,
    stated_ends,
    superseded_on,
)
from ingest.planner.joining import join, sift, withdrawn
from ingest.planner.judging import Standard
from ingest.planner.shapes import Arrival, DocumentPlan, Entry, Plan, PlanKind, Remark
from ingest.planner.suspicion import Profile, doubt
from ingest.ports import VersionUpdate
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


def link(documents: dict[str, list[Entry]]) -> list[Remark]:
    """Gives the new entries links to the versions they declare to supersede; a remark for each name that is unknown."""
    remarks: list[Remark] = []
    if not any(entry.declares for entries in documents.values() for entry in entries):
        return remarks
    versions = {name: _in_order(entries) for name, entries in documents.items()}
    for document, entries in documents.items():
        for at, entry in enumerate(entries):
            if not entry.declares:
                continue
            targets = {name: _target(name, versions, entry.version.effective_from) for name in entry.declares}
            elsewhere = [each.doc_id for each in targets.values() if each is not None and each.document_id != document]
            entries[at] = replace(entry, link=" ".join(elsewhere) or entry.link)
            remarks += [
                Remark(entry.version.origin, "supersedes_unknown", {"name": name, "document_id": document})
                for name, target in targets.items()
                if target is None
            ]
    return remarks


def _in_order(entries: Sequence[Entry]) -> list[DocumentVersion]:
    return sorted((entry.version for entry in entries), key=order)


def _target(name: str, versions: Histories, day: date) -> DocumentVersion | None:
    if name in versions:
        return in_force_by(versions[name], day)
    return next((each for history in versions.values() for each in history if each.doc_id == name), None)


_SHRINK = 0.8
_NO_ENDS: Mapping[str, date | None] = {}
_NO_PROFILES: Mapping[str, Profile] = {}


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the source has: `checked` doc_ids, `kept` origins of which nothing is known now."""

    checked: AbstractSet[str]
    kept: AbstractSet[str]

    def has(self, version: DocumentVersion) -> bool:
        return version.doc_id in self.checked or version.origin in self.kept


def plan(
    stored: Sequence[DocumentVersion],
    unchanged: Iterable[DocumentVersion],
    arrivals: Sequence[Arrival],
    unreadable: AbstractSet[str],
    today: date,
    *,
    ends: Mapping[str, date | None] = _NO_ENDS,
    forced: AbstractSet[str] = frozenset(),
    profiles: Mapping[str, Profile] = _NO_PROFILES,
    shrink: float = _SHRINK,
) -> Plan:
    """What to do, given everything `stored` from a source, and of what the source has now: the stored versions
    found `unchanged`, the documents read anew (in order), and the origins that could not be read (not gone).

    `ends`: stated ends of unchanged versions that are others now, by doc_id (None: withdrawn). `forced`: documents
    (or "all") whose other content for a day that is taken is no mistake. `profiles`: of `profiles_wanted`, by doc_id;
    `shrink`: the share of its text that a document may lose.
    """
    histories = by_document(stored)
    sifted = sift(histories, arrivals, (version.doc_id for version in unchanged), forced)
    closed_on = superseded_on(histories, histories)
    documents = {name: _stored_entries(history, closed_on.get(name), ends) for name, history in histories.items()}
    for name, fresh in sifted.fresh.items():
        standard = _standard(histories.get(name, ()), profiles, shrink)
        documents[name] = join(documents.get(name, []), fresh, today, standard)
    remarks = link(documents)
    seen = _Seen(frozenset(sifted.checked), unreadable | {each.origin for each in sifted.refused})
    finished = _all_finished(histories, documents, seen, today)
    plans: list[DocumentPlan] = []
    for name in [*sifted.fresh, *(each for each in documents if each not in sifted.fresh)]:
        history = histories.get(name, [])
        entries = finished[name]
        updates = updates_of(history, entries)
        changed_ends = [each.doc_id for each in updates if each.doc_id in ends]
        if updates or name in sifted.fresh:
            remarks += remarks_on(history, entries, today) + overlapping(entries, changed_ends)
        remarks += held_remarks(entries, profiles, shrink)
        new = tuple(entry.version for entry in entries if entry.is_new)
        plans.append(DocumentPlan(name, _kind(history, new, updates), new, updates))
    kept = tuple(each for each in plans if each.new or each.updates)
    return Plan(kept, frozenset(sifted.checked), tuple(sifted.refused), tuple(remarks))


def profiles_wanted(stored: Sequence[DocumentVersion], arrivals: Iterable[Arrival]) -> frozenset[str]:
    """The doc_ids of the stored versions that planning has to compare with: what holds now of the documents read
    anew, and of those of which a version is held for review, with that version."""
    read: dict[str, set[str]] = {}
    for arrival in arrivals:
        read.setdefault(arrival.version.document_id, set()).add(arrival.version.sha256)
    found: set[str] = set()
    for name, history in by_document(stored).items():
        held = [each.doc_id for each in history if each.status is VersionStatus.HELD]
        live = _live(history)
        if live is not None and (held or read.get(name, set()) - {live.sha256}):
            found.update(held, [live.doc_id])
    return frozenset(found)


def _live(history: Sequence[DocumentVersion]) -> DocumentVersion | None:
    return next((each for each in reversed(history) if is_in_force(each)), None)


def _standard(history: Sequence[DocumentVersion], profiles: Mapping[str, Profile], shrink: float) -> Standard:
    live = _live(history)
    return Standard(live, profiles.get(live.doc_id) if live is not None else None, shrink)


def _stored_entries(
    history: Sequence[DocumentVersion], closed_on: date | None, ends: Mapping[str, date | None]
) -> list[Entry]:
    stated: dict[str, date | None] = {**stated_ends(history, closed_on)}
    own = {version.doc_id for version in history}
    stated |= {doc_id: day for doc_id, day in ends.items() if doc_id in own}
    return [Entry(version, ends=stated.get(version.doc_id), link=link_elsewhere(version, own)) for version in history]


def _all_finished(
    histories: Histories, documents: Mapping[str, Sequence[Entry]], seen: _Seen, today: date
) -> dict[str, list[Entry]]:
    """First each document by itself: only what holds then supersedes another one."""
    alone = {name: _finished(entries, None, seen, today) for name, entries in documents.items()}
    after = {name: [entry.version for entry in entries] for name, entries in alone.items()}
    closed_on = superseded_on(histories, after)
    return alone | {name: _finished(documents[name], day, seen, today) for name, day in closed_on.items()}


def _finished(entries: Sequence[Entry], closed_on: date | None, seen: _Seen, today: date) -> list[Entry]:
    left = [withdrawn(entry) if _is_left(entry, seen) else entry for entry in entries]
    waiting = [entry.version for entry in left if entry.version.status is VersionStatus.HELD]
    # the source shows what is held in place of what holds, which therefore is not gone
    kept = _Seen(seen.checked, seen.kept | {each.origin for each in waiting})
    return without_gone(left, closed_on, kept.has, today)


def _is_left(entry: Entry, seen: _Seen) -> bool:
    """Whether it was held for review, and its source shows it no more."""
    return entry.version.status is VersionStatus.HELD and not entry.is_new and not seen.has(entry.version)


def _kind(
    history: Sequence[DocumentVersion], new: Sequence[DocumentVersion], updates: Sequence[VersionUpdate]
) -> PlanKind:
    before = {version.doc_id: version for version in history}
    touched = [before[each.doc_id] for each in updates if each.doc_id in before]
    if all(each.status is VersionStatus.HELD for each in [*new, *touched]):
        return PlanKind.KEPT
    if not history:
        return PlanKind.NEW
    ended = any(each.status == VersionStatus.RETIRED for each in updates)
    return PlanKind.REMOVED if ended and not new else PlanKind.CHANGED
