"""Hybrid search on OpenSearch: BM25 and a graph of vectors, fused by a search pipeline."""

import asyncio
import zlib
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adapters.opensearch.aliases import LiveIndex
from adapters.opensearch.client import OpenSearchClient
from adapters.opensearch.errors import INDEX_FAILED, INDEX_GONE, NOT_FOUND
from adapters.opensearch.mapping import Shape
from adapters.opensearch.queries import (
    COSINE,
    MOST_HITS,
    Json,
    cosine_of,
    depth_of,
    filter_query,
    hybrid_query,
    vector_query,
    words_query,
)
from rag_core.errors import Misconfigured, Unavailable
from rag_core.ports import IndexHit, IndexQuery, IndexResult, Vector
from rag_core.retrieval.fusion import Fusion, FusionMethod, fuse

_PARTS = 1_000_000
"""Weights are told in millionths."""


def pipeline_name(prefix: str, fusion: Fusion) -> str:
    """Equal for fusions that do the same."""
    weights = "-".join(str(round(weight * _PARTS)) for weight in _weights(fusion))
    method = f"rrf{fusion.rrf_k}" if fusion.method is FusionMethod.RRF else fusion.method.value
    return f"{prefix}-{method}-{weights}"


def pipeline_body(fusion: Fusion) -> dict[str, Any]:
    """The legs are words and vector, in this order."""
    parameters = {"weights": _weights(fusion)}
    if fusion.method is FusionMethod.RRF:
        combination = {"technique": "rrf", "rank_constant": max(1, fusion.rrf_k), "parameters": parameters}
        processor = {"score-ranker-processor": {"combination": combination}}
    else:
        processor = {
            "normalization-processor": {
                "normalization": {"technique": "min_max"},
                "combination": {"technique": "arithmetic_mean", "parameters": parameters},
            }
        }
    return {"phase_results_processors": [processor]}


def in_bounds(score: float, fusion: Fusion) -> float:
    """A fused score in [0, 1]. Reciprocal ranks are small: the first of both legs would get 1 / (k + 1)."""
    if fusion.method is FusionMethod.RRF:
        score *= max(1, fusion.rrf_k) + 1
    return min(max(score, 0.0), 1.0)


def _weights(fusion: Fusion) -> list[float]:
    total = fusion.keyword_weight + fusion.vector_weight
    keyword = round(fusion.keyword_weight / total, 6)
    return [keyword, round(1.0 - keyword, 6)]


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


_NOTHING = IndexResult(())
_MORE = 32
"""Hits beyond the limit, so that ties at its end can be put in order."""
_SWAPS = 3
"""How often a search may meet an index that was just replaced."""
_COPIES = 64
_IN_ORDER: Json = {"sort": [{"_score": "desc"}, {"level": "desc"}, {"chunk_id": "asc"}], "track_scores": True}


