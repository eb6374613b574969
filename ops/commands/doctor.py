"""Store and index held against each other, the index built anew, the database migrated."""

import hashlib
import sys
import time
from pathlib import PurePosixPath

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.revision import HEAD_REVISION
from adapters.sql.policies.rules import SqlKeptReadings
from adapters.sql.policies.store import SqlKeptPassages
from adapters.sql.policies.versions import SqlVersionStore
from ingest import indexing
from ingest.indexing import INDEX_WORK, rebuild_index
from ingest.model.turns import turn
from ingest.parts import IngestParts
from ingest.ports import RawDocument, SourceDefaults
from ingest.reader.version import task_of
from ingest.rules.reading import read_rules
from ingest.rules.wording import not_read
from ops.acts import record_act
from ops.config import Config
from ops.parts import utc_now
from ops.wiring import open_engine, open_ingest
from ops.wording import general as wording
from rag_core.documents import PolicySource
from rag_core.errors import Misconfigured, Rejected

_SHOWN = 5


async def migrate(config: Config) -> int:
    """Bring the database to the newest revision."""
    async with open_engine(config):
        print(wording.migrated(HEAD_REVISION))
    return 0


async def doctor(config: Config) -> int:
    """Compare store and index, say what differs; 1 if something does."""
    async with open_ingest(config) as parts, open_engine(config) as engine:
        readings = SqlKeptReadings(engine)
        return max(await compare(parts), await check_texts(SqlKeptPassages(engine)), await check_readings(readings))


async def check_texts(kept: SqlKeptPassages) -> int:
    """Whether every stored text is as it was when it was stored; 1 if one is not."""
    found = await kept.changed()
    facts = wording.texts_facts(len(found.chunks), len(found.versions))
    print(wording.doctor_line("texts", ok=not found.doc_ids, facts=facts))
    if ids := [*found.versions, *sorted(found.chunks)]:
        print(wording.doctor_differs(wording.CHANGED_TEXTS, ids[:_SHOWN], max(0, len(ids) - _SHOWN)))
        print(wording.TEXTS_ADVICE)
    return 1 if ids else 0


async def check_readings(kept: SqlKeptReadings) -> int:
    """Whether readings of rules, vectors and corrections are as they were when they were stored; 1 if one is not."""
    found = await kept.changed()
    ids = [*found.documents, *found.chunks]
    is_ok = not ids and not found.vectors
    facts = wording.readings_facts(len(found.chunks), len(found.vectors), len(found.documents))
    print(wording.doctor_line("readings", ok=is_ok, facts=facts))
    if ids:
        print(wording.doctor_differs(wording.CHANGED_TEXTS, ids[:_SHOWN], max(0, len(ids) - _SHOWN)))
    if not is_ok:
        print(wording.READINGS_ADVICE)
    return 0 if is_ok else 1


async def mend_texts(parts: IngestParts, engine: AsyncEngine) -> int:
    """Put back the texts that were changed in the database, as they are read from the stored bytes; how many those
    were. A document that cannot be read again is left as it is: `doctor` goes on naming it."""
    changed, store, mended = await SqlKeptPassages(engine).changed(), SqlVersionStore(engine), 0
    documents = {each.doc_id: each for each in await store.some(changed.doc_ids)}
    for doc_id, version in documents.items():
        content = await parts.raw_files.read(version.sha256)
        if content is None or hashlib.sha256(content).hexdigest() != version.sha256:
            continue
        name = PurePosixPath(version.origin).name
        raw = RawDocument(version.origin, name, content, version.mime_type, version.url)
        defaults = SourceDefaults(PolicySource(version.policy_source, version.policy_source))
        try:
            contents = await parts.reader.read(task_of(raw, defaults, version.seen_at.date()))
        except Rejected:
            continue
        mended += await store.mend(doc_id, contents.text)
    if mended:
        print(wording.texts_mended(mended))
    return mended


async def reindex(config: Config, *, verify: bool = False) -> int:
    """Put back texts that were changed, and build the index anew from the store, beside the live one; with `verify`,
    compare the two afterwards."""
    async with open_ingest(config) as parts, open_engine(config) as engine:
        mended = await mend_texts(parts, engine)
        readings = SqlKeptReadings(engine)
        await readings.discard(await readings.changed())  # made again below
        code = await rebuild(parts)
        await record_act(engine, "reindex", facts={"mended": mended} if mended else {})
        return await compare(parts) if verify and code == 0 else code


async def compare(parts: IngestParts) -> int:
    """`doctor`, on what is open already: counts, ids, content and what filters look at."""
    lag = await parts.outbox.lag()  # before the comparison: what comes in meanwhile must not look lost
    is_current = await parts.writer.is_current()
    indexed = await parts.writer.indexed() if is_current else {}
    found = await indexing.compare(parts.outbox, indexed)
    facts = wording.store_facts(found.chunks, found.versions)
    print(wording.doctor_line("store", ok=bool(found.chunks), facts=facts))
    facts = wording.index_facts(len(indexed)) if is_current else wording.INDEX_NOT_CURRENT
    print(wording.doctor_line("index", ok=is_current and not found.differing, facts=facts))
    if is_current:
        _tell_differences(found)
    print(wording.doctor_line("outbox", ok=not lag.waiting, facts=wording.outbox_facts(lag, utc_now())))
    is_lost = bool(found.differing) and not lag.waiting if is_current else bool(found.chunks)
    if is_lost:
        print(wording.DOCTOR_ADVICE)
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


def _tell_differences(found: indexing.Comparison) -> None:
    kinds = {
        wording.ONLY_IN_STORE: found.only_in_store,
        wording.ONLY_IN_INDEX: found.only_in_index,
        wording.DIFFERENTLY_INDEXED: found.changed,
    }
    for kind, chunks in kinds.items():
        if chunks:
            print(wording.doctor_differs(kind, sorted(chunks)[:_SHOWN], max(0, len(chunks) - _SHOWN)))
