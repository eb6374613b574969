"""An index's copies of the documents, and a store that can fall silent."""

import asyncio
from collections.abc import Sequence
from datetime import date

from ingest.ports import VersionWrite
from rag_core.documents import DocumentVersion, Passage, PolicySource
from rag_core.errors import STORED_TEXT_CHANGED, Unavailable
from rag_core.ports import VersionText
from tests.fakes.documents import passages_of
from tests.fakes.policies import FakePolicyStore


class FakeCopies:
    """`rag_core.ports.IndexCopies` over whole versions. Hands out all it has, also what it should not."""

    def __init__(self, *writes: VersionWrite) -> None:
        self._passages = [each for write in writes for each in passages_of(write)]
        self.error: Exception | None = None

    async def passages(self, chunk_ids: Sequence[str], day: date | None) -> list[Passage]:
        self._fail()
        known = {each.chunk.chunk_id: each for each in self._passages}
        return [known[id_] for id_ in chunk_ids if id_ in known]

    async def section(self, doc_id: str, first_index: int, last_index: int) -> list[Passage]:
        self._fail()
        mine = [each for each in self._passages if each.chunk.doc_id == doc_id]
        return [each for each in mine if first_index <= each.chunk.chunk_index <= last_index]

    def _fail(self) -> None:
        if self.error is not None:
            raise self.error


class FailingStore(FakePolicyStore):
    """A store that is down, hangs or has changed texts while a test says so, or falls silent after `answers_left` more
    answers. `calls` counts what it was asked."""

    def __init__(self, *writes: VersionWrite) -> None:
        super().__init__(*writes)
        self.is_down = False
        self.sources_are_down = False
        self.hangs = False
        self.changed = False
        self.calls = 0
        self.answers_left: int | None = None

    async def passages(self, chunk_ids: Sequence[str], groups: frozenset[str], day: date | None) -> list[Passage]:
        await self._fail()
        return await super().passages(chunk_ids, groups, day)

    async def section(self, doc_id: str, first_index: int, last_index: int, groups: frozenset[str]) -> list[Passage]:
        await self._fail()
        return await super().section(doc_id, first_index, last_index, groups)

    async def sources(self, groups: frozenset[str]) -> list[PolicySource]:
        await self._fail()
        if self.sources_are_down:
            raise Unavailable("store_busy")
        return await super().sources(groups)

    async def versions(self, groups: frozenset[str], document_id: str | None = None) -> list[DocumentVersion]:
        await self._fail()
        return await super().versions(groups, document_id)

    async def version_text(self, doc_id: str, groups: frozenset[str]) -> VersionText | None:
        await self._fail()
        return await super().version_text(doc_id, groups)

    async def _fail(self) -> None:
        self.calls += 1
        if self.answers_left is not None:
            self.answers_left -= 1
            self.is_down = self.answers_left < 0
        if self.hangs:
            await asyncio.Event().wait()
        if self.changed:
            raise Unavailable(STORED_TEXT_CHANGED)
        if self.is_down:
            raise Unavailable("store_down")
