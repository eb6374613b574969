"""Store and index held against each other: what the index lacks, what it has too much, what it has as it once was."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.fingerprints import fingerprint
from ingest.ports import IndexedChunk, Outbox
from rag_core.documents import Passage

Chunks = Mapping[str, IndexedChunk]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How much the store has, and what differs: chunk id -> doc_id.

    `changed`: on both sides, but indexed with other content, or with other facts that filters look at.
    """

    chunks: int
    versions: int
    only_in_store: Mapping[str, str]
    only_in_index: Mapping[str, str]
    changed: Mapping[str, str]

    @property
    def differing(self) -> frozenset[str]:
        """The versions (doc_ids) with any difference."""
        return frozenset(
            doc_id for chunks in (self.only_in_store, self.only_in_index, self.changed) for doc_id in chunks.values()
        )


async def compare(outbox: Outbox, indexed: Chunks) -> Comparison:
    """`indexed` against all that belongs in an index, which is read batch by batch. Raises Unavailable.

    What is saved meanwhile differs, and has an item in the outbox.
    """
    only_in_index = {chunk_id: chunk.doc_id for chunk_id, chunk in indexed.items()}
    only_in_store: dict[str, str] = {}
    changed: dict[str, str] = {}
    versions: set[str] = set()
    count = 0
    async for batch in outbox.all_passages():
        # in a thread: a server does this beside its answers
        for chunk_id, chunk in (await asyncio.to_thread(_as_indexed, batch)).items():
            versions.add(chunk.doc_id)
            count += 1
            if only_in_index.pop(chunk_id, None) is None:
                only_in_store[chunk_id] = chunk.doc_id
            elif indexed[chunk_id] != chunk:
                changed[chunk_id] = chunk.doc_id
    return Comparison(count, len(versions), only_in_store, only_in_index, changed)


def _as_indexed(passages: Sequence[Passage]) -> Chunks:
    return {each.chunk.chunk_id: IndexedChunk(each.chunk.doc_id, fingerprint(each)) for each in passages}
