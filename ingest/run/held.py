"""Versions that are held for review: which there are, and making one of them the one that holds."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from ingest.indexing import INDEX_WORK, follow
from ingest.model.turns import reading_of_source, turn
from ingest.parts import IndexingParts
from ingest.planner import released
from ingest.ports import VersionStore
from ingest.rules.reading import read_rules
from rag_core.documents import DocumentVersion
from rag_core.errors import Misconfigured, Rejected


async def held(versions: VersionStore) -> list[DocumentVersion]:
    """What waits for somebody's decision, by document and day. Raises Unavailable."""
    return await versions.held()


async def release(parts: IndexingParts, doc_id: str, now: Callable[[], datetime]) -> DocumentVersion:
    """Make a held version hold, and bring it into the index; the version as it is then.

    It holds from its own day where that is later than the day of the version in force, else from today (UTC); its
    doc_id stays. Raises Rejected("version_not_held", doc_id), Unavailable: what is saved by then stays, and the index
    learns of it in the next run.
    """
    source_id = await parts.versions.source_of(doc_id)
    if source_id is None:
        raise Rejected("version_not_held", doc_id=doc_id)
    async with turn(parts.lease, reading_of_source(source_id)):
        before = next((each for each in await parts.versions.held() if each.doc_id == doc_id), None)
        if before is None:
            raise Rejected("version_not_held", doc_id=doc_id)
        history = await parts.versions.history(before.document_id)
        await parts.versions.save((), released(history, doc_id, now().date()))
    async with turn(parts.lease, INDEX_WORK):
        await follow(parts.outbox, parts.embeddings, parts.writer, parts.embedder)
    with suppress(Misconfigured):  # what it was published for does not need the reader; the next run names it
        await read_rules(parts)
    after = await parts.versions.history(before.document_id)
    return next((each for each in after if each.doc_id == doc_id), before)
