"""Search indexes to test, every kind filled through its own writer."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from adapters.local.index import LocalIndex
from adapters.local.index_writer import LocalIndexWriter
from ingest.ports import IndexEntry, IndexWriter, VersionWrite
from rag_core.ports import IndexFilter, IndexHit, IndexQuery, SearchIndex, Vector
from rag_core.questions import QueryTerm
from tests.fakes.documents import Section, entries_of, make_version, make_write
from tests.fakes.embedder import FakeEmbedder

DIMENSIONS = 64
EMBEDDER = FakeEmbedder(DIMENSIONS)
PUBLIC = IndexFilter()


@dataclass(frozen=True, slots=True)
class IndexPair:
    """An index and the writer that fills it."""

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
    index = LocalIndex(folder, model=EMBEDDER.model, dimensions=DIMENSIONS)
    yield IndexPair(index, LocalIndexWriter(folder, model=EMBEDDER.model, dimensions=DIMENSIONS))
    await index.aclose()


INDEX_MAKERS: dict[str, Callable[[Path], Any]] = {"local": local_pair}


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
