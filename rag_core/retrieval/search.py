"""Ranked passages for a query: index hits, checked against the store, refilled when the check drops some."""

import time
from dataclasses import dataclass
from datetime import date

from rag_core.documents import ContentType
from rag_core.errors import Unavailable
from rag_core.ports import Embedder, IndexFilter, IndexQuery, IndexResult, PolicyStore, SearchIndex, Vector
from rag_core.questions import Filters, QueryTerm, Scope
from rag_core.retrieval.found import Found, SearchFound
from rag_core.retrieval.scoping import index_filter
from rag_core.retrieval.specificity import specific_first
from rag_core.understanding.cleaning import clean_question
from rag_core.understanding.filters import check_filters
from rag_core.understanding.terms import terms_of

MAX_LIMIT = 1_000
"""Results of one search; more is an export, not a search."""

_REFILLS = 3
_OVERFETCH = 10


@dataclass(frozen=True, slots=True)
class Embedded:
    """A query's vector; None with `degraded` when the embedder did not answer."""

    vector: Vector | None
    degraded: tuple[str, ...]
    milliseconds: float


class PolicySearch:
    """Hybrid search over the policies somebody may see."""

    def __init__(self, index: SearchIndex, store: PolicyStore, embedder: Embedder) -> None:
        self._index = index
        self._store = store
        self._embedder = embedder

    async def search(
        self,
        query: str,
        *,
        filters: Filters,
        today: date,
        as_of: date | None,
        groups: frozenset[str],
        limit: int,
        prefer_specific: bool = False,
    ) -> SearchFound:
        """The passages nearest to `query`; `limit <= 0` gives none.

        Raises Rejected for an empty or over-long query and unknown filter values, Unavailable when index or store
        do not answer.
        """
        if limit <= 0:
            return SearchFound(())
        text = clean_question(query)
        checked = check_filters(filters, await self._store.sources(groups))
        scope = Scope(
            as_of=as_of or today,
            policy_sources=checked.policy_sources,
            regions=checked.regions,
            content_types=tuple(_content_types(checked)),
            sections=checked.sections,
            labels=checked.labels,
        )
        embedded = await self.embed(text)
        filter_ = index_filter(scope, groups, checked.regions)
        found = await self.find(terms_of(text), embedded, filter_, min(limit, MAX_LIMIT))
        results = specific_first(found.results) if prefer_specific else found.results
        return SearchFound(tuple(results), found.degraded, found.timings_ms)

    async def embed(self, text: str) -> Embedded:
        """The vector of a query; a failing embedder costs the vector leg, not the search."""
        started = time.perf_counter()
        try:
            vector = (await self._embedder.embed([text]))[0]
        except Unavailable:
            return Embedded(None, ("embedder",), _since(started))
        return Embedded(vector, (), _since(started))

    async def find(
        self, terms: tuple[QueryTerm, ...], embedded: Embedded, filter_: IndexFilter, limit: int
    ) -> SearchFound:
        """Up to `limit` passages that pass index and store, best first."""
        started = time.perf_counter()
        wanted = limit + _OVERFETCH
        for _ in range(_REFILLS):
            result = await self._index.search(IndexQuery(terms, embedded.vector, filter_, wanted, max(100, wanted)))
            found = await self._checked(result, filter_)
            if len(found) >= limit or len(result.hits) < wanted:
                break
            wanted *= 4
        degraded = tuple(dict.fromkeys((*embedded.degraded, *result.degraded)))
        return SearchFound(tuple(found[:limit]), degraded, {"retrieve": _since(started)})

    async def _checked(self, result: IndexResult, filter_: IndexFilter) -> list[Found]:
        hits = {hit.chunk_id: hit for hit in result.hits}
        passages = await self._store.passages(list(hits), filter_.groups, filter_.day)
        return [Found(each, hits[each.chunk.chunk_id].score, hits[each.chunk.chunk_id].cosine) for each in passages]


def _content_types(filters: Filters) -> list[ContentType]:
    return [ContentType(value) for value in filters.content_types]


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
