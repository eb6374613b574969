"""Things that fail when a test says so, around real ones."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from ingest.ports import IndexedChunk, IndexEntry, IndexWriter


class FlakyWriter:
    """An index writer. `error` is raised by everything; `refuses` names versions that it does not take."""

    def __init__(self, writer: IndexWriter) -> None:
        self._writer = writer
        self.error: Exception | None = None
        self.refuses: set[str] = set()
        self.never_current = False
        self.rebuilds = 0

    async def write(self, doc_id: str, entries: Sequence[IndexEntry]) -> None:
        self._fail()
        if doc_id not in self.refuses:
            await self._writer.write(doc_id, entries)

    async def commit(self) -> Mapping[str, str]:
        self._fail()
        return {**await self._writer.commit(), **dict.fromkeys(self.refuses, "mapping_refused (field='x')")}

    async def rebuild(self, entries: AsyncIterator[Sequence[IndexEntry]]) -> Mapping[str, str]:
        self._fail()
        self.rebuilds += 1
        return await self._writer.rebuild(self._taken(entries))

    async def indexed(self) -> Mapping[str, IndexedChunk]:
        self._fail()
        return await self._writer.indexed()

    async def is_current(self) -> bool:
        self._fail()
        return not self.never_current and await self._writer.is_current()

    async def _taken(self, entries: AsyncIterator[Sequence[IndexEntry]]) -> AsyncIterator[Sequence[IndexEntry]]:
        async for batch in entries:
            yield [each for each in batch if each.passage.chunk.doc_id not in self.refuses]

    def _fail(self) -> None:
        if self.error is not None:
            raise self.error


class FakeLease:
    """Free, held by somebody else, or nobody can tell."""

    def __init__(self) -> None:
        self.is_free = True
        self.error: Exception | None = None
        self.held: list[str] = []

    @asynccontextmanager
    async def hold(self, work: str, wait_seconds: float) -> AsyncIterator[bool]:
        if self.error is not None:
            raise self.error
        self.held.append(work)
        yield self.is_free
