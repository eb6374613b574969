"""The index kept equal to the store: embeddings made where they are missing, and differences found."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from ingest.model.fingerprints import fingerprint
from ingest.ports import EmbeddingStore, IndexedChunk, IndexEntry, IndexWriter, Outbox, OutboxItem
from rag_core.documents import Passage, PolicyChunk
from rag_core.errors import Rejected
from rag_core.ports import Embedder, Vector

INDEX_WORK = "index"
"""The name under which `LeaderLease` keeps two processes from writing to the index at the same time: the slower one
would put back what the quicker one has replaced meanwhile."""

EMBEDDED_AT_ONCE = 64
"""Texts given to the model in one call: after a kill, no more than these are embedded twice."""
_ITEMS_AT_ONCE = 100


async def embed_missing(chunks: Sequence[PolicyChunk], embeddings: EmbeddingStore, embedder: Embedder) -> int:
    """Make and keep the embeddings that `chunks` still lack; how many those were. Raises Unavailable."""
    return await embed_texts({chunk.content_hash: chunk.search_text for chunk in chunks}, embeddings, embedder)


async def embed_texts(texts: Mapping[str, str], embeddings: EmbeddingStore, embedder: Embedder) -> int:
    """The same for texts by their content hash."""
    known = await embeddings.known(embedder.model, list(texts))
    missing = [hash_ for hash_ in texts if hash_ not in known]
    for start in range(0, len(missing), EMBEDDED_AT_ONCE):
        batch = missing[start : start + EMBEDDED_AT_ONCE]
        vectors = await embedder.embed([texts[hash_] for hash_ in batch])
        await embeddings.keep(embedder.model, dict(zip(batch, vectors, strict=True)))
    return len(missing)


async def vectors_for(
    chunks: Sequence[PolicyChunk], embeddings: EmbeddingStore, embedder: Embedder
) -> Mapping[str, Vector]:
    """Content hash -> vector of every chunk; missing ones are made and kept. Raises Unavailable."""
    await embed_missing(chunks, embeddings, embedder)
    return await embeddings.known(embedder.model, list({chunk.content_hash: None for chunk in chunks}))


async def follow(outbox: Outbox, embeddings: EmbeddingStore, writer: IndexWriter, embedder: Embedder) -> None:
    """Make the index show what the store has: what is new or, where there is no usable index, everything.

    Only one process at a time may do this (see `INDEX_WORK`). Raises Unavailable.
    """
    if await writer.is_current():
        await drain(outbox, embeddings, writer, embedder)
    else:
        await rebuild_index(outbox, embeddings, writer, embedder)


async def drain(outbox: Outbox, embeddings: EmbeddingStore, writer: IndexWriter, embedder: Embedder) -> int:
    """Work off the outbox; how many versions the index learned of. An item stays until the index has it for good.

    What can never be indexed is put back with its reason, and does not hold up the rest. Only one process at a time
    may do this (see `INDEX_WORK`). Raises Unavailable: what was not done stays in the outbox.
    """
    seen: set[int] = set()
    written = 0
    while items := [item for item in await outbox.pending(_ITEMS_AT_ONCE) if item.item_id not in seen]:
        seen.update(item.item_id for item in items)
        refused: dict[str, str] = {}
        versions: dict[str, list[IndexEntry]] = {}
        for doc_id in dict.fromkeys(item.doc_id for item in items):
            try:
                versions[doc_id] = await _vectorised(await outbox.chunks(doc_id), embeddings, embedder)
            except Rejected as error:
                refused[doc_id] = str(error)
        refused |= await _committed(versions, writer)
        written += len({item.doc_id for item in items} - refused.keys())
        await _settle(items, refused, outbox)
    return written


async def rebuild_index(outbox: Outbox, embeddings: EmbeddingStore, writer: IndexWriter, embedder: Embedder) -> None:
    """The index anew from the store, beside the live one. Only embeddings that the store lacks are made.

    Only one process at a time may do this (see `INDEX_WORK`). A version that model or index refuse is left out; its
    item, if it has one, waits with the reason. Raises Unavailable; then the live index is as it was.
    """
    waiting = await outbox.waiting()  # read first: what comes later stays, and is done once more
    refused: dict[str, str] = {}
    refused |= await writer.rebuild(_entries(outbox, embeddings, embedder, refused))
    await _settle(waiting, refused, outbox)


async def _entries(
    outbox: Outbox, embeddings: EmbeddingStore, embedder: Embedder, refused: dict[str, str]
) -> AsyncIterator[Sequence[IndexEntry]]:
    async for passages in _whole_versions(outbox.all_passages()):
        try:
            yield await _vectorised(passages, embeddings, embedder)
        except Rejected:  # by one of them: then each version by itself
            for doc_id in dict.fromkeys(passage.chunk.doc_id for passage in passages):
                of_version = [passage for passage in passages if passage.chunk.doc_id == doc_id]
                try:
                    yield await _vectorised(of_version, embeddings, embedder)
                except Rejected as error:
                    refused[doc_id] = str(error)


async def _vectorised(passages: Sequence[Passage], embeddings: EmbeddingStore, embedder: Embedder) -> list[IndexEntry]:
    vectors = await vectors_for([passage.chunk for passage in passages], embeddings, embedder)
    return [IndexEntry(passage, vectors[passage.chunk.content_hash]) for passage in passages]


async def _whole_versions(batches: AsyncIterator[list[Passage]]) -> AsyncIterator[list[Passage]]:
    """The same passages, of no version some in one batch and some in the next: it is refused as a whole."""
    held: list[Passage] = []
    async for batch in batches:
        held += batch
        last = next((at for at, each in enumerate(held) if each.chunk.doc_id == held[-1].chunk.doc_id), 0)
        if last:
            yield held[:last]
            held = held[last:]
    if held:
        yield held


async def _committed(versions: Mapping[str, Sequence[IndexEntry]], writer: IndexWriter) -> dict[str, str]:
    """Why some of them were refused. Nothing else is waited for: what is written and not committed gets old."""
    refused: dict[str, str] = {}
    for doc_id, entries in versions.items():
        try:
            await writer.write(doc_id, entries)
        except Rejected as error:
            refused[doc_id] = str(error)
    return {**refused, **await writer.commit()}


async def _settle(items: Sequence[OutboxItem], refused: Mapping[str, str], outbox: Outbox) -> None:
    """What is refused stays in the outbox with the reason, all else is done."""
    for item in items:
        if item.doc_id in refused:
            await outbox.failed(item.item_id, refused[item.doc_id])
    await outbox.done([item.item_id for item in items if item.doc_id not in refused])


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
