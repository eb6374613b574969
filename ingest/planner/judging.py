"""Which new versions are held for review. Hindsight decides where what followed is known."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from ingest.planner.history import order
from ingest.planner.shapes import Entry
from ingest.planner.suspicion import Profile, doubt
from rag_core.documents import DocumentVersion, VersionStatus


@dataclass(frozen=True, slots=True)
class Standard:
    """What a document's new versions are measured by: what holds now, and the share of its text that it may lose.

    Without `live` the first new version is the standard of those that follow it.
    """

    live: DocumentVersion | None
    profile: Profile | None
    share: float


def judged(new: Sequence[Entry], standard: Standard) -> list[Entry]:
    """The same entries, those that look like an accident with the status HELD and a `doubt`.

    One that is followed by another which no more looks like what was there before was meant so by its source.
    """
    turns = _turns(new, standard.live)
    before = standard.profile
    content = standard.live.sha256 if standard.live is not None else None
    held: dict[str, Entry] = {}
    for at, entry in enumerate(turns):
        profile = _profile(entry)
        why = None
        if before is not None and profile is not None and entry.version.sha256 != content:
            why = doubt(before, profile, standard.share)
        following = _profile(turns[at + 1]) if at + 1 < len(turns) else None
        kept = before is not None and following is not None and doubt(before, following, standard.share) is not None
        if why is not None and not kept:
            version = replace(entry.version, status=VersionStatus.HELD)
            held[entry.version.doc_id] = replace(entry, version=version, doubt=why)
        else:
            before, content = profile or before, entry.version.sha256
    return [held.get(entry.version.doc_id, entry) for entry in new]


def _turns(new: Sequence[Entry], live: DocumentVersion | None) -> list[Entry]:
    """Those that are to hold, in order: the last of each day, and none from before what holds now."""
    last: dict[date, Entry] = {}
    for entry in sorted(new, key=lambda each: order(each.version)):
        is_older = live is not None and entry.version.effective_from < live.effective_from
        if not entry.replaced and not is_older:
            last[entry.version.effective_from] = entry
    return list(last.values())


def _profile(entry: Entry) -> Profile | None:
    return entry.arrival.profile if entry.arrival is not None else None