class OpenSearchIndex:
    """`rag_core.ports.SearchIndex` over the index that `OpenSearchIndexWriter` writes.

    One round trip for a search. Ranks as `LocalIndex` does, with these limits: hits beyond 10,000 are not given;
    where more chunks than the depth score the same, the engine chooses which of them enter; the vector leg finds
    nearly all of the nearest (HNSW); with several shards the words of each are weighed by themselves. A leg that
    fails is named in `degraded` and the other answers alone.

    Raises Misconfigured("wrong_dimensions", model, expected, got), Unavailable("index_failed", legs),
    Unavailable("index_missing" | "index_outdated" | "index_down" | "index_overloaded"), and what `client` raises,
    which the builder closes.
    """

    def __init__(self, client: OpenSearchClient, *, model: str, dimensions: int, fusion: Fusion | None = None) -> None:
        self._client = client
        self._live = LiveIndex(client, Shape(model, dimensions))
        self._fusion = fusion or Fusion()
        self._pipeline = pipeline_name(client.settings.prefix, self._fusion)

    async def search(self, query: IndexQuery) -> IndexResult:
        """Best first; ties: the more specific (deeper) section, then the smaller chunk id."""
        shape = self._live.shape
        if query.vector is not None and query.vector.shape != (shape.dimensions,):
            got = list(query.vector.shape)
            raise Misconfigured("wrong_dimensions", model=shape.model, expected=shape.dimensions, got=got)
        if query.limit <= 0:
            return _NOTHING
        words = words_query(query.terms)
        vector = query.vector if query.vector is not None and np.isfinite(query.vector).all() else None
        if words is not None and vector is not None:
            found = await self._hybrid(query, words, vector)
            if found is not None:
                return _result(found, query.limit)
        lost = query.vector is not None and vector is None
        return await self._one_by_one(query, words, vector, ["vector"] if lost else [])

    async def aclose(self) -> None:
        """Nothing to let go of: the client belongs to whoever made it."""

    async def _hybrid(self, query: IndexQuery, words: Json, vector: Vector) -> list[Hit] | None:
        """Both legs in one request; None if the cluster cannot do it, although it is there."""
        body = {"query": hybrid_query(words, vector, filter_query(query.filter), depth_of(query))}
        for _ in range(2):
            try:
                found = await self._ask(query, body)
            except Unavailable as exc:
                if exc.code != INDEX_FAILED:
                    raise
                if not await self._made_pipeline():
                    await self._live.existing()  # an index of another shape fails as well, and must not answer
                    return None
            else:
                return ordered([replace(hit, score=in_bounds(hit.score, self._fusion)) for hit in found])
        return None

    async def _one_by_one(
        self, query: IndexQuery, words: Json | None, vector: Vector | None, degraded: list[str]
    ) -> IndexResult:
        """Each leg by itself, fused here: what one fails of does not concern the other."""
        legs: dict[str, Coroutine[Any, Any, list[Hit]]] = {}
        if words is not None:
            legs["keyword"] = self._by_words(query, words)
        if vector is not None:
            legs["vector"] = self._by_meaning(query, vector)
        found: dict[str, list[Hit]] = {}
        failure: Unavailable | None = None
        for name, answer in zip(legs, await asyncio.gather(*legs.values(), return_exceptions=True), strict=True):
            if isinstance(answer, Unavailable) and answer.code == INDEX_FAILED:
                degraded.append(name)
                failure = answer
            elif isinstance(answer, BaseException):
                raise answer
            else:
                found[name] = answer
        if degraded and not found:
            raise Unavailable(INDEX_FAILED, legs=tuple(degraded)) from failure
        return _result(fused(found.get("keyword"), found.get("vector"), self._fusion), query.limit, tuple(degraded))

    async def _by_words(self, query: IndexQuery, words: Json) -> list[Hit]:
        filtered = {"bool": {"must": [words], "filter": [filter_query(query.filter)]}}
        return await self._hits(query, {"query": filtered} | _IN_ORDER, {}, depth_of(query))

    async def _by_meaning(self, query: IndexQuery, vector: Vector) -> list[Hit]:
        depth = depth_of(query)
        near = vector_query(vector, filter_query(query.filter), depth)
        found = await self._hits(query, {"query": near} | _IN_ORDER, {}, depth)
        return [replace(hit, cosine=cosine_of(hit.score)) for hit in found]

    async def _ask(self, query: IndexQuery, body: Json) -> list[Hit]:
        """The hits of both legs, with enough beyond the limit to put ties at its end in order."""
        params = {"search_pipeline": self._pipeline, "include_named_queries_score": "true"}
        limit = min(query.limit, MOST_HITS)
        wanted = min(limit + _MORE, MOST_HITS)
        found = await self._hits(query, body, params, wanted)
        return found if settled(found, limit, wanted) else await self._hits(query, body, params, MOST_HITS)

    async def _hits(self, query: IndexQuery, body: Json, params: Json, size: int) -> list[Hit]:
        # Values instead of stored documents: with `_id` the same answer takes twice the time
        fetched = {"size": size, "stored_fields": ["_none_"], "docvalue_fields": ["chunk_id", "level"]}
        everything = {"allow_partial_search_results": "false", "preference": _copy_for(query)}
        for _ in range(_SWAPS):
            try:
                path = f"/{self._live.alias}/_search"
                answer = await self._client.call("POST", path, body | fetched, params=params | everything)
            except Unavailable as exc:
                if exc.code != INDEX_GONE:
                    raise
                await self._live.existing()
                continue  # it was replaced while we searched it
            await self._check(answer["hits"]["hits"])
            return hits_of(answer)
        raise Unavailable(INDEX_FAILED, legs=("keyword", "vector"))

    async def _check(self, hits: Sequence[Any]) -> None:
        """That what answered is of our shape; known ones cost nothing. Where nothing was found, who was it?"""
        if hits:
            for name in {hit["_index"] for hit in hits}:
                await self._live.check(name)
        else:
            await self._live.existing()

    async def _made_pipeline(self) -> bool:
        """Whether the pipeline was missing; then it is there now."""
        path = f"/_search/pipeline/{self._pipeline}"
        try:
            await self._client.call("GET", path)
        except Unavailable as exc:
            if exc.details.get("status") != NOT_FOUND:
                raise
            await self._client.call("PUT", path, pipeline_body(self._fusion))
            return True
        return False


def _copy_for(query: IndexQuery) -> str:
    """The same question goes to the same copies, which may differ a little in what they have deleted; others do not."""
    return str(zlib.crc32("\n".join(term.text for term in query.terms).encode("utf-8", "replace")) % _COPIES)


def _result(hits: Sequence[Hit], limit: int, degraded: tuple[str, ...] = ()) -> IndexResult:
    return IndexResult(tuple(IndexHit(hit.chunk_id, hit.score, hit.cosine) for hit in hits[:limit]), degraded)
