"""What OpenSearch found, in the order that every index keeps to."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from adapters.opensearch.queries import COSINE, cosine_of
from rag_core.retrieval.fusion import Fusion, fuse

_DIGITS = 6
"""Scores are compared to this many decimals."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk with its score, the level of its section, and its cosine where there was a vector."""

    chunk_id: str
    score: float
    level: int
    cosine: float | None = None


def hits_of(answer: Any) -> list[Hit]:
    """The hits of a search, as they came."""
    return [_hit(each) for each in answer["hits"]["hits"]]


def ordered(hits: Sequence[Hit]) -> list[Hit]:
    """Best first; ties: the deeper section, then the smaller id."""
    rounded = [replace(hit, score=round(hit.score, _DIGITS)) for hit in hits]
    return sorted(rounded, key=lambda hit: (-hit.score, -hit.level, hit.chunk_id))


def settled(hits: Sequence[Hit], limit: int, wanted: int) -> bool:
    """Whether no hit beyond the `wanted` first, which these are, can tie with one within the limit."""
    return len(hits) < wanted or round(hits[-1].score, _DIGITS) < round(hits[limit - 1].score, _DIGITS)


def fused(keyword: Sequence[Hit] | None, vector: Sequence[Hit] | None, fusion: Fusion) -> list[Hit]:
    """Legs that were searched one by one, as one list with scores in [0, 1]; None: not searched."""
    by_id = {hit.chunk_id: hit for leg in (keyword, vector) for hit in leg or ()}
    legs = [None if leg is None else [(hit.chunk_id, hit.score) for hit in ordered(leg)] for leg in (keyword, vector)]
    scored = fuse(legs[0], legs[1], fusion)
    return ordered([replace(by_id[chunk_id], score=score) for chunk_id, score in scored])


def _hit(found: Any) -> Hit:
    fields = found["fields"]
    near = found.get("matched_queries")
    cosine = cosine_of(near[COSINE]) if isinstance(near, dict) and COSINE in near else None
    return Hit(fields["chunk_id"][0], float(found["_score"]), int(fields["level"][0]), cosine)
