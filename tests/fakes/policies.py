"""A store, an index and an embedder in memory, which can be told to disagree, to lag behind or to be silent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np

from ingest.ports import VersionWrite
from rag_core.ask import Asker
from rag_core.documents import SHOWN_STATUSES, DocumentVersion, Passage, PolicySource
from rag_core.errors import Unavailable
from rag_core.ports import IndexFilter, IndexHit, IndexQuery, IndexResult, Vector, VersionText
from rag_core.retrieval.search import PolicySearch
from rag_core.understanding.terms import covers
from tests.fakes.documents import passages_of
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.reader import FakeReader


class FakePolicyStore:
    """`rag_core.ports.PolicyStore` over whole versions. `names` gives sources another display name and aliases."""

    def __init__(self, *writes: VersionWrite, names: Mapping[str, PolicySource] | None = None) -> None:
        self._writes = writes
        self._names = names or {}
        self.asked: list[list[str]] = []

    async def passages(self, chunk_ids: Sequence[str], groups: frozenset[str], day: date | None) -> list[Passage]:
        """Remembers in `asked` which ids it was asked for."""
        self.asked.append(list(chunk_ids))
        shown = {
            each.chunk.chunk_id: each
            for write in self._shown(groups)
            for each in passages_of(write)
            if day is None or each.version.holds_on(day)
        }
        return [shown[id_] for id_ in chunk_ids if id_ in shown]

    async def section(self, doc_id: str, first_index: int, last_index: int, groups: frozenset[str]) -> list[Passage]:
        found = [each for write in self._shown(groups) if write.version.doc_id == doc_id for each in passages_of(write)]
        return [each for each in found if first_index <= each.chunk.chunk_index <= last_index]

    async def sources(self, groups: frozenset[str]) -> list[PolicySource]:
        slugs = sorted({write.version.policy_source for write in self._shown(groups)})
        found = [self._names.get(slug, PolicySource(slug, slug.title(), (), 1)) for slug in slugs]
        return [replace(each, labels=self._labels(each.slug, groups)) for each in found]

    def _labels(self, slug: str, groups: frozenset[str]) -> frozenset[str]:
        mine = [write.version.labels for write in self._shown(groups) if write.version.policy_source == slug]
        return frozenset(key for labels in mine for key in labels)

    async def versions(self, groups: frozenset[str], document_id: str | None = None) -> list[DocumentVersion]:
        found = [write.version for write in self._shown(groups)]
        return [each for each in found if document_id in (None, each.document_id)]

    async def version_text(self, doc_id: str, groups: frozenset[str]) -> VersionText | None:
        found = [write for write in self._shown(groups) if write.version.doc_id == doc_id]
        return VersionText(found[0].version, found[0].text) if found else None

    def _shown(self, groups: frozenset[str]) -> list[VersionWrite]:
        seen = [write for write in self._writes if write.version.may_see(groups)]
        return [write for write in seen if write.version.status in SHOWN_STATUSES]


class FakeSearchIndex:
    """`rag_core.ports.SearchIndex` over passages: half the share of terms that they cover, half the likeness."""

    def __init__(self, *writes: VersionWrite, embedder: FakeEmbedder, degraded: tuple[str, ...] = ()) -> None:
        self._passages = [each for write in writes for each in passages_of(write)]
        self._embedder = embedder
        self._degraded = degraded
        self.queries: list[IndexQuery] = []

    async def search(self, query: IndexQuery) -> IndexResult:
        """Remembers in `queries` what it was asked."""
        self.queries.append(query)
        hits = [self._hit(each, query) for each in self._passages if _passes(each, query.filter)]
        ranked = sorted((each for each in hits if each.score > 0), key=lambda hit: (-hit.score, hit.chunk_id))
        return IndexResult(tuple(ranked[: max(query.limit, 0)]), self._degraded)

    async def aclose(self) -> None:
        """Nothing is open."""

    def _hit(self, passage: Passage, query: IndexQuery) -> IndexHit:
        text = passage.chunk.search_text
        words = sum(covers(text, term) for term in query.terms) / max(len(query.terms), 1)
        if query.vector is None:
            return IndexHit(passage.chunk.chunk_id, words)
        cosine = float(np.dot(query.vector, self._embedder.vector(text)))
        return IndexHit(passage.chunk.chunk_id, (words + max(cosine, 0.0)) / 2, cosine)


def _passes(passage: Passage, filter_: IndexFilter) -> bool:
    chunk, version = passage.chunk, passage.version
    return all(
        (
            version.may_see(filter_.groups),
            filter_.day is None or version.holds_on(filter_.day),
            filter_.places is None or bool(filter_.places & set(chunk.regions)),
            not filter_.excluding & set(chunk.regions_excluded),
            not filter_.policy_sources or chunk.policy_source in filter_.policy_sources,
            not filter_.content_types or chunk.content_type.value in filter_.content_types,
            not filter_.sections or chunk.policy_section.lower() in filter_.sections,
            all(version.labels.get(key) in values for key, values in filter_.labels.items()),
            not any(version.labels.get(key) in values for key, values in filter_.labels_excluded.items()),
            chunk.chunk_id not in filter_.without_chunks,
        )
    )


class SilentEmbedder(FakeEmbedder):
    """A model that does not answer."""

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        raise Unavailable("embedder_silent", texts=len(texts))


class SilentIndex(FakeSearchIndex):
    """An index that does not answer."""

    async def search(self, query: IndexQuery) -> IndexResult:
        raise Unavailable("index_silent", limit=query.limit)


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything behind a question, over versions that store and index know alike."""

    store: FakePolicyStore
    index: FakeSearchIndex
    search: PolicySearch
    asker: Asker


def open_desk(
    *writes: VersionWrite, store: FakePolicyStore | None = None, embedder: FakeEmbedder | None = None, **asker: Any
) -> Desk:
    """A desk whose index holds `writes`; the store holds the same unless another one is given. `asker`: settings."""
    embedder = embedder or FakeEmbedder()
    store = store or FakePolicyStore(*writes)
    index = FakeSearchIndex(*writes, embedder=embedder)
    search = PolicySearch(index, store, embedder)
    return Desk(store, index, search, Asker(search, store, **{"reader": FakeReader(), **asker}))
