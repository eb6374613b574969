"""What was read in the rules of documents, beside their chunks, and what operators say of them."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.chain import add_entries
from adapters.sql.database.dialect import among, batches, insert_into
from adapters.sql.database.transactions import fetch, write
from adapters.sql.policies.embeddings import STORED, vector_checksum
from adapters.sql.policies.rows import SHOWN, passages_from, select_passages
from adapters.sql.tables.policies import (
    chunk_readings,
    chunks,
    correction_checksum,
    documents,
    embeddings,
    policy_rules,
    reading_checksum,
    rule_corrections,
    versions,
)
from bot.audit.entries import administration
from bot.audit.verification import CORRECTED, WITHDRAWN
from ingest.model.rules import Correction, ReadChunk, ReadRule, ReadWith
from rag_core.documents import Passage
from rag_core.errors import STORED_TEXT_CHANGED, Rejected, Unavailable
from rag_core.rules.reader import Effect, KeptReading, RuleReading

_DIGITS = 4
"""Of a probability that are kept."""

CHECKED = tuple(
    getattr(policy_rules.c, name)
    for name in ("chunk_id", "rule_number", "document_id", "rule_hash", "text_hash", "reading", "reader", "checksum")
)


class SqlRuleStore:
    """`rag_core.rules.reader.RuleReadings`, and `ingest.model.rules.RuleStore`.

    `kept` raises Unavailable("stored_text_changed") for readings, vectors and corrections that do not fit their
    checksums; `changed` is told the ids of their chunks.
    """

    def __init__(self, engine: AsyncEngine, changed: Callable[[Sequence[str]], None] | None = None) -> None:
        self._engine = engine
        self._changed = changed

    async def kept(self, chunk_ids: Sequence[str], model: str) -> dict[str, dict[int, KeptReading]]:
        rules, corrected = policy_rules.c, rule_corrections.c
        vector_of = and_(embeddings.c.content_hash == rules.text_hash, embeddings.c.model == model)
        correction_of = and_(corrected.document_id == rules.document_id, corrected.rule_hash == rules.rule_hash)
        statement = (
            select(*CHECKED, corrected.effect, corrected.checksum, embeddings.c.vector, embeddings.c.checksum)
            .outerjoin_from(policy_rules, rule_corrections, correction_of)
            .outerjoin(embeddings, vector_of)
        )
        found: dict[str, dict[int, KeptReading]] = {}
        for batch in batches(dict.fromkeys(chunk_ids)):
            some = statement.where(among(self._engine.dialect, rules.chunk_id, batch))
            rows = await fetch(self._engine, some)
            if changed := [row.chunk_id for row in rows if not _is_intact(row, model)]:
                self._refuse(list(dict.fromkeys(changed)))
            for row in rows:
                found.setdefault(row.chunk_id, {})[row.rule_number] = _kept(row)
        return found

    def _refuse(self, changed: Sequence[str]) -> NoReturn:
        if self._changed is not None:
            self._changed(changed)
        raise Unavailable(STORED_TEXT_CHANGED, ids=list(changed))

    async def count_lacking(self, read_with: ReadWith) -> int:
        statement = select(func.count()).select_from(chunks.join(versions, chunks.c.doc_id == versions.c.doc_id))
        ((count,),) = await fetch(self._engine, statement.where(SHOWN, ~_was_read(read_with)))
        return int(count)

    async def lacking(self, read_with: ReadWith, limit: int, after: str = "") -> list[Passage]:
        statement = select_passages().where(SHOWN, chunks.c.chunk_id > after, ~_was_read(read_with))
        return passages_from(await fetch(self._engine, statement.order_by(chunks.c.chunk_id).limit(limit)))

    async def known(self, reader: str, text_hashes: Sequence[str]) -> dict[str, RuleReading]:
        found: dict[str, RuleReading] = {}
        for batch in batches(dict.fromkeys(text_hashes)):
            of_texts = among(self._engine.dialect, policy_rules.c.text_hash, batch)
            rows = await fetch(self._engine, select(*CHECKED).where(policy_rules.c.reader == reader, of_texts))
            found.update((row.text_hash, _reading(row.reading)) for row in rows if is_reading_intact(row))
        return found

    async def keep(self, read_with: ReadWith, chunks: Sequence[ReadChunk]) -> None:
        in_order = sorted(chunks, key=lambda each: each.chunk_id)  # two that keep the same never wait for each other
        rows = [_row(read_with.reader, chunk, rule) for chunk in in_order for rule in chunk.rules]
        how = {"rules": read_with.rules, "reader": read_with.reader, "model": read_with.model}
        marks = [{"chunk_id": chunk.chunk_id, **how} for chunk in in_order]

        async def replace(connection: AsyncConnection) -> None:
            for ids in batches([chunk.chunk_id for chunk in in_order]):
                await connection.execute(delete(policy_rules).where(policy_rules.c.chunk_id.in_(ids)))
            for some in batches(rows):
                await connection.execute(insert_into(connection, policy_rules).on_conflict_do_nothing(), some)
            mark = insert_into(connection, chunk_readings)
            mark = mark.on_conflict_do_update(
                index_elements=["chunk_id"], set_={name: mark.excluded[name] for name in how}
            )
            for of_chunks in batches(marks):
                await connection.execute(mark, of_chunks)

        await write(self._engine, replace)

    async def corrections(self, document_id: str) -> dict[str, Correction]:
        rows = await fetch(self._engine, select(rule_corrections).where(rule_corrections.c.document_id == document_id))
        return {row.rule_hash: _correction(row) for row in rows}

    async def correct(self, correction: Correction) -> None:
        key = {"document_id": correction.document_id, "rule_hash": correction.rule_hash}
        values = {name: getattr(correction, name) for name in ("effect", "person", "at", "note")}
        values["checksum"] = correction_checksum(correction.document_id, correction.rule_hash, correction.effect)
        entry = administration(
            str(uuid.uuid4()),
            CORRECTED,
            correction.at,
            person=correction.person,
            target=correction.document_id,
            facts={"rule_hash": correction.rule_hash, "effect": correction.effect.value},
            reason=correction.note,
        )

        async def upsert(connection: AsyncConnection) -> None:
            known = select(documents.c.document_id).where(documents.c.document_id == correction.document_id)
            if (await connection.execute(known)).first() is None:
                raise Rejected("unknown_document", document_id=correction.document_id)
            statement = insert_into(connection, rule_corrections).values(**key, **values)
            await connection.execute(statement.on_conflict_do_update(index_elements=list(key), set_=values))
            await add_entries(connection, [entry])

        await write(self._engine, upsert)

    async def withdraw(self, document_id: str, rule_hash: str, person: str, at: datetime) -> Correction:
        this = and_(rule_corrections.c.document_id == document_id, rule_corrections.c.rule_hash == rule_hash)
        found = (await self.corrections(document_id)).get(rule_hash)
        if found is None:
            raise Rejected("unknown_correction", document_id=document_id, rule_id=rule_hash[:8])
        facts = {"rule_hash": rule_hash, "effect": found.effect.value}
        entry = administration(str(uuid.uuid4()), WITHDRAWN, at, person=person, target=document_id, facts=facts)

        async def remove(connection: AsyncConnection) -> None:
            await connection.execute(delete(rule_corrections).where(this))
            await add_entries(connection, [entry])

        await write(self._engine, remove)
        return found


def _was_read(read_with: ReadWith) -> ColumnElement[bool]:
    """Whether a chunk was read with all of this."""
    marks = chunk_readings.c
    return exists().where(
        marks.chunk_id == chunks.c.chunk_id,
        marks.rules == read_with.rules,
        marks.reader == read_with.reader,
        marks.model == read_with.model,
    )


def is_reading_intact(row: Any) -> bool:
    """Whether a row of `policy_rules` is as it was stored; one that cannot be read is not."""
    try:
        return bool(row.checksum == reading_checksum(row))
    except (KeyError, TypeError, ValueError):
        return False


def _is_intact(row: Any, model: str) -> bool:
    """Whether a reading, its correction and its vector are as they were stored."""
    *_, effect, correction, vector, fitting = row
    return (
        is_reading_intact(row)
        and (effect is None or correction == correction_checksum(row.document_id, row.rule_hash, effect))
        and (vector is None or fitting == vector_checksum(row.text_hash, model, vector))
    )


def _kept(row: Any) -> KeptReading:
    return KeptReading(
        row.reader,
        _reading(row.reading),
        Effect(row.effect) if row.effect else None,
        np.frombuffer(row.vector, STORED).astype(np.float32) if row.vector is not None else None,
        row.rule_hash,
    )


def _reading(stored: Any) -> RuleReading:
    return RuleReading({effect: stored["effects"][effect] for effect in Effect}, stored["no_rule"])


def _row(reader: str, chunk: ReadChunk, rule: ReadRule) -> dict[str, object]:
    effects = {effect.value: round(share, _DIGITS) for effect, share in rule.reading.effects.items()}
    row = {
        "chunk_id": chunk.chunk_id,
        "rule_number": rule.number,
        "doc_id": chunk.doc_id,
        "document_id": chunk.document_id,
        "rule_hash": rule.rule_hash,
        "text_hash": rule.text_hash,
        "kind": rule.kind,
        "body_start": rule.body_start,
        "body_end": rule.body_end,
        "reading": {"effects": effects, "no_rule": round(rule.reading.no_rule, _DIGITS)},
        "opinion": rule.opinion.effect,
        "opinion_certainty": rule.opinion.certainty,
        "reader": reader,
    }
    return {**row, "checksum": reading_checksum(SimpleNamespace(**row))}


def _correction(row: Any) -> Correction:
    return Correction(row.document_id, row.rule_hash, Effect(row.effect), row.person, row.at, row.note)


_AT_A_TIME = 500


@dataclass(frozen=True, slots=True)
class ChangedReadings:
    """What does not fit its checksum. `chunks`: of which a rule's reading or vector does not, or the vector is gone.
    `vectors`: content hashes. `documents`: of which a correction does not."""

    chunks: Sequence[str]
    vectors: Sequence[str]
    documents: Sequence[str]


class SqlKeptReadings:
    """Readings of rules, vectors and corrections, of every version. Raises Unavailable."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def changed(self) -> ChangedReadings:
        """Every row held against its checksum, batch by batch."""
        vectors = await self._changed_vectors()
        of_texts = await self._lacking_vectors(vectors)
        return ChangedReadings(sorted(of_texts | await self._changed_rules()), vectors, await self._corrections())

    async def discard(self, changed: ChangedReadings) -> None:
        """All but corrections: vectors and readings count as never made, and are made again where they are needed."""

        async def remove(connection: AsyncConnection) -> None:
            for batch in batches(changed.vectors):
                await connection.execute(delete(embeddings).where(embeddings.c.content_hash.in_(batch)))
            for batch in batches(changed.chunks):
                for table in (policy_rules, chunk_readings):
                    await connection.execute(delete(table).where(table.c.chunk_id.in_(batch)))

        await write(self._engine, remove)

    async def _changed_vectors(self) -> list[str]:
        found: list[str] = []
        hash_, model = embeddings.c.content_hash, embeddings.c.model
        following = select(embeddings).order_by(hash_, model).limit(_AT_A_TIME)
        rows = await fetch(self._engine, following)
        while rows:
            for row in rows:
                if row.checksum != vector_checksum(row.content_hash, row.model, row.vector):
                    found.append(row.content_hash)
            last = rows[-1]
            behind = or_(hash_ > last.content_hash, and_(hash_ == last.content_hash, model > last.model))
            rows = await fetch(self._engine, following.where(behind))
        return found

    async def _lacking_vectors(self, changed: Sequence[str]) -> set[str]:
        """The chunks that were read, of which a rule has no vector, or one of `changed`."""
        vector_of = and_(
            embeddings.c.content_hash == policy_rules.c.text_hash, embeddings.c.model == chunk_readings.c.model
        )
        rules = (
            select(policy_rules.c.chunk_id)
            .join_from(policy_rules, chunk_readings, chunk_readings.c.chunk_id == policy_rules.c.chunk_id)
            .outerjoin(embeddings, vector_of)
        )
        rows = list(await fetch(self._engine, rules.where(embeddings.c.content_hash.is_(None))))
        for batch in batches(changed):
            rows += await fetch(self._engine, rules.where(policy_rules.c.text_hash.in_(batch)))
        return {row.chunk_id for row in rows}

    async def _changed_rules(self) -> set[str]:
        found: set[str] = set()
        chunk, number = policy_rules.c.chunk_id, policy_rules.c.rule_number
        following = select(*CHECKED).order_by(chunk, number).limit(_AT_A_TIME)
        rows = await fetch(self._engine, following)
        while rows:
            found |= {row.chunk_id for row in rows if not is_reading_intact(row)}
            last = rows[-1]
            behind = or_(chunk > last.chunk_id, and_(chunk == last.chunk_id, number > last.rule_number))
            rows = await fetch(self._engine, following.where(behind))
        return found

    async def _corrections(self) -> list[str]:
        rows = await fetch(self._engine, select(rule_corrections))
        changed = [
            row.document_id
            for row in rows
            if row.checksum != correction_checksum(row.document_id, row.rule_hash, row.effect)
        ]
        return sorted(set(changed))
