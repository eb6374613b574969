"""A chunk as a document of the index, and a copy of it back as a passage."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from adapters.opensearch.mapping import COPY, FIELDS
from ingest.model.fingerprints import fingerprint
from ingest.ports import IndexEntry
from rag_core.documents import SHOWN_STATUSES, Classification, Passage, chunk_checksum, unlinked
from rag_core.ports import Vector
from rag_core.retrieval.facets import days_of, facets_of
from rag_core.retrieval.found import encodable, rule_key

_PASSAGE = TypeAdapter(Passage)
_DIGITS = 8
"""Decimals of a vector's numbers as they are sent: half the bytes, and cosines are the same to seven."""


def document(entry: IndexEntry) -> dict[str, Any]:
    """All that the index learns of a chunk; what it is found by is not kept in `_source`."""
    passage = entry.passage
    chunk = passage.chunk
    found: dict[str, Any] = {
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "chunk_index": chunk.chunk_index,
        "fingerprint": fingerprint(passage),
        "level": chunk.policy_section_level,
        "text": encodable(chunk.search_text),
        "heading": encodable(chunk.policy_path),
        "effective_from": date.fromordinal(days_of(passage)[0]).isoformat(),
        "vector": numbers(entry.vector),
        **_facet_fields(passage),
    }
    if chunk.effective_to is not None:
        found["effective_to"] = chunk.effective_to.isoformat()
    if chunk.rule_number:
        found["rule"] = rule_key(chunk.rule_number)
    if passage.version.classification is Classification.PUBLIC:
        checksum = passage.checksum or chunk_checksum(chunk)  # the store's: what was changed there stays found out
        found[COPY] = _PASSAGE.dump_python(replace(passage, checksum=checksum), mode="json")
    return found


def lines_of(entries: Sequence[IndexEntry]) -> list[tuple[str, str, bytes]]:
    """(doc_id, chunk_id, the two lines of a bulk request) of each entry."""
    return [
        (
            entry.passage.chunk.doc_id,
            entry.passage.chunk.chunk_id,
            _line({"index": {"_id": entry.passage.chunk.chunk_id}}) + _line(document(entry)),
        )
        for entry in entries
    ]


def removal(chunk_id: str) -> bytes:
    """The line of a bulk request that removes a chunk."""
    return _line({"delete": {"_id": chunk_id}})


def numbers(vector: Vector) -> list[float]:
    """A vector at unit length, whatever the caller's arithmetic left of it, as it is sent."""
    length = float(np.linalg.norm(vector))
    unit = vector.astype(np.float64) / (length if length > 0 else 1.0)
    rounded: list[float] = np.round(unit, _DIGITS).tolist()
    return rounded


def copied(source: dict[str, Any], day: date | None = None) -> Passage | None:
    """The passage that a `_source` keeps, checked again; None where it keeps none that may be shown (on `day`).

    Raises ValueError for a copy that this code cannot read.
    """
    kept = source.get(COPY)
    if kept is None:
        return None
    passage = _PASSAGE.validate_python(kept)
    if passage.checksum is None:
        raise ValueError("a copy without a checksum")
    version = passage.version
    if version.classification is not Classification.PUBLIC or version.status not in SHOWN_STATUSES:
        return None
    return unlinked(passage) if day is None or (_holds(passage, day) and version.holds_on(day)) else None


def _holds(passage: Passage, day: date) -> bool:
    first, end = days_of(passage)
    return first <= day.toordinal() < end


def _facet_fields(passage: Passage) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for facet in sorted(facets_of(passage)):
        kind, _, value = facet.partition(":")
        fields.setdefault(FIELDS[kind], []).append(value)
    return fields


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
