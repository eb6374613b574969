"""What planning takes and gives."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from ingest.planner.suspicion import Doubt, Profile
from ingest.ports import VersionUpdate
from rag_core.documents import DocumentVersion


class PlanKind(StrEnum):
    """`KEPT`: something is written, but what holds stays as it was (a version is held for review)."""

    NEW = "new"
    CHANGED = "changed"
    KEPT = "kept"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A document as read now: `version` is complete but for doc_id, bounds, status and `supersedes`.

    `stated`: the day from which it holds, where the document or its file name says so; else it holds from the day
    on which it was first seen. `is_soft`: that day was found in the text, where a publisher forgets to change it.
    `ends`: the day from which it holds no more, where that is stated. `supersedes`: the documents (document_id or
    doc_id) that it says it replaces. `profile`: None where it is not to be compared with what was there before.
    """

    version: DocumentVersion
    stated: date | None
    is_soft: bool = False
    ends: date | None = None
    supersedes: tuple[str, ...] = ()
    profile: Profile | None = None

    @property
    def firm(self) -> date | None:
        """The stated day, if it can be relied on."""
        return None if self.is_soft else self.stated


@dataclass(frozen=True, slots=True)
class DocumentPlan:
    """What to write for one document, in one transaction. `new`: complete, but for the number of chunks."""

    document_id: str
    kind: PlanKind
    new: tuple[DocumentVersion, ...]
    updates: tuple[VersionUpdate, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """Other content for the day of a stored version of the same file: `doc_id` is that version's."""

    origin: str
    document_id: str
    doc_id: str


@dataclass(frozen=True, slots=True)
class Remark:
    """What a person should know of a document, as `ingest.model.report.Note`."""

    origin: str
    code: str
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """`checked`: doc_ids of stored versions that the source still holds as they are."""

    documents: tuple[DocumentPlan, ...]
    checked: frozenset[str]
    refused: tuple[Refused, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A version in the history of its document. `replaced`: it holds for no day any more.

    `ends` and `declares`: see `Arrival`; `link`: the version of another document that it supersedes.
    """

    version: DocumentVersion
    arrival: Arrival | None = None
    replaced: bool = False
    ends: date | None = None
    doubt: Doubt | None = None
    link: str | None = None

    @property
    def is_new(self) -> bool:
        return self.arrival is not None

    @property
    def declares(self) -> tuple[str, ...]:
        return self.arrival.supersedes if self.arrival is not None else ()
