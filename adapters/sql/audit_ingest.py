"""Documents that came in or changed their standing, as an entry of the record."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from bot.jsonable import jsonable
from bot.record.entries import INSTALLATION, AuditEntry, RecordKind
from ingest.ports import VersionUpdate, VersionWrite

_OF_VERSION = (
    "doc_id",
    "document_id",
    "policy_source",
    "sha256",
    "pipeline",
    "status",
    "effective_from",
    "effective_to",
    "supersedes",
    "classification",
    "allowed_groups",
)


def ingest_entry(writes: Sequence[VersionWrite], updates: Sequence[VersionUpdate], at: datetime) -> AuditEntry:
    """What one saving wrote: the versions, with the hashes of the bytes they came from, and how others changed."""
    documents = {write.version.document_id for write in writes}
    facts = {"versions": [_version(each) for each in writes], "updates": jsonable(updates)}
    subject = documents.pop() if len(documents) == 1 else ""
    return AuditEntry(str(uuid.uuid4()), RecordKind.INGEST, INSTALLATION, at, subject, "ingest", facts)


def _version(write: VersionWrite) -> dict[str, Any]:
    values = {name: jsonable(getattr(write.version, name)) for name in _OF_VERSION}
    return {**values, "source_id": write.source_id, "chunks": len(write.chunks)}
