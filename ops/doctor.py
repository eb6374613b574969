"""Store and index held against each other, the index built anew, the database migrated."""

import sys
import time

from adapters.sql.change_filling import fill_changes
from adapters.sql.schema import HEAD_REVISION
from ingest import comparing
from ingest.indexing import INDEX_WORK, rebuild_index
from ingest.rules.reading import read_rules
from ingest.rules.wording import not_read
from ingest.turns import turn
from ops import wording
from ops.acts import record_act
from ops.config import Config
from ops.parts import IngestParts, utc_now
from ops.wiring import open_engine, open_ingest
from rag_core.errors import Misconfigured

_SHOWN = 5


async def migrate(config: Config) -> int:
    """Bring the database to the newest revision, and tell the changes of what was stored before there were any."""
    async with open_engine(config) as engine:
        print(wording.migrated(HEAD_REVISION))
        if told := await fill_changes(engine):
            print(wording.changes_filled(told))
            await record_act(engine, "fill_changes", facts={"changes": told})
    return 0


async def doctor(config: Config) -> int:
    """Compare store and index, say what differs; 1 if something does."""
    async with open_ingest(config) as parts:
        return await compare(parts)


async def reindex(config: Config, *, verify: bool = False) -> int:
    """Build the index anew from the store, beside the live one; with `verify`, compare the two afterwards."""
    async with open_ingest(config) as parts:
        code = await rebuild(parts)
        async with open_engine(config) as engine:
            await record_act(engine, "reindex")
        return await compare(parts) if verify and code == 0 else code


async def compare(parts: IngestParts) -> int:
    """`doctor`, on what is open already: counts, ids, content and what filters look at."""
    lag = await parts.outbox.lag()  # before the comparison: what comes in meanwhile must not look lost
    is_current = await parts.writer.is_current()
    indexed = await parts.writer.indexed() if is_current else {}
    found = await comparing.compare(parts.outbox, indexed)
    facts = wording.store_facts(found.chunks, found.versions)
    print(wording.doctor_line("store", ok=bool(found.chunks), facts=facts))
    facts = wording.index_facts(len(indexed)) if is_current else wording.index_not_current()
    print(wording.doctor_line("index", ok=is_current and not found.differing, facts=facts))
    if is_current:
        _tell_differences(found)
    print(wording.doctor_line("outbox", ok=not lag.waiting, facts=wording.outbox_facts(lag, utc_now())))
    is_lost = bool(found.differing) and not lag.waiting if is_current else bool(found.chunks)
    if is_lost:
        print(wording.doctor_advice())
    return 0 if is_current and found.chunks and not found.differing and not lag.waiting else 1


async def rebuild(parts: IngestParts) -> int:
    """`reindex`, on what is open already. Embeddings are those the store keeps: only missing ones are made. Rules that
    were not read yet are."""
    started = time.perf_counter()
    async with turn(parts.lease, INDEX_WORK):
        await rebuild_index(parts.outbox, parts.embeddings, parts.writer, parts.embedder)
    print(wording.reindexed(len(await parts.writer.indexed()), time.perf_counter() - started))
    try:
        await read_rules(parts)
    except Misconfigured as error:
        print(not_read(error.code, error.details), file=sys.stderr)
    return 0


def _tell_differences(found: comparing.Comparison) -> None:
    kinds = {
        wording.only_in_store(): found.only_in_store,
        wording.only_in_index(): found.only_in_index,
        wording.differently_indexed(): found.changed,
    }
    for kind, chunks in kinds.items():
        if chunks:
            print(wording.doctor_differs(kind, sorted(chunks)[:_SHOWN], max(0, len(chunks) - _SHOWN)))
