"""Changes as rows, and back. `details`: {"sections": [...]}, each as `rag_core.changes.section_json` writes it."""

from collections.abc import Sequence
from typing import Any

from rag_core.changes import ChangeKind, PolicyChange, SectionChange, section_from, section_json
from rag_core.documents import DocumentVersion


def details_of(sections: Sequence[SectionChange]) -> dict[str, Any]:
    """The sections as plain JSON values."""
    return {"sections": [section_json(section) for section in sections]}


def change_from(row: Sequence[Any], version: DocumentVersion, *, hides_previous: bool) -> PolicyChange:
    """A change from (change_id, kind, previous_doc_id, changed_on, details) and the version it is about.

    With `hides_previous` the version before is none for this reader: what differs from it would tell what it said.
    """
    change_id, kind, previous_doc_id, changed_on, details = row
    kind = ChangeKind(kind)
    if hides_previous:
        kind, previous_doc_id, details = ChangeKind.ADDED, None, details_of(())
    return PolicyChange(
        kind=kind,
        document_id=version.document_id,
        policy_source=version.policy_source,
        doc_id=version.doc_id,
        previous_doc_id=previous_doc_id,
        changed_on=changed_on,
        sections=tuple(section_from(each) for each in details["sections"]),
        title=version.title,
        change_id=change_id,
    )
