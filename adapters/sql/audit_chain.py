"""Adding to the record, within a transaction: with what it tells of, or not at all."""

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.sql.dialect import among, batches, insert_into
from adapters.sql.tables import audit_chains, audit_personal, audit_records
from adapters.sql.types import storable, storable_json
from bot.record.checkpoints import ChainHead
from bot.record.entries import BEGINNING, AuditEntry, SealedRecord, seal
from bot.record.personal import PERSON

_SALT_BYTES = 16


def new_salt() -> str:
    return secrets.token_hex(_SALT_BYTES)


async def add_entries(
    connection: AsyncConnection, entries: Sequence[AuditEntry], salt: Callable[[], str] = new_salt
) -> int:
    """Seals and adds those that are not there yet; how many. Others who add to the same chains wait for the end of this
    transaction."""
    added = 0
    chains: dict[str, list[AuditEntry]] = {}
    for entry in map(_storable, entries):
        chains.setdefault(entry.workspace, []).append(entry)
    for chain in sorted(chains):  # in one order: two that add to several chains never wait for each other
        added += await _add_to(connection, chain, chains[chain], salt)
    return added


async def _add_to(
    connection: AsyncConnection, chain: str, entries: Iterable[AuditEntry], salt: Callable[[], str]
) -> int:
    head = await _lock(connection, chain)
    count, hash_ = head.count, head.hash
    sealed: list[SealedRecord] = []
    for entry in await _new(connection, chain, entries):
        sealed.append(seal(entry, count + 1, hash_, salt))
        count, hash_ = count + 1, sealed[-1].hash
    if sealed:
        await write_sealed(connection, sealed)
        row = audit_chains.c.chain == chain
        await connection.execute(update(audit_chains).where(row).values(sequence=count, hash=hash_))
    return len(sealed)


async def _lock(connection: AsyncConnection, chain: str) -> ChainHead:
    locked = select(audit_chains).where(audit_chains.c.chain == chain).with_for_update()
    row = (await connection.execute(locked)).one_or_none()
    if row is None:
        first = {"chain": chain, "sequence": 0, "hash": BEGINNING}
        await connection.execute(insert_into(connection, audit_chains).values(first).on_conflict_do_nothing())
        row = (await connection.execute(locked)).one()
    return ChainHead(row.chain, row.sequence, row.hash)


async def _new(connection: AsyncConnection, chain: str, entries: Iterable[AuditEntry]) -> list[AuditEntry]:
    """Those that are not recorded yet, each once."""
    wanted = {entry.record_id: entry for entry in reversed(list(entries))}
    known: set[str] = set()
    for batch in batches(wanted):
        there = select(audit_records.c.record_id).where(
            audit_records.c.chain == chain, among(connection.dialect, audit_records.c.record_id, batch)
        )
        known.update((await connection.execute(there)).scalars())
    return [entry for entry in reversed(wanted.values()) if entry.record_id not in known]


async def write_sealed(connection: AsyncConnection, sealed: Sequence[SealedRecord]) -> None:
    """The rows of sealed records; their chain's head is the caller's."""
    for batch in batches(sealed):
        await connection.execute(insert(audit_records), [_record_row(each) for each in batch])
        personal = [_personal_row(each) for each in batch if each.personal]
        if personal:
            await connection.execute(insert(audit_personal), personal)


def _record_row(sealed: SealedRecord) -> dict[str, Any]:
    entry = sealed.entry
    return {
        "chain": entry.workspace,
        "sequence": sealed.sequence,
        "record_id": entry.record_id,
        "kind": entry.kind.value,
        "at": entry.at,
        "subject": entry.subject,
        "origin": entry.origin,
        "hash": sealed.hash,
        "canonical": sealed.canonical,
    }


def _personal_row(sealed: SealedRecord) -> dict[str, Any]:
    fields = {name: {"salt": each.salt, "value": each.value} for name, each in sealed.personal.items()}
    person = sealed.personal.get(PERSON)
    return {
        "chain": sealed.entry.workspace,
        "sequence": sealed.sequence,
        "person": person.value if person else None,
        "fields": fields,
    }


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
