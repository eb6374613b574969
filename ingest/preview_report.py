"""A preview for a terminal, and for a program."""

import json
from collections.abc import Iterator
from typing import Any

from ingest import wording_preview as wording
from ingest.preview import Preview, PreviewedChunk
from ingest.rules.report import rule_json, rule_line
from ingest.rules.wording import by_words_alone


def preview_text(found: Preview) -> str:
    """The document, its outline and its chunks, as text."""
    return "\n".join([*_head(found), "", *_outline(found), *(line for each in found.chunks for line in _chunk(each))])


def _head(found: Preview) -> Iterator[str]:
    version = found.version
    yield wording.title(version.title, version.document_id)
    yield wording.day(version.effective_from.isoformat() if found.stated else None)
    yield wording.kind(version.mime_type, version.pages, found.chunker, found.detected)
    yield wording.of_source(found.source_id)
    yield from (wording.parse_warning(each.code, each.details) for each in found.warnings)
    if (problem := found.rules_not_read) is not None:
        yield by_words_alone(problem.code, problem.details)


def _outline(found: Preview) -> Iterator[str]:
    if not any(each.level for each in found.outline):
        yield wording.no_outline(len(found.chunks))
        return
    yield wording.OUTLINE
    for each in found.outline:
        yield (
            wording.heading(each.level, each.text, each.chunks) if each.level else wording.before_headings(each.chunks)
        )


def _chunk(found: PreviewedChunk) -> Iterator[str]:
    chunk = found.chunk
    yield ""
    yield wording.chunk(chunk.chunk_index, found.tokens, chunk.policy_path)
    places = (chunk.regions, chunk.regions_excluded, chunk.regions_mentioned)
    yield wording.regions(*places, doubt=chunk.region_doubt)
    yield wording.place(chunk.page, chunk.rule_number, chunk.anchor, chunk.content_type, is_atomic=chunk.is_atomic)
    yield wording.label(chunk.summary)
    if found.warning:
        yield wording.chunk_warning(found.warning)
    yield from (wording.reference(words, targets) for words, targets in found.references)
    if chunk.lead_in:
        yield wording.LEAD_IN
        yield chunk.lead_in
    yield chunk.chunk_text
    if found.rules:
        yield wording.RULES
        yield from (rule_line(each, with_id=False) for each in found.rules)


def preview_json(found: Preview) -> str:
    """The same as JSON."""
    version = found.version
    shape = {
        "document_id": version.document_id,
        "title": version.title,
        "mime_type": version.mime_type,
        "url": version.url,
        "pages": version.pages,
        "effective_from": version.effective_from.isoformat() if found.stated else None,
        "source_id": found.source_id,
        "policy_source": version.policy_source,
        "labels": dict(version.labels),
        "classification": version.classification,
        "chunker": found.detected or found.chunker,
        "warnings": [{"code": each.code, "details": dict(each.details)} for each in found.warnings],
        "rules_not_read": found.rules_not_read.code if found.rules_not_read else None,
        "outline": [{"level": each.level, "text": each.text, "chunks": each.chunks} for each in found.outline],
        "chunks": [_chunk_json(each) for each in found.chunks],
    }
    return json.dumps(shape, ensure_ascii=False, indent=2, default=str)


def _chunk_json(found: PreviewedChunk) -> dict[str, Any]:
    chunk = found.chunk
    return {
        "chunk_index": chunk.chunk_index,
        "policy_path": chunk.policy_path,
        "policy_section_level": chunk.policy_section_level,
        "tokens": found.tokens,
        "regions": chunk.regions,
        "regions_excluded": chunk.regions_excluded,
        "regions_mentioned": chunk.regions_mentioned,
        "region_doubt": chunk.region_doubt,
        "content_type": chunk.content_type,
        "page": chunk.page,
        "rule_number": chunk.rule_number,
        "anchor": chunk.anchor,
        "char_start": chunk.char_start,
        "char_end": chunk.char_end,
        "is_atomic": chunk.is_atomic,
        "has_cross_reference": chunk.has_cross_reference,
        "references": [{"text": words, "chunks": targets} for words, targets in found.references],
        "warning": found.warning,
        "summary": chunk.summary,
        "lead_in": chunk.lead_in,
        "chunk_text": chunk.chunk_text,
        "rules": [rule_json(each) for each in found.rules],
    }
