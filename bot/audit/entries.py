"""Audit entries: canonical JSON (RFC 8785), personal fields apart, and the hash chain."""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import rfc8785

from rag_core.errors import Rejected

_MOST_INTEGER = 2**53 - 1
"""RFC 8785 counts as JavaScript does: beyond that, two integers may read the same."""


def canonical(value: object) -> bytes:
    """The canonical bytes of plain JSON values (see `bot.model.jsonable`); they hold no line break.

    Integers that JavaScript cannot tell apart become text, numbers that JSON has no word for null. Raises
    Rejected("record_not_storable") for what is no JSON, and for text that is no Unicode.
    """
    try:
        return rfc8785.dumps(_plain(value))
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as exc:
        raise Rejected("record_not_storable") from exc


def _plain(value: Any) -> Any:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _MOST_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    raise Rejected("record_not_storable")


PERSON = "person"
"""The field that says who it was; by it, records of a person are found to be forgotten."""


@dataclass(frozen=True, slots=True)
class PersonalValue:
    """`salt`: 16 random bytes, in hexadecimal."""

    salt: str
    value: str


PersonalFields = Mapping[str, PersonalValue]


def salted(fields: Mapping[str, str], new_salt: Callable[[], str]) -> tuple[dict[str, str], dict[str, PersonalValue]]:
    """The hashes for the record, and what is to be kept beside it."""
    kept = {name: PersonalValue(new_salt(), value) for name, value in fields.items()}
    return {name: personal_hash(each) for name, each in kept.items()}, kept


def personal_hash(field: PersonalValue) -> str:
    """SHA-256 (hex) over the salt's bytes and the value in UTF-8. Raises ValueError for a salt that is none."""
    return hashlib.sha256(bytes.fromhex(field.salt) + field.value.encode("utf-8", "surrogatepass")).hexdigest()


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


def administration(
    record_id: str,
    act: str,
    at: datetime,
    *,
    person: str = "",
    target: str = "",
    facts: Mapping[str, object] | None = None,
    reason: str = "",
    workspace: str = INSTALLATION,
    origin: str = "ops",
) -> AuditEntry:
    """Somebody did `act` ("remove", "forget" ...) to `target`. `person` and `reason` can be forgotten. `origin`: the
    platform, where it was done in a chat."""
    personal = {name: value for name, value in ((PERSON, person), ("reason", reason)) if value}
    told = {"act": act, **(facts or {})}
    return AuditEntry(record_id, RecordKind.ADMINISTRATION, workspace, at, target, origin, told, personal)


def settings_changed(
    record_id: str, at: datetime, origin: str, before: Mapping[str, object], after: Mapping[str, object]
) -> AuditEntry:
    """All settings as they are now, with the names of those that are different. No secret may be among the values."""
    changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    facts = {"settings": dict(after), "changed": changed}
    return AuditEntry(record_id, RecordKind.SETTINGS, INSTALLATION, at, "settings", origin, facts)


def channel_settings_changed(
    record_id: str,
    at: datetime,
    platform: str,
    workspace: str,
    channel: str,
    before: Mapping[str, object],
    after: Mapping[str, object],
    by: str,
) -> AuditEntry:
    """Somebody set what holds in a channel. The facts name values of settings and ids of channels only."""
    changed = sorted(name for name in after if before.get(name) != after[name])
    facts = {"act": "channel_settings", "settings": dict(after), "before": dict(before), "changed": changed}
    subject = f"{platform}:{workspace}/{channel}"
    return AuditEntry(record_id, RecordKind.ADMINISTRATION, workspace, at, subject, platform, facts, {PERSON: by})
