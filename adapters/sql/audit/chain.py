"""Adding to the record, within a transaction: with what it tells of, or not at all."""

import secrets
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Select, func, insert, literal, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.sql.database.dialect import among, batches, chains_itself, insert_into
from adapters.sql.database.types import Json, storable, storable_json
from adapters.sql.tables.audit import audit_chains, audit_personal, audit_records
from bot.audit.checkpoints import ChainHead
from bot.audit.entries import (
    BEGINNING,
    INSTALLATION,
    PERSON,
    AuditEntry,
    DraftedRecord,
    PersonalFields,
    RecordKind,
    SealedRecord,
    draft,
    moment,
    sealed,
)
from bot.model.jsonable import jsonable
from ingest.ports import VersionUpdate, VersionWrite

_SALT_BYTES = 16


def new_salt() -> str:
    return secrets.token_hex(_SALT_BYTES)


async def add_entries(
    connection: AsyncConnection, entries: Sequence[AuditEntry], salt: Callable[[], str] = new_salt
) -> int:
    """Seals and adds those that are not there yet; how many. Others who add to the same chains wait for the end of this
    transaction."""
    added = 0
    chains = drafts_by_chain(entries, salt)
    if chains and chains_itself(connection.dialect):
        return sum((await connection.execute(append_statement(chains))).one())
    for chain, drafts in chains.items():
        added += await _add_to(connection, chain, drafts)
    return added


def drafts_by_chain(
    entries: Sequence[AuditEntry], salt: Callable[[], str] = new_salt
) -> dict[str, list[DraftedRecord]]:
    """In the order of the chains: two that add to several never wait for each other. Raises Rejected."""
    chains: dict[str, list[DraftedRecord]] = {}
    for entry in map(_storable, entries):
        chains.setdefault(entry.workspace, []).append(draft(entry, salt))
    return dict(sorted(chains.items()))


def append_statement(chains: Mapping[str, Sequence[DraftedRecord]]) -> Select[Any]:
    """Has the database add them: how many to each chain."""
    appends: list[ColumnElement[Any]] = [
        func.audit_append(chain, literal([_drafted_row(each) for each in drafts], Json), type_=BigInteger)
        for chain, drafts in chains.items()
    ]
    return select(*appends)


async def _add_to(connection: AsyncConnection, chain: str, drafts: Sequence[DraftedRecord]) -> int:
    head = await lock_chain(connection, chain)
    count, hash_ = head.count, head.hash
    added: list[SealedRecord] = []
    for each in await _new(connection, chain, drafts):
        added.append(sealed(each, count + 1, hash_))
        count, hash_ = count + 1, added[-1].hash
    if added:
        await write_sealed(connection, added)
        row = audit_chains.c.chain == chain
        await connection.execute(update(audit_chains).where(row).values(sequence=count, hash=hash_))
    return len(added)


async def lock_chain(connection: AsyncConnection, chain: str) -> ChainHead:
    """Its head. Until the end of this transaction nobody else adds to the chain."""
    locked = select(audit_chains).where(audit_chains.c.chain == chain).with_for_update()
    row = (await connection.execute(locked)).one_or_none()
    if row is None:
        first = {"chain": chain, "sequence": 0, "hash": BEGINNING}
        await connection.execute(insert_into(connection, audit_chains).values(first).on_conflict_do_nothing())
        row = (await connection.execute(locked)).one()
    return ChainHead(row.chain, row.sequence, row.hash)


async def _new(connection: AsyncConnection, chain: str, drafts: Sequence[DraftedRecord]) -> list[DraftedRecord]:
    """Those that are not recorded yet, each once."""
    wanted = {each.entry.record_id: each for each in reversed(drafts)}
    known: set[str] = set()
    for batch in batches(wanted):
        there = select(audit_records.c.record_id).where(
            audit_records.c.chain == chain, among(connection.dialect, audit_records.c.record_id, batch)
        )
        known.update((await connection.execute(there)).scalars())
    return [each for each in reversed(wanted.values()) if each.entry.record_id not in known]


async def write_sealed(connection: AsyncConnection, records: Sequence[SealedRecord]) -> None:
    """The rows of sealed records; their chain's head is the caller's."""
    for batch in batches(records):
        await connection.execute(insert(audit_records), [_record_row(each) for each in batch])
        personal = [_personal_row(each) for each in batch if each.personal]
        if personal:
            await connection.execute(insert(audit_personal), personal)


def _drafted_row(drafted: DraftedRecord) -> dict[str, Any]:
    """As `audit_append` takes it."""
    entry = drafted.entry
    return {
        "record_id": entry.record_id,
        "kind": entry.kind.value,
        "at": moment(entry.at),
        "subject": entry.subject,
        "origin": entry.origin,
        "before": drafted.before.decode(),
        "between": drafted.between.decode(),
        "after": drafted.after.decode(),
        **({"fields": _fields(drafted.personal), "person": _person(drafted.personal)} if drafted.personal else {}),
    }


def _record_row(record: SealedRecord) -> dict[str, Any]:
    entry = record.entry
    return {
        "chain": entry.workspace,
        "sequence": record.sequence,
        "record_id": entry.record_id,
        "kind": entry.kind.value,
        "at": entry.at,
        "subject": entry.subject,
        "origin": entry.origin,
        "hash": record.hash,
        "canonical": record.canonical,
    }


def _personal_row(record: SealedRecord) -> dict[str, Any]:
    return {
        "chain": record.entry.workspace,
        "sequence": record.sequence,
        "person": _person(record.personal),
        "fields": _fields(record.personal),
    }


def _fields(personal: PersonalFields) -> dict[str, Any]:
    return {name: {"salt": each.salt, "value": each.value} for name, each in personal.items()}


def _person(personal: PersonalFields) -> str | None:
    return personal[PERSON].value if PERSON in personal else None


def _storable(entry: AuditEntry) -> AuditEntry:
    """As the database will give it back: what is hashed must be what is stored."""
    return replace(
        entry,
        record_id=storable(entry.record_id),
        workspace=storable(entry.workspace),
        subject=storable(entry.subject),
        origin=storable(entry.origin),
        facts=storable_json(dict(entry.facts)),
        personal=storable_json(dict(entry.personal)),
    )


_OF_VERSION = (
    "doc_id",
    "document_id",
    "policy_source",
    "sha256",
    "pipeline",
    "status",
    "effective_from",
    "effective_to",
    "supersedes",
    "classification",
    "allowed_groups",
)


def ingest_entry(writes: Sequence[VersionWrite], updates: Sequence[VersionUpdate], at: datetime) -> AuditEntry:
    """What one saving wrote: the versions, with the hashes of the bytes they came from, and how others changed."""
    documents = {write.version.document_id for write in writes}
    facts = {"versions": [_version(each) for each in writes], "updates": jsonable(updates)}
    subject = documents.pop() if len(documents) == 1 else ""
    return AuditEntry(str(uuid.uuid4()), RecordKind.INGEST, INSTALLATION, at, subject, "ingest", facts)


def _version(write: VersionWrite) -> dict[str, Any]:
    values = {name: jsonable(getattr(write.version, name)) for name in _OF_VERSION}
    return {**values, "source_id": write.source_id, "chunks": len(write.chunks)}
