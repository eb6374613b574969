"""Forgetting personal fields of the record; the record itself stays, and still verifies."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, cast, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.chain import add_entries, lock_chain
from adapters.sql.database.transactions import write
from adapters.sql.tables.audit import audit_chains, audit_personal, audit_records
from bot.audit.entries import INSTALLATION, AuditEntry, RecordKind
from bot.audit.verification import Forgotten, forgotten, forgotten_facts

IS_EMPTY = (cast(audit_personal.c.fields, Text) == "{}") & audit_personal.c.person.is_(None)
"""A row whose values and salts were forgotten."""


class SqlAuditForgetting:
    """`act` tells of the forgetting and is recorded in the same transaction; what verifying needs is added to its facts
    (see `bot.audit.verification`)."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def person(self, person: str, act: AuditEntry, workspace: str | None = None) -> int:
        """Values and salts of all that is recorded of a person; of how many records. None: in every workspace."""
        theirs = audit_personal.c.person == person
        if workspace is not None:
            theirs &= audit_personal.c.chain == workspace
        return await self.of(theirs, act, always=True)

    async def before(self, moment: datetime, kinds: Collection[RecordKind], act: AuditEntry) -> int:
        """Those of records of these kinds that were written before `moment`; of how many. None: nothing is recorded."""
        old = select(audit_records.c.chain, audit_records.c.sequence).where(
            audit_records.c.at < moment, audit_records.c.kind.in_([kind.value for kind in kinds])
        )
        return await self.of(tuple_(audit_personal.c.chain, audit_personal.c.sequence).in_(old), act)

    async def of(self, theirs: ColumnElement[bool], act: AuditEntry, *, always: bool = False) -> int:
        """Those of rows of `audit_personal`; of how many. Where there are none, the act is recorded only if `always`.
        An act is recorded once: the next one needs another id."""

        async def forget(connection: AsyncConnection) -> int:
            chains = await _emptied(connection, theirs & ~IS_EMPTY, act)
            if chains or always:
                await add_entries(connection, [await _telling(connection, act, chains)])
            return len(chains)

        return await write(self._engine, forget)


async def _emptied(connection: AsyncConnection, theirs: ColumnElement[bool], act: AuditEntry) -> list[str]:
    """The chain of each row that was emptied. One forgets at a time: what its act says holds until the next one's."""
    for chain in sorted({INSTALLATION, act.workspace}):
        await lock_chain(connection, chain)
    statement = update(audit_personal).where(theirs).values(person=None, fields={}).returning(audit_personal.c.chain)
    return list((await connection.execute(statement)).scalars())


async def _telling(connection: AsyncConnection, act: AuditEntry, chains: Iterable[str]) -> AuditEntry:
    told: dict[str, Forgotten] = {}
    for chain in sorted(set(chains)):
        length = select(audit_chains.c.sequence).where(audit_chains.c.chain == chain)
        at_most = (await connection.execute(length)).scalar_one_or_none() or 0
        told[chain] = forgotten((await connection.execute(empty_of(chain))).scalars(), at_most)
    return replace(act, facts={**act.facts, **forgotten_facts(told)})


def empty_of(chain: str) -> Select[Any]:
    """The sequences of a chain's records whose personal fields were forgotten, in order."""
    this = audit_personal.c.chain == chain
    return select(audit_personal.c.sequence).where(this, IS_EMPTY).order_by(audit_personal.c.sequence)
