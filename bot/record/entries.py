"""Entries of the record, and how each is chained to the one before it."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from bot.record.canonical import canonical
from bot.record.personal import PersonalFields, salted

FORMAT = 1
BEGINNING = "0" * 64
"""The hash before the first record of a chain."""

INSTALLATION = "installation"
"""The chain of what belongs to no workspace: documents that came in, settings, what operators did."""


class RecordKind(StrEnum):
    QUESTION = "question"
    ANSWER = "answer"
    REFUSAL = "refusal"
    CLARIFICATION = "clarification"
    FEEDBACK = "feedback"
    SETTINGS = "settings"
    INGEST = "ingest"
    ADMINISTRATION = "administration"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """What is to be recorded. `record_id` makes recording it again harmless; `workspace` names the chain; `subject` is
    what it is about (an answer's id, a document's), `origin` where it came from ("slack", "rest", "ingest" ...).

    `facts`: plain JSON values that stay for good. `personal`: text that tells of a person; it can be forgotten.
    `personal["person"]` is who it was.
    """

    record_id: str
    kind: RecordKind
    workspace: str
    at: datetime
    subject: str
    origin: str
    facts: Mapping[str, object] = field(default_factory=dict)
    personal: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DraftedRecord:
    """An entry as canonical bytes, but for its place: `before`, the hash of the record before it, `between`, its
    sequence, `after`. The personal fields stay beside it."""

    entry: AuditEntry
    before: bytes
    between: bytes
    after: bytes
    personal: PersonalFields

    def at(self, sequence: int, previous: str) -> bytes:
        """The canonical bytes of record `sequence` behind the record with the hash `previous`."""
        return b"".join((self.before, previous.encode(), self.between, str(sequence).encode(), self.after))


@dataclass(frozen=True, slots=True)
class SealedRecord:
    """An entry in its place: the canonical bytes, their SHA-256, and the personal fields, which stay beside it."""

    entry: AuditEntry
    sequence: int
    canonical: bytes
    hash: str
    personal: PersonalFields


def draft(entry: AuditEntry, new_salt: Callable[[], str]) -> DraftedRecord:
    """Raises Rejected("record_not_storable")."""
    hashes, personal = salted(entry.personal, new_salt)
    body = {
        "format": FORMAT,
        "chain": entry.workspace,
        "record_id": entry.record_id,
        "kind": entry.kind.value,
        "at": moment(entry.at),
        "subject": entry.subject,
        "origin": entry.origin,
        "facts": entry.facts,
        "personal": hashes,
    }
    names = sorted([*body, "previous", "sequence"])
    until_previous, until_sequence = names.index("previous"), names.index("sequence")
    pieces = [names[:until_previous], names[until_previous + 1 : until_sequence], names[until_sequence + 1 :]]
    before, between, after = (_members(body, names) for names in pieces)
    return DraftedRecord(
        entry,
        b'{%b,"previous":"' % before,
        b'",%b,"sequence":' % between,
        b",%b}" % after,
        personal,
    )


def _members(body: Mapping[str, object], names: Iterable[str]) -> bytes:
    """Members of a canonical object, without its brackets."""
    return canonical({name: body[name] for name in names})[1:-1]


def seal(entry: AuditEntry, sequence: int, previous: str, new_salt: Callable[[], str]) -> SealedRecord:
    """The entry as record `sequence` (from 1) of its chain, behind the record with the hash `previous`.

    Raises Rejected("record_not_storable").
    """
    return sealed(draft(entry, new_salt), sequence, previous)


def sealed(drafted: DraftedRecord, sequence: int, previous: str) -> SealedRecord:
    text = drafted.at(sequence, previous)
    return SealedRecord(drafted.entry, sequence, text, digest(text), drafted.personal)


def digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def moment(at: datetime) -> str:
    """As records write moments: UTC, ISO 8601."""
    return at.astimezone(UTC).isoformat()


def body_of(text: bytes) -> dict[str, Any]:
    """What canonical bytes say. Raises ValueError for what is no JSON object."""
    body = json.loads(text)
    if not isinstance(body, dict):
        raise ValueError("a record is a JSON object")
    return body
