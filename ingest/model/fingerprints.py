"""All that an index knows of a chunk, as one short value: equal on both sides, or the index is behind."""

import hashlib
import json

from rag_core.documents import Passage

_HEX_DIGITS = 32


def fingerprint(passage: Passage) -> str:
    """32 hexadecimal digits over the chunk's content and everything that filters look at."""
    chunk, version = passage.chunk, passage.version
    facts = [
        chunk.content_hash,
        chunk.doc_id,
        chunk.chunk_index,
        chunk.policy_source,
        chunk.policy_section,
        chunk.policy_section_level,
        chunk.policy_path,
        chunk.rule_number,
        sorted(chunk.regions),
        sorted(chunk.regions_excluded),
        str(chunk.content_type),
        chunk.effective_from.isoformat(),
        chunk.effective_to.isoformat() if chunk.effective_to else None,
        str(version.status),
        str(version.classification),
        sorted(version.allowed_groups),
        sorted(version.labels.items()),
    ]
    if version.open_start:
        facts.append("open start")
    return hashlib.sha256(json.dumps(facts, ensure_ascii=False).encode()).hexdigest()[:_HEX_DIGITS]
