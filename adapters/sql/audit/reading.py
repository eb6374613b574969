"""The record as it is checked, exported and looked at."""

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.forgetting import IS_EMPTY
from adapters.sql.database.dialect import as_stored, insert_into
from adapters.sql.database.transactions import Rows, fetch, read, write
from adapters.sql.tables.audit import audit_chains, audit_checkpoints, audit_database, audit_personal, audit_records
from adapters.sql.tables.policies import rule_corrections
from bot.audit.checkpoints import ChainHead, Checkpoint, RecordDatabase
from bot.audit.entries import RecordKind, body_of, moment
from bot.audit.verification import COLUMNS, NOTHING, Forgotten, StoredRecord, told_forgotten

BEFORE_ALL = -(2**62)
"""A sequence below any: what somebody smuggled in below 1 is to be seen, too."""

_AT_A_TIME = 1_000

_BYTES = (audit_records.c.sequence, audit_records.c.hash, audit_records.c.canonical)
_ACTS = select(audit_records.c.canonical).where(audit_records.c.kind == RecordKind.ADMINISTRATION.value)
_BESIDE = and_(audit_personal.c.chain == audit_records.c.chain, audit_personal.c.sequence == audit_records.c.sequence)


@dataclass(frozen=True, slots=True)
class RecordOfSubject:
    """`personal`: {name: {salt, value}}, empty where it was forgotten."""

    chain: str
    sequence: int
    canonical: bytes
    personal: dict[str, Any] | None


