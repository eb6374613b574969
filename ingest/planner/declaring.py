"""One document says that it replaces another one."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from ingest.planner.history import Histories, in_force_by, order
from ingest.planner.shapes import Entry, Remark
from rag_core.documents import DocumentVersion


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
