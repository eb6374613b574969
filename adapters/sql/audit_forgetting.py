"""Forgetting personal fields of the record; the record itself stays, and still verifies."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit_chain import add_entries
from adapters.sql.audit_tables import audit_personal, audit_records
from adapters.sql.transactions import write
from bot.record.entries import AuditEntry, RecordKind


class SqlAuditForgetting:
    """`act` tells of the forgetting and is recorded in the same transaction."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def person(self, person: str, act: AuditEntry, workspace: str | None = None) -> int:
        """Values and salts of all that is recorded of a person; of how many records. None: in every workspace."""
        theirs = audit_personal.c.person == person
        if workspace is not None:
            theirs &= audit_personal.c.chain == workspace

        async def forget(connection: AsyncConnection) -> int:
            forgotten = (await connection.execute(delete(audit_personal).where(theirs))).rowcount
            await add_entries(connection, [act])
            return forgotten

        return await write(self._engine, forget)

    async def before(self, moment: datetime, kinds: Collection[RecordKind], act: AuditEntry) -> int:
        """Those of records of these kinds that were written before `moment`; of how many."""
        old = select(audit_records.c.chain, audit_records.c.sequence).where(
            audit_records.c.at < moment, audit_records.c.kind.in_([kind.value for kind in kinds])
        )
        place = tuple_(audit_personal.c.chain, audit_personal.c.sequence)

        async def forget(connection: AsyncConnection) -> int:
            forgotten = (await connection.execute(delete(audit_personal).where(place.in_(old)))).rowcount
            if forgotten:
                await add_entries(connection, [act])
            return forgotten

        return await write(self._engine, forget)
