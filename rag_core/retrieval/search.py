"""Ranked passages for a query: index hits, checked against the store, refilled when the check drops some."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from rag_core.deadlines import remaining, within
from rag_core.documents import ContentType
from rag_core.errors import Unavailable
from rag_core.ports import Embedder, IndexCopies, IndexFilter, IndexQuery, IndexResult, PolicyStore, SearchIndex, Vector
from rag_core.questions import Filters, QueryTerm, Scope
from rag_core.regions import GLOBAL, seen_from
from rag_core.retrieval.found import Found, SearchFound, specific_first
from rag_core.retrieval.stored import KnownSources, PassageReader
from rag_core.understanding.cleaning import check_filters, clean_question
from rag_core.understanding.terms import terms_of


def index_filter(
    scope: Scope, groups: frozenset[str], places: tuple[str, ...], *, any_day: bool = False
) -> IndexFilter:
    """The filter for rules that hold in all or one of `places` (none: everywhere) on the scope's day.

    With several places a rule may hold in any of them. `any_day` looks at every version, to tell "not then" from
    "never".
    """
    seen = frozenset().union(*(seen_from(place) for place in places))
    only = places[0] if len(places) == 1 else None
    return IndexFilter(
        groups=groups,
        day=None if any_day else scope.as_of,
        places=seen if places else None,
        excluding=seen_from(only) - {GLOBAL} if only else frozenset(),
        policy_sources=frozenset(scope.policy_sources),
        content_types=_types(scope),
        sections=frozenset(scope.sections),
        labels={key: frozenset(values) for key, values in scope.labels.items() if key not in scope.labels_excluded},
        labels_excluded={key: frozenset(values) for key, values in scope.labels_excluded.items()},
    )


def _types(scope: Scope) -> frozenset[str]:
    """A rule on ads in general holds for the video that a question mentions; who filters for videos gets just them."""
    found = frozenset(each.value for each in scope.content_types)
    return found | {ContentType.GENERAL.value} if found and "content_types" in scope.inferred else found


MAX_LIMIT = 1_000
"""Results of one search; more is an export, not a search."""

EMBED_SECONDS = 5.0
"""A question is embedded in some 20 ms, beside an ingest in a second, while the model is still being loaded in two or
three. Half of the time that is left at most: the search by words needs the rest."""

_REFILLS = 3
_OVERFETCH = 3


@dataclass(frozen=True, slots=True)
class Embedded:
    """A query's vector; None with `degraded` when the embedder did not answer."""

    vector: Vector | None
    degraded: tuple[str, ...]
    milliseconds: float


class PolicySearch:
    """Hybrid search over the policies somebody may see.

    With `copies` it goes on while the store is down: over public documents, with "store" in `degraded`.
    """

    def __init__(
        self, index: SearchIndex, store: PolicyStore, embedder: Embedder, copies: IndexCopies | None = None
    ) -> None:
        self._index = index
        self._reader = PassageReader(store, copies)
        self._sources = KnownSources(store, outlives_store=copies is not None)
        self._embedder = embedder

    @property
    def model(self) -> str:
        """The embedding model's name: stored vectors are kept by it."""
        return self._embedder.model

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
        known = await self._sources.known(groups)
        checked = check_filters(filters, known.sources)
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
        return SearchFound(tuple(results), _each_once(known.degraded, found.degraded), found.timings_ms)

    async def embed(self, text: str) -> Embedded:
        """The vector of a query; an embedder that fails or is late costs the vector leg, not the search."""
        started = time.perf_counter()
        try:
            async with within(remaining(EMBED_SECONDS * 2) / 2):
                vector = (await self._embedder.embed([text]))[0]
        except (Unavailable, TimeoutError):
            return Embedded(None, ("embedder",), _since(started))
        return Embedded(vector, (), _since(started))

    async def find(
        self, terms: tuple[QueryTerm, ...], embedded: Embedded, filter_: IndexFilter, limit: int
    ) -> SearchFound:
        """Up to `limit` passages that pass index and store, best first."""
        return await self.find_each(terms, embedded, [(filter_, limit)])

    async def find_each(
        self, terms: tuple[QueryTerm, ...], embedded: Embedded, searches: Sequence[tuple[IndexFilter, int]]
    ) -> SearchFound:
        """Up to the limit of each search, one after the other, without repeats.

        A later search scores by what it found itself: what the first one left below its limit gets no higher a score
        than the last that it kept. The filters differ in what the index narrows, not in audience and day: the store
        checks all hits at once.

        Where the store does not show a hit the index is behind, and is asked again without it: scores and order, too,
        are those of an index that never had it.
        """
        started = time.perf_counter()
        degraded = [*embedded.degraded]
        kept: dict[int, list[Found]] = {}
        dropped: frozenset[str] = frozenset()
        waiting = {number: limit + _OVERFETCH for number, (_, limit) in enumerate(searches)}
        for _ in range(_REFILLS):
            queries = [
                IndexQuery(
                    terms,
                    embedded.vector,
                    replace(searches[number][0], without_chunks=dropped),
                    wanted,
                    max(100, wanted),
                )
                for number, wanted in waiting.items()
            ]
            results = await asyncio.gather(*map(self._index.search, queries))
            degraded += [each for result in results for each in result.degraded]
            passed, lacking = await self._passed(results, searches[0][0])
            degraded += lacking
            again: dict[int, int] = {}
            for (number, wanted), result in zip(waiting.items(), results, strict=True):
                shown = [passed[hit.chunk_id] for hit in result.hits if hit.chunk_id in passed]
                kept[number] = shown[: searches[number][1]]
                if len(shown) < len(result.hits):
                    again[number] = wanted * 4
            dropped |= {hit.chunk_id for result in results for hit in result.hits} - passed.keys()
            waiting = again
            if not waiting:
                break
        return SearchFound(_merged(kept), _each_once(degraded), {"retrieve": _since(started)})

    async def _passed(
        self, results: Sequence[IndexResult], filter_: IndexFilter
    ) -> tuple[dict[str, Found], tuple[str, ...]]:
        """The hits that the store shows to this audience on this day, and what was degraded about asking it."""
        hits = {hit.chunk_id: hit for result in reversed(results) for hit in result.hits}
        read = await self._reader.passages(list(hits), filter_.groups, filter_.day)
        ids = [each.chunk.chunk_id for each in read.passages]
        found = {
            id_: Found(each, hits[id_].score, hits[id_].cosine) for id_, each in zip(ids, read.passages, strict=True)
        }
        return found, read.degraded


def _merged(kept: Mapping[int, Sequence[Found]]) -> tuple[Found, ...]:
    """What each search kept, one after the other; none of a later one scores higher than all of the first."""
    lowest = min((each.score for each in kept[0]), default=1.0)
    found: dict[str, Found] = {}
    for number, ones in sorted(kept.items()):
        for each in ones:
            score = min(each.score, lowest) if number else each.score
            found.setdefault(each.passage.chunk.chunk_id, replace(each, score=score))
    return tuple(found.values())


def _each_once(*parts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part for some in parts for part in some))


def _content_types(filters: Filters) -> list[ContentType]:
    return [ContentType(value) for value in filters.content_types]


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