class SqlAuditReading:
    """Reads only."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def heads(self) -> list[ChainHead]:
        rows = await fetch(self._engine, select(audit_chains).order_by(audit_chains.c.chain))
        return [ChainHead(row.chain, row.sequence, row.hash) for row in rows]

    async def chains(self) -> list[str]:
        """Those that have a head, and those that have records without one."""
        rows = await fetch(self._engine, select(audit_records.c.chain).distinct())
        return sorted({row.chain for row in rows} | {head.chain for head in await self.heads()})

    async def head(self, chain: str) -> ChainHead | None:
        rows = await fetch(self._engine, select(audit_chains).where(audit_chains.c.chain == chain))
        return ChainHead(chain, rows[0].sequence, rows[0].hash) if rows else None

    async def records(self, chain: str, *, columns: bool, after: int = BEFORE_ALL) -> AsyncIterator[list[StoredRecord]]:
        """Those of a chain behind `after` in the order of their sequence, some at a time; `columns`: with columns and
        personal fields."""
        while True:
            behind = (audit_records.c.chain == chain) & (audit_records.c.sequence > after)
            statement = select(*_BYTES, *(self._columns() if columns else ())).where(behind)
            rows = await fetch(self._engine, statement.order_by(audit_records.c.sequence).limit(_AT_A_TIME))
            if rows:
                yield await self._with_columns(chain, rows) if columns else [_record(*row) for row in rows]
            if len(rows) < _AT_A_TIME:
                return
            after = rows[-1].sequence

    async def _with_columns(self, chain: str, rows: Rows) -> list[StoredRecord]:
        """With what stands beside them: asked for by itself, as a join may read all of it for each page."""
        here = audit_personal.c.sequence.between(rows[0].sequence, rows[-1].sequence)
        fields = as_stored(self._engine.dialect, audit_personal.c.fields)
        columns = (audit_personal.c.sequence, fields.label("fields"), audit_personal.c.person)
        personal = await fetch(self._engine, select(*columns).where(audit_personal.c.chain == chain, here))
        beside = {row.sequence: (row.fields, row.person) for row in personal}
        return [_with_columns(row, *beside.get(row.sequence, (None, None))) for row in rows]

    def _columns(self) -> tuple[ColumnElement[Any], ...]:
        at = as_stored(self._engine.dialect, audit_records.c.at).label("at")
        return (*(at if name == "at" else audit_records.c[name] for name in COLUMNS),)

    async def of_subject(self, subject: str) -> list[RecordOfSubject]:
        """The records about an answer or a document, in the order of their chains."""
        statement = (
            select(audit_records.c.chain, audit_records.c.sequence, audit_records.c.canonical, audit_personal.c.fields)
            .outerjoin_from(audit_records, audit_personal, _BESIDE)
            .where(audit_records.c.subject == subject)
            .order_by(audit_records.c.chain, audit_records.c.sequence)
        )
        return [RecordOfSubject(*row) for row in await fetch(self._engine, statement)]

    async def newest(self, chain: str, kind: RecordKind) -> bytes | None:
        """The canonical bytes of the last record of a kind."""
        statement = (
            select(audit_records.c.canonical)
            .where(audit_records.c.chain == chain, audit_records.c.kind == kind.value)
            .order_by(audit_records.c.sequence.desc())
            .limit(1)
        )
        rows = await fetch(self._engine, statement)
        return rows[0].canonical if rows else None

    async def forgotten(self) -> dict[str, tuple[list[int], Forgotten]]:
        """Of each chain with any: the records whose personal fields are empty, and what the last act says of that; in
        one state of the database. Raises Unavailable."""
        empty = select(audit_personal.c.chain, audit_personal.c.sequence).where(IS_EMPTY)

        async def both(connection: AsyncConnection) -> dict[str, tuple[list[int], Forgotten]]:
            told = told_forgotten(_bodies((await connection.execute(_ACTS)).scalars()))
            found: dict[str, list[int]] = {chain: [] for chain in told}
            ordered = empty.order_by(audit_personal.c.chain, audit_personal.c.sequence)
            for chain, sequence in (await connection.execute(ordered)).all():
                found.setdefault(chain, []).append(sequence)
            return {chain: (each, told.get(chain, NOTHING)) for chain, each in found.items()}

        return await read(self._engine, both)

    async def corrections(self) -> tuple[list[dict[str, Any]], dict[tuple[str, str], str]]:
        """The bodies of all acts, and the effects of the corrections in force by document and hash of the rule; in one
        state of the database. Raises Unavailable."""
        columns = (rule_corrections.c.document_id, rule_corrections.c.rule_hash, rule_corrections.c.effect)

        async def both(connection: AsyncConnection) -> tuple[list[dict[str, Any]], dict[tuple[str, str], str]]:
            bodies = list(_bodies((await connection.execute(_ACTS)).scalars()))
            rows = (await connection.execute(select(*columns))).all()
            return bodies, {(document_id, rule_hash): effect for document_id, rule_hash, effect in rows}

        return await read(self._engine, both)

    async def acts(self) -> list[dict[str, Any]]:
        """The bodies of all acts. Raises Unavailable."""
        return list(_bodies(row.canonical for row in await fetch(self._engine, _ACTS)))


def _bodies(texts: Iterable[bytes | str]) -> Iterator[dict[str, Any]]:
    """What was tampered with says nothing."""
    for text in texts:
        with suppress(ValueError):
            yield body_of(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))


def _with_columns(row: Sequence[Any], fields: Any, person: str | None) -> StoredRecord:
    sequence, hash_, canonical, *values = row
    columns = tuple(
        moment_as_stored(each) if name == "at" else each for name, each in zip(COLUMNS, values, strict=True)
    )
    record = _record(sequence, hash_, canonical)
    return replace(record, columns=columns, personal=None if fields is None else _fields(fields), person=person)


def moment_as_stored(at: datetime | str) -> str:
    """A moment as records write it; what is no moment stays as it is: it will not be what the record says."""
    if isinstance(at, datetime):
        return moment(at)
    try:
        return moment(datetime.fromisoformat(at).replace(tzinfo=UTC))
    except (ValueError, TypeError, OverflowError):
        return str(at)


def _fields(stored: Any) -> dict[str, Any]:
    """What cannot be read is a field without a name: no record has one; so is what is empty in another spelling than
    forgetting leaves."""
    try:
        found = json.loads(stored) if isinstance(stored, str | bytes) else stored
    except ValueError:
        found = None
    is_forgotten = stored in ("{}", {})
    return found if isinstance(found, dict) and (found or is_forgotten) else {"": None}


def _record(sequence: int, hash_: str, canonical: bytes | str) -> StoredRecord:
    """SQLite keeps what it is given: somebody may have made a text of the bytes."""
    text = canonical.encode("utf-8", "surrogatepass") if isinstance(canonical, str) else canonical
    return StoredRecord(sequence, hash_, text)


class SqlAuditCheckpoints:
    """One row a chain, count and key; adding one again changes nothing."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def database(self) -> RecordDatabase:
        """Which database this is; without an id where somebody took its row. Raises Unavailable."""
        rows = await fetch(self._engine, select(audit_database.c.database_id, audit_database.c.has_unnamed))
        return RecordDatabase(*rows[0]) if rows else RecordDatabase("", has_unnamed=True)

    async def due(self, key_id: str) -> list[ChainHead]:
        """Heads with something new since this key's last checkpoint."""
        last = (  # of each chain by itself: the end of an index, however many there are
            select(audit_checkpoints.c.sequence)
            .where(audit_checkpoints.c.chain == audit_chains.c.chain, audit_checkpoints.c.key_id == key_id)
            .order_by(audit_checkpoints.c.sequence.desc())
            .limit(1)
            .correlate(audit_chains)
            .scalar_subquery()
        )
        statement = (
            select(audit_chains).where(audit_chains.c.sequence > func.coalesce(last, 0)).order_by(audit_chains.c.chain)
        )
        return [ChainHead(row.chain, row.sequence, row.hash) for row in await fetch(self._engine, statement)]

    async def add(self, checkpoint: Checkpoint) -> None:
        row = {
            "chain": checkpoint.head.chain,
            "sequence": checkpoint.head.count,
            "key_id": checkpoint.key_id,
            "statement": checkpoint.statement,
            "signature": checkpoint.signature,
        }

        async def insert(connection: AsyncConnection) -> None:
            await connection.execute(insert_into(connection, audit_checkpoints).values(row).on_conflict_do_nothing())

        await write(self._engine, insert)

    async def stored(self) -> list[tuple[bytes, str]]:
        """Statement and signature of all, as they are stored, in the order of chain and count."""
        columns = (audit_checkpoints.c.statement, audit_checkpoints.c.signature)
        order = (audit_checkpoints.c.chain, audit_checkpoints.c.sequence, audit_checkpoints.c.key_id)
        return [(row.statement, row.signature) for row in await fetch(self._engine, select(*columns).order_by(*order))]
