"""What the store has, brought into the index: embeddings made where they are missing, the outbox worked off."""

from collections.abc import Mapping, Sequence

from ingest.ports import EmbeddingStore, IndexEntry, IndexWriter, Outbox, OutboxItem
from rag_core.documents import PolicyChunk
from rag_core.errors import Rejected
from rag_core.ports import Embedder, Vector

_AT_ONCE = 64
"""Texts given to the model in one call: after a kill, no more than these are embedded twice."""
_ITEMS_AT_ONCE = 100


async def embed_missing(chunks: Sequence[PolicyChunk], embeddings: EmbeddingStore, embedder: Embedder) -> int:
    """Make and keep the embeddings that `chunks` still lack; how many those were. Raises Unavailable."""
    texts = {chunk.content_hash: chunk.search_text for chunk in chunks}
    known = await embeddings.known(embedder.model, list(texts))
    missing = [hash_ for hash_ in texts if hash_ not in known]
    for start in range(0, len(missing), _AT_ONCE):
        batch = missing[start : start + _AT_ONCE]
        vectors = await embedder.embed([texts[hash_] for hash_ in batch])
        await embeddings.keep(embedder.model, dict(zip(batch, vectors, strict=True)))
    return len(missing)


async def vectors_for(
    chunks: Sequence[PolicyChunk], embeddings: EmbeddingStore, embedder: Embedder
) -> Mapping[str, Vector]:
    """Content hash -> vector of every chunk; missing ones are made and kept. Raises Unavailable."""
    await embed_missing(chunks, embeddings, embedder)
    return await embeddings.known(embedder.model, list({chunk.content_hash: None for chunk in chunks}))


async def drain(outbox: Outbox, embeddings: EmbeddingStore, writer: IndexWriter, embedder: Embedder) -> int:
    """Work off the outbox; how many versions the index learned of. An item stays until the index has it for good.

    What can never be indexed is put back with its reason, and does not hold up the rest.
    Raises Unavailable: what was not done stays in the outbox.
    """
    seen: set[int] = set()
    written = 0
    while items := [item for item in await outbox.pending(_ITEMS_AT_ONCE) if item.item_id not in seen]:
        seen.update(item.item_id for item in items)
        done = [item for item in items if await _written(item, outbox, embeddings, writer, embedder)]
        await writer.commit()
        await outbox.done([item.item_id for item in done])
        written += len({item.doc_id for item in done})
    return written


async def _written(
    item: OutboxItem, outbox: Outbox, embeddings: EmbeddingStore, writer: IndexWriter, embedder: Embedder
) -> bool:
    try:
        passages = await outbox.chunks(item.doc_id)
        vectors = await vectors_for([passage.chunk for passage in passages], embeddings, embedder)
        await writer.write(
            item.doc_id, [IndexEntry(passage, vectors[passage.chunk.content_hash]) for passage in passages]
        )
    except Rejected as error:
        await outbox.failed(item.item_id, str(error))
        return False
    return True
