"""Passages, documents and versions as JSON."""

from collections.abc import Sequence
from datetime import date

from bot.model.links import Links
from rag_core.answering.refusals import section_of
from rag_core.documents import DocumentVersion, Passage


def passage_json(passage: Passage, links: Links) -> dict[str, object]:
    """A chunk with what is needed to show and cite it."""
    chunk, version = passage.chunk, passage.version
    return {
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "document_id": version.document_id,
        "chunk_index": chunk.chunk_index,
        "policy_source": chunk.policy_source,
        "title": version.title,
        "url": links.nearest(section_of(passage)),
        "policy_section": chunk.policy_section,
        "policy_section_level": chunk.policy_section_level,
        "policy_path": chunk.policy_path,
        "chunk_text": chunk.chunk_text,
        "lead_in": chunk.lead_in,
        "regions": list(chunk.regions),
        "regions_excluded": list(chunk.regions_excluded),
        "regions_mentioned": list(chunk.regions_mentioned),
        "content_type": chunk.content_type.value,
        "rule_number": chunk.rule_number,
        "page": chunk.page,
        "char_start": chunk.char_start,
        "char_end": chunk.char_end,
        "effective_from": chunk.effective_from.isoformat(),
        "effective_to": _day(chunk.effective_to),
        "content_hash": chunk.content_hash,
    }


def version_json(version: DocumentVersion, today: date) -> dict[str, object]:
    """A version; `in_force` is whether it holds today."""
    return {
        "doc_id": version.doc_id,
        "document_id": version.document_id,
        "policy_source": version.policy_source,
        "title": version.title,
        "url": version.url,
        "mime_type": version.mime_type,
        "sha256": version.sha256,
        "size": version.size,
        "pages": version.pages,
        "chunks": version.chunk_count,
        "status": version.status.value,
        "supersedes": version.supersedes,
        "effective_from": version.effective_from.isoformat(),
        "effective_to": _day(version.effective_to),
        "date_stated": version.date_stated,
        "in_force": version.holds_on(today),
        "seen_at": version.seen_at.isoformat(),
        "checked_at": version.checked_at.isoformat(),
        "classification": version.classification.value,
        "labels": dict(version.labels),
    }


def document_json(versions: Sequence[DocumentVersion], today: date) -> dict[str, object]:
    """A document from all its versions, oldest first: titled by the one in force today, else by the last."""
    in_force = next((version for version in reversed(versions) if version.holds_on(today)), None)
    shown = in_force or versions[-1]
    return {
        "document_id": shown.document_id,
        "policy_source": shown.policy_source,
        "title": shown.title,
        "url": shown.url,
        "labels": dict(shown.labels),
        "doc_id": in_force.doc_id if in_force else None,
        "effective_from": shown.effective_from.isoformat(),
        "effective_to": _day(shown.effective_to),
        "versions": len(versions),
    }


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None
