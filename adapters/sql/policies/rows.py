"""Versions and chunks as rows, and back. Columns are named as the fields of the dataclasses."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import Select, and_, or_, select

from adapters.sql.database.types import storable_json
from adapters.sql.tables.policies import chunks, versions
from rag_core.documents import (
    SHOWN_STATUSES,
    Classification,
    ContentType,
    DocumentVersion,
    Passage,
    PolicyChunk,
    VersionStatus,
    chunk_checksum,
)
from rag_core.regions import normalise

_VERSION_FIELDS = tuple(field.name for field in fields(DocumentVersion))
_CHUNK_FIELDS = tuple(field.name for field in fields(PolicyChunk))
_REGION_LISTS = ("regions", "regions_excluded", "regions_mentioned")

VERSION_COLUMNS = tuple(versions.c[name] for name in _VERSION_FIELDS)
VERSION_ORDER = (versions.c.document_id, versions.c.effective_from, versions.c.doc_id)

SHOWN = and_(
    versions.c.status.in_(sorted(SHOWN_STATUSES)),
    or_(versions.c.effective_to.is_(None), versions.c.effective_to > versions.c.effective_from),
)
"""Versions that hold on some day: what was replaced outright holds on none."""


def select_passages() -> Select[Any]:
    """Chunks with their versions, one row each, for `passages_from`."""
    columns = (*(chunks.c[name] for name in _CHUNK_FIELDS), chunks.c.checksum, *VERSION_COLUMNS)
    return select(*columns).join_from(chunks, versions, chunks.c.doc_id == versions.c.doc_id)


def passages_from(rows: Iterable[Sequence[Any]]) -> list[Passage]:
    """The passages of `rows` of `select_passages`, in their order; equal versions are one object."""
    width, known, found = len(_CHUNK_FIELDS), dict[str, DocumentVersion](), []
    for row in rows:
        chunk = chunk_from(row[:width])
        version = known.get(chunk.doc_id)
        if version is None:
            version = known[chunk.doc_id] = version_from(row[width + 1 :])
        found.append(Passage(chunk, version, row[width]))
    return found


def version_from(row: Sequence[Any]) -> DocumentVersion:
    """A version from its row of VERSION_COLUMNS."""
    values = dict(zip(_VERSION_FIELDS, row, strict=True))
    values["status"] = VersionStatus(values["status"])
    values["classification"] = Classification(values["classification"])
    values["allowed_groups"] = frozenset(values["allowed_groups"])
    return DocumentVersion(**values)


def chunk_from(row: Sequence[Any]) -> PolicyChunk:
    """A chunk from its row, columns in the order of the fields."""
    values = dict(zip(_CHUNK_FIELDS, row, strict=True))
    values["content_type"] = ContentType(values["content_type"])
    for name in (*_REGION_LISTS, "refers_to"):
        values[name] = tuple(values[name])
    return PolicyChunk(**values)


def version_row(version: DocumentVersion) -> dict[str, Any]:
    values = {name: getattr(version, name) for name in _VERSION_FIELDS}
    return values | {"allowed_groups": sorted(version.allowed_groups), "labels": dict(version.labels)}


def chunk_row(chunk: PolicyChunk) -> dict[str, Any]:
    """The row of a chunk, with the checksum of what will be read again.

    Raises Rejected("unknown_region") for a region that is none.
    """
    values = {name: getattr(chunk, name) for name in _CHUNK_FIELDS} | {"refers_to": list(chunk.refers_to)}
    values |= {name: [normalise(code) for code in values[name]] for name in _REGION_LISTS}
    stored = chunk_from([storable_json(values[name]) for name in _CHUNK_FIELDS])
    return values | {"checksum": chunk_checksum(stored)}
