"""Hybrid search without a server: BM25 in tantivy, exact inner products in numpy, fused."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import numpy as np

from adapters.local.index_writer import LocalIndexWriter
from adapters.local.opened import OpenedIndex
from adapters.local.snapshot import Hits, Snapshot
from rag_core.errors import Misconfigured, Unavailable
from rag_core.ports import IndexHit, IndexQuery, IndexResult, Vector
from rag_core.retrieval.facets import clauses_of
from rag_core.retrieval.fusion import Fusion, fuse

__all__ = ["LocalIndex", "LocalIndexWriter"]

_NOTHING = IndexResult(())
_DIGITS = 9


class LocalIndex:
    """`rag_core.ports.SearchIndex` over the folder that `LocalIndexWriter` writes, in this process or another.

    A commit by any process is seen by the next search. A leg that fails is named in `degraded` and the other answers
    alone.

    Raises Misconfigured("wrong_dimensions", model, expected, got),
    Unavailable("index_missing" | "index_failed" | "index_busy"),
    Misconfigured("embedding_model_changed" | "index_broken").
    """

    def __init__(self, folder: Path, *, model: str, dimensions: int, fusion: Fusion | None = None) -> None:
        self._opened = OpenedIndex(folder, model, dimensions)
        self._model = model
        self._dimensions = dimensions
        self._fusion = fusion or Fusion()

    async def search(self, query: IndexQuery) -> IndexResult:
        """Best first; ties: the more specific (deeper) section, then the smaller chunk id."""
        if query.vector is not None and query.vector.shape != (self._dimensions,):
            got = list(query.vector.shape)
            raise Misconfigured("wrong_dimensions", model=self._model, expected=self._dimensions, got=got)
        if query.limit <= 0:
            return _NOTHING
        return await asyncio.to_thread(self._search, query)

    async def aclose(self) -> None:
        """Let go of files and memory."""
        await asyncio.to_thread(self._opened.close)

    def _search(self, query: IndexQuery) -> IndexResult:
        snapshot = self._opened.snapshot()
        if snapshot is None:
            raise Unavailable("index_missing")
        clauses, depth = clauses_of(query.filter), max(query.depth, query.limit)
        vector = _unit(query.vector) if query.vector is not None else None
        legs = _Legs()
        if query.terms:
            legs.run("keyword", lambda: snapshot.by_words(query.terms, clauses, depth))
        if vector is not None:
            legs.run("vector", lambda: snapshot.by_meaning(vector, clauses, depth))
        legs.check()
        hits = self._fused(snapshot, legs)[: query.limit]
        cosines = {} if vector is None or "vector" in legs.degraded else _cosines(snapshot, hits, vector)
        ids = snapshot.columns.chunk_ids
        return IndexResult(
            tuple(IndexHit(ids[row], score, cosines.get(row)) for row, score in hits), tuple(legs.degraded)
        )

    def _fused(self, snapshot: Snapshot, legs: "_Legs") -> Hits:
        columns = snapshot.columns
        rows = {columns.chunk_ids[row]: row for hits in legs.hits.values() for row, _ in hits or ()}
        keyword, vector = (
            None if hits is None else [(columns.chunk_ids[row], score) for row, score in hits]
            for hits in (legs.hits.get("keyword"), legs.hits.get("vector"))
        )
        fused = [(rows[chunk_id], round(score, _DIGITS)) for chunk_id, score in fuse(keyword, vector, self._fusion)]
        # `fuse` has put ties in the order of ids, and sorting keeps it
        return sorted(fused, key=lambda hit: (-hit[1], -columns.levels[hit[0]]))


class _Legs:
    """What each leg found (None: it had nothing to look for), and which did not answer."""

    def __init__(self) -> None:
        self.hits: dict[str, Hits | None] = {}
        self.degraded: list[str] = []
        self._failure: Unavailable | None = None

    def run(self, name: str, search: Callable[[], Hits | None]) -> None:
        try:
            self.hits[name] = search()
        except Unavailable as exc:
            self.degraded.append(name)
            self._failure = exc

    def check(self) -> None:
        """At least one leg must have answered, if any was asked."""
        if self._failure is not None and not self.hits:
            raise Unavailable("index_failed", legs=tuple(self.degraded)) from self._failure


def _cosines(snapshot: Snapshot, hits: Hits, vector: Vector) -> dict[int, float]:
    """Also of those that only the keyword leg found."""
    rows = np.asarray(sorted(row for row, _ in hits), dtype=np.int64)
    values = np.clip(snapshot.cosines(rows, vector), -1.0, 1.0)
    return {int(row): round(float(value), 6) for row, value in zip(rows, values, strict=True)}


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return (vector / length if length > 0 else vector).astype(np.float32)
