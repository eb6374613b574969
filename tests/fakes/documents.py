"""Builders of documents for tests: small, valid, and with offsets that are really those of the text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any

from ingest.ports import IndexEntry, VersionWrite
from rag_core.documents import (
    ContentType,
    DocumentVersion,
    Passage,
    PolicyChunk,
    PolicySource,
    VersionStatus,
    chunk_id,
    content_hash,
)
from rag_core.ports import Vector

SEEN_AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ACME = PolicySource("acme", "Acme Ads", ("Acme", "Acme Social"))


@dataclass(frozen=True, slots=True)
class Section:
    """A section to be written into a document: one heading, one body in the normal form of `rag_core.layout`."""

    heading: str
    body: str
    regions: tuple[str, ...] = ("global",)
    content_type: ContentType = ContentType.GENERAL
    excluded: tuple[str, ...] = ()
    level: int = 2


SECTIONS = (
    Section("Alcohol", "Advertisements for alcohol must not be addressed to minors."),
    Section("United Kingdom", "In the United Kingdom, alcohol ads may be shown to adults only.", ("uk",)),
    Section("Germany", "In Germany, alcohol ads are not allowed before films for children.", ("de",)),
)


def make_version(
    document_id: str = "acme_alcohol", effective_from: date = date(2026, 1, 1), **changes: Any
) -> DocumentVersion:
    """A live public version without an end; `changes` are further fields of DocumentVersion."""
    fields: dict[str, Any] = {
        "doc_id": f"{document_id}_{effective_from.isoformat()}",
        "document_id": document_id,
        "policy_source": document_id.partition("_")[0],
        "title": document_id.replace("_", " ").title(),
        "url": f"https://ads.example/{document_id}",
        "mime_type": "text/markdown",
        "size": 1000,
        "origin": f"{document_id}.md",
        "pipeline": "markdown-1/sections-1",
        "status": VersionStatus.LIVE,
        "effective_from": effective_from,
        "effective_to": None,
        "seen_at": SEEN_AT,
        "checked_at": SEEN_AT,
    } | changes
    fields.setdefault("sha256", sha256(fields["doc_id"].encode()).hexdigest())
    return DocumentVersion(**fields)


def make_write(
    version: DocumentVersion | None = None,
    sections: Sequence[Section] = SECTIONS,
    source_id: str = "acme-folder",
    **changes: Any,
) -> VersionWrite:
    """`version` (or one made from `changes`) with its text and one chunk a section."""
    version = version or make_version(**changes)
    text, chunks = "", []
    for index, section in enumerate(sections):
        text += f"{'#' * section.level} {section.heading}\n\n"
        chunks.append(_chunk(version, index, section, len(text)))
        text += f"{section.body}\n\n"
    return VersionWrite(replace(version, chunk_count=len(chunks)), source_id, text, tuple(chunks))


def _chunk(version: DocumentVersion, index: int, section: Section, start: int) -> PolicyChunk:
    path = f"{version.title} > {section.heading}"
    hash_ = content_hash(path, "", section.body)
    return PolicyChunk(
        chunk_id=chunk_id(version.doc_id, index, hash_),
        doc_id=version.doc_id,
        chunk_index=index,
        chunk_text=section.body,
        lead_in="",
        policy_source=version.policy_source,
        policy_section=section.heading,
        policy_section_level=section.level,
        policy_path=path,
        regions=section.regions,
        content_type=section.content_type,
        char_start=start,
        char_end=start + len(section.body),
        effective_from=version.effective_from,
        effective_to=version.effective_to,
        content_hash=hash_,
        created_at=version.seen_at,
        regions_excluded=section.excluded,
        doc_url=version.url,
    )


def passages_of(write: VersionWrite) -> list[Passage]:
    """The passages of a version as a store returns them."""
    return [Passage(chunk, write.version) for chunk in write.chunks]


def entries_of(write: VersionWrite, vectors: Sequence[Vector]) -> list[IndexEntry]:
    """The passages of a version with a vector each, as an index takes them."""
    return [IndexEntry(passage, vector) for passage, vector in zip(passages_of(write), vectors, strict=True)]
