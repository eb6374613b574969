"""When each source was looked at last."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.chain import add_entries
from adapters.sql.database.dialect import batches, insert_into
from adapters.sql.database.transactions import fetch, write
from adapters.sql.tables.policies import removals, source_items, source_runs, versions
from bot.audit.entries import AuditEntry, administration
from ingest.ports import ItemState, Removal, RemovalKind, SourceRun
from rag_core.errors import Rejected

_COLUMNS = ("source_id", "started_at", "finished_at", "outcome", "failures")


class SqlSourceRuns:
    """One row a source."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def known(self) -> dict[str, SourceRun]:
        rows = await fetch(self._engine, select(*(source_runs.c[name] for name in _COLUMNS)))
        return {row.source_id: SourceRun(*row) for row in rows}

    async def keep(self, run: SourceRun) -> None:
        row = asdict(run)

        async def replace(connection: AsyncConnection) -> None:
            insert = insert_into(connection, source_runs).values(row)
            changed = {name: row[name] for name in _COLUMNS[1:]}
            await connection.execute(insert.on_conflict_do_update(index_elements=["source_id"], set_=changed))

        await write(self._engine, replace)


_KEY = ["source_id", "origin"]
_STATE_COLUMNS = ("origin", "revision", "misses", "failures", "failed_with", "retry_at")


class SqlSourceStates:
    """One row an item."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def known(self, source_id: str) -> dict[str, ItemState]:
        columns = [source_items.c[name] for name in _STATE_COLUMNS]
        rows = await fetch(self._engine, select(*columns).where(source_items.c.source_id == source_id))
        return {row.origin: ItemState(*row) for row in rows}

    async def keep(self, source_id: str, states: Sequence[ItemState]) -> None:
        rows = [{"source_id": source_id, **asdict(state)} for state in sorted(states, key=lambda each: each.origin)]

        async def replace(connection: AsyncConnection) -> None:
            for batch in batches(rows):
                insert = insert_into(connection, source_items).values(list(batch))
                changed = {name: insert.excluded[name] for name in _STATE_COLUMNS if name not in _KEY}
                await connection.execute(insert.on_conflict_do_update(index_elements=_KEY, set_=changed))

        await write(self._engine, replace)

    async def forget(self, source_id: str, origins: Sequence[str]) -> None:
        async def remove(connection: AsyncConnection) -> None:
            for batch in batches(origins):
                of_these = (source_items.c.source_id == source_id, source_items.c.origin.in_(batch))
                await connection.execute(delete(source_items).where(*of_these))

        await write(self._engine, remove)


_NAMES = ("kind", "target", "person", "at", "reason", "all_days", "removal_id", "undone_at", "undone_by")
_REMOVAL_COLUMNS = tuple(removals.c[name] for name in _NAMES)


class SqlRemovals:
    """One row a decision; undoing it fills in the rest of its row."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def record(self, removal: Removal) -> int:
        row = {name: getattr(removal, name) for name in _NAMES[:6]} | {"kind": removal.kind.value}

        same = [removals.c[name] == row[name] for name in ("kind", "target", "all_days")]

        async def add(connection: AsyncConnection) -> int:
            await connection.execute(insert_into(connection, removals).values(row).on_conflict_do_nothing())
            in_force = select(removals.c.removal_id).where(*same, removals.c.undone_at.is_(None))
            removal_id = int((await connection.execute(in_force)).scalar_one())
            await add_entries(connection, [_entry(removal, removal_id)])
            return removal_id

        return await write(self._engine, add)

    async def all(self) -> list[Removal]:
        rows = await fetch(self._engine, select(*_REMOVAL_COLUMNS).order_by(removals.c.removal_id))
        return [Removal(RemovalKind(row[0]), *row[1:]) for row in rows]

    async def undo(self, removal_id: int, person: str, at: datetime) -> Removal:
        this = removals.c.removal_id == removal_id
        undone = {"undone_at": at, "undone_by": person}

        async def undo(connection: AsyncConnection) -> Removal:
            await connection.execute(update(removals).where(this, removals.c.undone_at.is_(None)).values(undone))
            row = (await connection.execute(select(*_REMOVAL_COLUMNS).where(this))).one_or_none()
            if row is None or (row.undone_at, row.undone_by) != (at, person):
                raise Rejected("unknown_removal", removal_id=removal_id)
            found = Removal(RemovalKind(row[0]), *row[1:])
            facts = {"kind": found.kind.value, "removal_id": removal_id}
            entry_id = f"removal:{removal_id}:undone"
            done = administration(entry_id, "undo_removal", at, person=person, target=found.target, facts=facts)
            await add_entries(connection, [done])
            return found

        return await write(self._engine, undo)

    async def removable(self) -> dict[str, frozenset[str]]:
        statement = select(versions.c.source_id, versions.c.document_id).distinct()
        found: dict[str, set[str]] = {}
        for source_id, document_id in await fetch(self._engine, statement):
            found.setdefault(source_id, set()).add(document_id)
        return {source_id: frozenset(documents) for source_id, documents in found.items()}


def _entry(removal: Removal, removal_id: int) -> AuditEntry:
    return administration(
        f"removal:{removal_id}",
        "remove",
        removal.at,
        person=removal.person,
        target=removal.target,
        reason=removal.reason,
        facts={"kind": removal.kind.value, "all_days": removal.all_days, "removal_id": removal_id},
    )
