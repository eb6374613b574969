"""Search indexes to test, every kind filled through its own writer."""

import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from adapters.local.index import LocalIndex
from adapters.local.index_writer import LocalIndexWriter
from adapters.local.manifest import manifest_stamp
from adapters.opensearch.client import OpenSearchClient, connect
from adapters.opensearch.errors import NOT_FOUND
from adapters.opensearch.index import OpenSearchIndex
from adapters.opensearch.index_writer import OpenSearchIndexWriter
from adapters.opensearch.settings import OpenSearchSettings
from ingest.ports import IndexEntry, IndexWriter, VersionWrite
from rag_core.errors import Unavailable
from rag_core.ports import IndexFilter, IndexHit, IndexQuery, SearchIndex, Vector
from rag_core.questions import QueryTerm
from tests.fakes.documents import Section, entries_of, make_version, make_write
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.services import address_of

DIMENSIONS = 64
EMBEDDER = FakeEmbedder(DIMENSIONS)
PUBLIC = IndexFilter()


@dataclass(frozen=True, slots=True)
class IndexPair:
    """An index and the writer that fills it; there is one, and nothing in it."""

    index: SearchIndex
    writer: IndexWriter

    async def fill(self, *writes: VersionWrite) -> None:
        """Index these versions and commit."""
        for write in writes:
            await self.writer.write(write.version.doc_id, vectorised(write))
        await self.writer.commit()

    async def find(self, text: str, filter_: IndexFilter = PUBLIC, limit: int = 10) -> list[str]:
        """chunk ids of a hybrid search for the words of `text`."""
        return [hit.chunk_id for hit in await self.hits(text, filter_, limit)]

    async def hits(self, text: str, filter_: IndexFilter = PUBLIC, limit: int = 10) -> tuple[IndexHit, ...]:
        return (await self.index.search(query(text, filter_, limit))).hits


@asynccontextmanager
async def local_pair(folder: Path) -> AsyncIterator[IndexPair]:
    """What the folder has, an empty index if nothing."""
    async with local_place(folder) as pair:
        if manifest_stamp(folder) is None:
            await pair.writer.rebuild(in_batches([]))
        yield pair


@asynccontextmanager
async def local_place(folder: Path) -> AsyncIterator[IndexPair]:
    """What the folder has, be it nothing."""
    index = LocalIndex(folder, model=EMBEDDER.model, dimensions=DIMENSIONS)
    yield IndexPair(index, LocalIndexWriter(folder, model=EMBEDDER.model, dimensions=DIMENSIONS))
    await index.aclose()


@asynccontextmanager
async def opensearch_pair(folder: Path) -> AsyncIterator[IndexPair]:
    async with opensearch_place(folder) as pair:
        await pair.writer.rebuild(in_batches([]))
        yield pair


@asynccontextmanager
async def opensearch_place(_: Path) -> AsyncIterator[IndexPair]:
    """On the real cluster, under a prefix of its own, where there is no index."""
    async with opensearch_client() as client:
        index = OpenSearchIndex(client, model=EMBEDDER.model, dimensions=DIMENSIONS)
        yield IndexPair(index, OpenSearchIndexWriter(client, model=EMBEDDER.model, dimensions=DIMENSIONS))
        await index.aclose()


@asynccontextmanager
async def opensearch_client(url: str = "", **changes: Any) -> AsyncIterator[OpenSearchClient]:
    """A client of the real cluster, or of what stands before it at `url`. Cleans up what has its prefix."""
    address = address_of("opensearch")
    fields: dict[str, Any] = {"prefix": f"test-{uuid.uuid4().hex[:12]}", "seconds": 20.0} | changes
    client = connect(OpenSearchSettings((url or address,), **fields))
    try:
        yield client
    finally:
        await client.aclose()
        await clean_up(address, client.settings.prefix)


async def clean_up(address: str, prefix: str) -> None:
    """Remove indexes and pipelines."""
    cleaner = connect(OpenSearchSettings((address,)))
    try:
        found = await cleaner.call("GET", f"/{prefix}-*/_alias", params={"allow_no_indices": "true"})
        for name in found:
            await cleaner.call("DELETE", f"/{name}")
        for name in await pipelines(cleaner):
            if name.startswith(f"{prefix}-"):
                await cleaner.call("DELETE", f"/_search/pipeline/{name}")
    finally:
        await cleaner.aclose()


async def pipelines(client: OpenSearchClient) -> list[str]:
    """The search pipelines of the cluster. One that has none calls that "not found"."""
    try:
        return list(await client.call("GET", "/_search/pipeline"))
    except Unavailable as exc:
        if exc.details.get("status") != NOT_FOUND:
            raise
        return []


INDEX_MAKERS: dict[str, Callable[[Path], Any]] = {"local": local_pair, "opensearch": opensearch_pair}
INDEX_PLACES: dict[str, Callable[[Path], Any]] = {"local": local_place, "opensearch": opensearch_place}
"""The same where no index was built."""
INDEX_PARAMS = ["local", pytest.param("opensearch", marks=pytest.mark.services)]


def query(text: str, filter_: IndexFilter = PUBLIC, limit: int = 10) -> IndexQuery:
    """Hybrid: every word a term, the text as a vector."""
    return IndexQuery(terms(*text.split()), EMBEDDER.vector(text), filter_, limit)


def terms(*words: str) -> tuple[QueryTerm, ...]:
    return tuple(QueryTerm(word) for word in words)


def vectorised(write: VersionWrite) -> list[IndexEntry]:
    """A version's chunks as an index takes them."""
    return entries_of(write, [vector_of(chunk.search_text) for chunk in write.chunks])


def vector_of(text: str) -> Vector:
    return EMBEDDER.vector(text)


def one_chunk(
    document_id: str, body: str, day: date = date(2026, 1, 1), *, heading: str = "Rules", **changes: Any
) -> VersionWrite:
    """A version of one section, from `day` on; `changes` are fields of the version or of the section."""
    fields = {name: changes.pop(name) for name in ("regions", "content_type", "excluded", "level") if name in changes}
    return make_write(make_version(document_id, day, **changes), [Section(heading, body, **fields)])


def chunk_ids(*writes: VersionWrite) -> list[str]:
    return [chunk.chunk_id for write in writes for chunk in write.chunks]


async def in_batches(writes: Sequence[VersionWrite]) -> AsyncIterator[Sequence[IndexEntry]]:
    """The chunks of all versions, a version a batch, as a store gives them for a rebuild."""
    for write in writes:
        yield vectorised(write)
