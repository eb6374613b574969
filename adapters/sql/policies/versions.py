"""The source of truth as ingesting writes it."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.chain import add_entries, ingest_entry
from adapters.sql.database.dialect import among, batches, insert_into
from adapters.sql.database.moments import Moments
from adapters.sql.database.transactions import fetch, write
from adapters.sql.database.types import storable, utc_now
from adapters.sql.policies.changes import documents_of, foresee, record_changes
from adapters.sql.policies.rows import (
    VERSION_COLUMNS,
    VERSION_ORDER,
    chunk_row,
    passages_from,
    select_passages,
    version_from,
    version_row,
)
from adapters.sql.tables.policies import chunks, documents, outbox, policy_sources, raw_files, version_texts, versions
from ingest.ports import VersionUpdate, VersionWrite
from rag_core.documents import (
    ContentType,
    DocumentVersion,
    PolicySource,
    VersionStatus,
    chunk_checksum,
    text_checksum,
)
from rag_core.errors import Rejected


class SqlVersionStore:
    """Every version that ever was. `now`, which dates the outbox items: see `Moments`.

    Beyond the port: saving once more what is stored already, to the letter, changes nothing, so that two
    processes that read the same source at once do not trip over one another.
    """

    def __init__(self, engine: AsyncEngine, now: Callable[[], datetime] | None = None) -> None:
        self._engine = engine
        self._moments = Moments(engine.dialect, now)
        self._now = now or utc_now

    async def declare(self, source: PolicySource) -> None:
        names = {"display_name": source.display_name, "aliases": list(source.aliases)}

        async def upsert(connection: AsyncConnection) -> None:
            statement = insert_into(connection, policy_sources).values(slug=source.slug, **names)
            await connection.execute(statement.on_conflict_do_update(index_elements=["slug"], set_=names))

        await write(self._engine, upsert)

    async def has_documents(self) -> bool:
        """Whether anything was ever saved, restricted documents too."""
        return bool(await fetch(self._engine, select(versions.c.doc_id).limit(1)))

    async def stored(self, source_id: str) -> list[DocumentVersion]:
        return await self._versions(versions.c.source_id == source_id)

    async def save(self, writes: Sequence[VersionWrite], updates: Sequence[VersionUpdate]) -> None:
        rows = [_chunk_rows(each) for each in writes]  # before the transaction: others wait for its end
        differences = await foresee(self._engine, writes, updates)
        entry = ingest_entry(writes, updates, self._now())

        async def save(connection: AsyncConnection) -> None:
            await _lock_documents(connection, [each.version for each in writes])
            touched = [
                each.version.doc_id
                for each, of_each in zip(writes, rows, strict=True)
                if await _insert(connection, each, of_each)
            ]
            for update_ in updates:
                await _update(connection, update_)
            touched += [each.doc_id for each in updates]
            documents_ = await documents_of(connection, writes, updates) if touched else ()
            await record_changes(connection, documents_, differences, self._moments.now())
            await self._announce(connection, touched)
            if touched:
                await add_entries(connection, [entry])  # last: others wait for its end

        await write(self._engine, save)

    async def checked(self, doc_ids: Sequence[str], at: datetime) -> None:

        async def confirm(connection: AsyncConnection) -> None:
            for batch in batches(sorted(doc_ids)):
                older = among(connection.dialect, versions.c.doc_id, batch) & (versions.c.checked_at < at)
                await connection.execute(update(versions).where(older).values(checked_at=at))

        await write(self._engine, confirm)

    async def text(self, doc_id: str) -> str | None:
        rows = await fetch(self._engine, select(version_texts.c.text).where(version_texts.c.doc_id == doc_id))
        return rows[0].text if rows else None

    async def some(self, doc_ids: Sequence[str]) -> list[DocumentVersion]:
        """The versions of these ids, whatever their status; those that are not there are left out."""
        found: list[DocumentVersion] = []
        for batch in batches(doc_ids):
            found += await self._versions(among(self._engine.dialect, versions.c.doc_id, batch))
        return found

    async def mend(self, doc_id: str, text: str) -> int:
        """Put back what `text`, that of the version as it is read from its bytes, says of texts that were changed;
        how many those were. Only what then fits its checksum is written."""
        text = storable(text)

        async def mend(connection: AsyncConnection) -> int:
            fits = (version_texts.c.doc_id == doc_id) & (version_texts.c.checksum == text_checksum(text))
            differs = version_texts.c.text != text
            mended = (await connection.execute(update(version_texts).where(fits, differs).values(text=text))).rowcount
            mine = select_passages().where(chunks.c.doc_id == doc_id)
            for each in passages_from((await connection.execute(mine)).all()):
                piece = text[each.chunk.char_start : each.chunk.char_end]
                if not each.is_intact and replace(each, chunk=replace(each.chunk, chunk_text=piece)).is_intact:
                    this = update(chunks).where(chunks.c.chunk_id == each.chunk.chunk_id)
                    mended += (await connection.execute(this.values(chunk_text=piece))).rowcount
            return mended

        return await write(self._engine, mend)

    async def held(self) -> list[DocumentVersion]:
        return await self._versions(versions.c.status == VersionStatus.HELD)

    async def history(self, document_id: str) -> list[DocumentVersion]:
        return await self._versions(versions.c.document_id == document_id)

    async def source_of(self, doc_id: str) -> str | None:
        rows = await fetch(self._engine, select(versions.c.source_id).where(versions.c.doc_id == doc_id))
        return rows[0].source_id if rows else None

    async def _versions(self, condition: ColumnElement[bool]) -> list[DocumentVersion]:
        statement = select(*VERSION_COLUMNS).where(condition).order_by(*VERSION_ORDER)
        return [version_from(row) for row in await fetch(self._engine, statement)]

    async def _announce(self, connection: AsyncConnection, doc_ids: Sequence[str]) -> None:
        # always a new item, even beside one that waits: that one may be being worked on just now,
        # with the chunks as they were before
        now = self._moments.now()
        new_item = insert(outbox).values(created_at=now, next_try_at=now, attempts=0)
        if items := [{"doc_id": doc_id} for doc_id in dict.fromkeys(doc_ids)]:
            await connection.execute(new_item, items)


def _chunk_rows(write: VersionWrite) -> list[dict[str, Any]]:
    """The chunks, checked for what makes them quotable and findable: they are pieces of this version's text, of
    known kind and place."""
    version = write.version
    for chunk in write.chunks:
        facts = {"doc_id": version.doc_id, "chunk_index": chunk.chunk_index}
        if (chunk.doc_id, chunk.policy_source) != (version.doc_id, version.policy_source):
            raise Rejected("chunk_of_another_version", **facts)
        if write.text[chunk.char_start : chunk.char_end] != chunk.chunk_text:
            raise Rejected("chunk_text_differs", **facts)
        if not chunk.regions:
            raise Rejected("region_missing", **facts)
        if chunk.content_type not in frozenset(ContentType):
            raise Rejected("unknown_content_type", value=str(chunk.content_type), known=sorted(ContentType), **facts)
    return [chunk_row(chunk) for chunk in write.chunks]


async def _insert(connection: AsyncConnection, write: VersionWrite, rows: list[dict[str, Any]]) -> bool:
    """False if it is stored already, exactly so."""
    version = write.version
    if await _is_stored(connection, write):
        return False
    row = version_row(version) | {"source_id": write.source_id, "chunk_count": len(rows)}
    await connection.execute(insert(versions), row)
    await connection.execute(insert(version_texts), _text_row(write))
    for batch in batches(rows):  # the longest time for one statement holds for each
        await connection.execute(insert(chunks), batch)
    return True


def _text_row(write: VersionWrite) -> dict[str, str]:
    text = storable(write.text)
    return {"doc_id": write.version.doc_id, "text": text, "checksum": text_checksum(text)}


async def _is_stored(connection: AsyncConnection, write: VersionWrite) -> bool:
    doc_id = write.version.doc_id
    identity = ("document_id", "policy_source", "sha256", "origin", "pipeline", "effective_from")
    statement = (
        select(versions.c.source_id, version_texts.c.text, *(versions.c[name] for name in identity))
        .join_from(versions, version_texts, version_texts.c.doc_id == versions.c.doc_id)
        .where(versions.c.doc_id == doc_id)
    )
    row = (await connection.execute(statement)).one_or_none()
    if row is None:
        return False
    ids = select(chunks.c.chunk_id).where(chunks.c.doc_id == doc_id).order_by(chunks.c.chunk_index)
    stored = (*row, list((await connection.execute(ids)).scalars()))
    same = (write.source_id, storable(write.text), *(getattr(write.version, name) for name in identity))
    if stored != (*same, [chunk.chunk_id for chunk in write.chunks]):
        raise Rejected("doc_id_exists", doc_id=doc_id)
    return True


async def _lock_documents(connection: AsyncConnection, touched: Sequence[DocumentVersion]) -> None:
    """Makes the documents known, and keeps others from adding versions to them until this transaction ends."""
    owned = {(version.document_id, version.policy_source) for version in touched}
    for document_id, policy_source in sorted(owned):  # in one order: two savers never wait for each other
        await _lock_document(connection, document_id, policy_source)


async def _lock_document(connection: AsyncConnection, document_id: str, policy_source: str) -> None:
    known = select(policy_sources.c.slug).where(policy_sources.c.slug == policy_source)
    if (await connection.execute(known)).first() is None:
        raise Rejected("unknown_policy_source", value=policy_source, document_id=document_id)
    row = {"document_id": document_id, "policy_source": policy_source}
    await connection.execute(insert_into(connection, documents).values(row).on_conflict_do_nothing())
    owner = select(documents.c.policy_source).where(documents.c.document_id == document_id).with_for_update()
    if (stored := await connection.scalar(owner)) != policy_source:
        raise Rejected("document_id_taken", document_id=document_id, policy_source=stored)


async def _update(connection: AsyncConnection, change: VersionUpdate) -> None:
    if change.status not in frozenset(VersionStatus):
        raise Rejected("unknown_status", value=change.status, known=sorted(VersionStatus))
    days: dict[str, Any] = {"effective_to": change.effective_to}
    if change.effective_from is not None:
        days["effective_from"] = change.effective_from
    values = days | {"status": change.status, "supersedes": change.supersedes}
    if change.open_start is not None:
        values["open_start"] = change.open_start
    changed = await connection.execute(update(versions).where(versions.c.doc_id == change.doc_id).values(values))
    if not changed.rowcount:
        raise Rejected("unknown_doc_id", doc_id=change.doc_id)
    await _update_chunks(connection, change.doc_id, days)


async def _update_chunks(connection: AsyncConnection, doc_id: str, days: dict[str, Any]) -> None:
    """The days of the chunks of a version, and the checksums of those that were intact: others stay found out."""
    mine = chunks.c.doc_id == doc_id
    before = passages_from((await connection.execute(select_passages().where(mine))).all())
    await connection.execute(update(chunks).where(mine).values(days))
    rows = [
        {"changed": each.chunk.chunk_id, "fitting": chunk_checksum(replace(each.chunk, **days))}
        for each in before
        if each.is_intact
    ]
    renewed = update(chunks).where(chunks.c.chunk_id == bindparam("changed")).values(checksum=bindparam("fitting"))
    for batch in batches(rows):
        await connection.execute(renewed, batch)


class SqlRawFiles:
    """Keyed by SHA-256; what is there is never written again. Raises Rejected("raw_file_differs") for bytes that are
    not what the key says."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def keep(self, sha256: str, content: bytes) -> None:
        if hashlib.sha256(content).hexdigest() != sha256:
            raise Rejected("raw_file_differs", sha256=sha256)

        async def insert(connection: AsyncConnection) -> None:
            row = {"sha256": sha256, "size": len(content), "content": content}
            await connection.execute(insert_into(connection, raw_files).values(row).on_conflict_do_nothing())

        await write(self._engine, insert)

    async def read(self, sha256: str) -> bytes | None:
        rows = await fetch(self._engine, select(raw_files.c.content).where(raw_files.c.sha256 == sha256))
        return bytes(rows[0].content) if rows else None
