"""What somebody removed stays out, although its source still has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.looking import Found
from ingest.ports import Removal, RemovalKind
from ingest.report import IngestReport, Note


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
