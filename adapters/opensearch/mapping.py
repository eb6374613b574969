"""What an index holds, and how it says which code and which model wrote it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from adapters.opensearch.analysis import ANALYZER, analysis
from adapters.opensearch.settings import OpenSearchSettings

SCHEMA = 2
"""Raised whenever an index changes its shape or what is written into it: then it must be rebuilt."""

M = 16
EF_CONSTRUCTION = 100
"""The graph of vectors. On 20,000 chunks, of the true 100 nearest .987 were found without a filter and all with one
that keeps a fifth; a search of 256 while building found .995 without a filter, and took 2.7 times as long to build."""

FIELDS = {
    "audience": "audience",
    "group": "groups",
    "source": "policy_source",
    "type": "content_type",
    "region": "regions",
    "excluded": "regions_excluded",
    "section": "sections",
    "label": "labels",
}
"""Kind of facet (`rag_core.retrieval.facets`) -> the field that holds its values."""

COPY = "passage"
"""The stored passage of a public document."""

_ALIVE_AT = "alive_at"
_LONGEST_KEYWORD = 512


@dataclass(frozen=True, slots=True)
class Shape:
    """What must be equal for an index to be ours to search and write."""

    model: str
    dimensions: int
    schema: int = SCHEMA

    def meta(self, alive_at: datetime) -> dict[str, Any]:
        """The `_meta` of an index; `alive_at` is when its writer was last at it."""
        return {
            "schema": self.schema,
            "model": self.model,
            "dimensions": self.dimensions,
            _ALIVE_AT: alive_at.isoformat(),
        }

    def is_of(self, meta: dict[str, Any]) -> bool:
        """Whether an index with this `_meta` has this shape."""
        return (meta.get("schema"), meta.get("model"), meta.get("dimensions")) == (
            self.schema,
            self.model,
            self.dimensions,
        )


def alive_at(meta: dict[str, Any]) -> datetime | None:
    """When the writer of the index was last at it; None if it does not say."""
    try:
        return datetime.fromisoformat(str(meta.get(_ALIVE_AT)))
    except ValueError:
        return None


def index_body(settings: OpenSearchSettings, shape: Shape, now: datetime) -> dict[str, Any]:
    """A new index, ready to be loaded: it is never refreshed by itself and has no copies yet.

    It stays without refreshes of its own: what a commit writes becomes visible all at once, by the commit's refresh.
    """
    return {
        "settings": {
            "index": {
                "number_of_shards": settings.shards,
                "number_of_replicas": 0,
                "refresh_interval": "-1",
                "knn": True,
            },
            "analysis": analysis(),
        },
        "mappings": {
            "dynamic": "strict",
            "_meta": shape.meta(now),
            # Nothing else: of restricted documents no text is kept that could be read
            "_source": {"includes": ["doc_id", COPY]},
            "properties": _properties(shape),
        },
    }


def copies(settings: OpenSearchSettings) -> dict[str, Any]:
    """The settings that give a loaded index its copies."""
    if settings.replicas is None:
        return {"index": {"auto_expand_replicas": "0-1"}}
    return {"index": {"number_of_replicas": settings.replicas}}


def _properties(shape: Shape) -> dict[str, Any]:
    words = {"type": "text", "analyzer": ANALYZER}
    value = {"type": "keyword"}
    facet = {"type": "keyword", "doc_values": False}
    return {
        "chunk_id": value,
        "doc_id": value,
        "chunk_index": {"type": "integer"},
        "fingerprint": {"type": "keyword", "index": False},
        "level": {"type": "short", "index": False},
        "text": words,
        "heading": words,
        "rule": {"type": "keyword", "doc_values": False, "ignore_above": _LONGEST_KEYWORD},
        "effective_from": {"type": "date", "format": "strict_date"},
        "effective_to": {"type": "date", "format": "strict_date"},
        **dict.fromkeys(FIELDS.values(), facet),
        "vector": {
            "type": "knn_vector",
            "dimension": shape.dimensions,
            "method": {
                "name": "hnsw",
                "engine": "lucene",  # the default engine needs a native library, which not every cluster has
                "space_type": "cosinesimil",  # its scores rise evenly with the cosine, below 0 too
                "parameters": {"m": M, "ef_construction": EF_CONSTRUCTION},
            },
        },
        COPY: {"type": "object", "enabled": False},
    }
