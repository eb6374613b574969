"""Store and index held against each other, the index built anew, the database migrated."""

import time
from collections.abc import AsyncIterator, Mapping, Sequence

from adapters.sql.schema import HEAD_REVISION
from ingest.indexing import vectors_for
from ingest.ports import IndexEntry
from ops import wording
from ops.config import Config
from ops.parts import IngestParts
from ops.wiring import open_engine, open_ingest

_SHOWN = 5
_PENDING = 1_000


async def migrate(config: Config) -> int:
    """Bring the database to the newest revision."""
    async with open_engine(config):
        print(wording.migrated(HEAD_REVISION))
    return 0


async def doctor(config: Config) -> int:
    """Compare the ids of store and index, say what differs; 1 if something does."""
    async with open_ingest(config) as parts:
        return await compare(parts)


async def compare(parts: IngestParts) -> int:
    """`doctor`, on what is open already."""
    stored = await _stored_ids(parts)
    indexed = await parts.writer.ids()
    pending = await parts.outbox.pending(_PENDING)
    missing = sorted(stored.keys() - indexed.keys())
    orphans = sorted(indexed.keys() - stored.keys())
    versions = len(set(stored.values()))
    print(wording.doctor_line("store", ok=bool(stored), facts=wording.store_facts(len(stored), versions)))
    print(wording.doctor_line("index", ok=not missing and not orphans, facts=wording.index_facts(len(indexed))))
    for kind, ids in ((wording.only_in_store(), missing), (wording.only_in_index(), orphans)):
        if ids:
            print(wording.doctor_differs(kind, ids[:_SHOWN], max(0, len(ids) - _SHOWN)))
    print(wording.doctor_line("outbox", ok=not pending, facts=wording.outbox_facts(len(pending))))
    if (missing or orphans) and not pending:
        print(wording.doctor_advice())
    return 1 if missing or orphans or pending or not stored else 0


async def reindex(config: Config) -> int:
    """Build the index anew from the store, beside the live one."""
    async with open_ingest(config) as parts:
        return await rebuild(parts)


async def rebuild(parts: IngestParts) -> int:
    """`reindex`, on what is open already. Embeddings are those the store keeps: only missing ones are made."""
    started = time.perf_counter()
    pending = await parts.outbox.pending(_PENDING)  # read first: what comes later stays pending
    await parts.writer.rebuild(_entries(parts))
    await parts.outbox.done([item.item_id for item in pending])
    print(wording.reindexed(len(await parts.writer.ids()), time.perf_counter() - started))
    return 0


async def _stored_ids(parts: IngestParts) -> Mapping[str, str]:
    return {
        passage.chunk.chunk_id: passage.chunk.doc_id async for batch in parts.outbox.all_passages() for passage in batch
    }


async def _entries(parts: IngestParts) -> AsyncIterator[Sequence[IndexEntry]]:
    async for passages in parts.outbox.all_passages():
        vectors = await vectors_for([passage.chunk for passage in passages], parts.embeddings, parts.embedder)
        yield [IndexEntry(passage, vectors[passage.chunk.content_hash]) for passage in passages]
