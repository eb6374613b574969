"""Escalations, each change in one transaction with its entry in the record."""

import json
from dataclasses import asdict
from typing import Any

from sqlalchemy import Row, Select, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.chain import add_entries
from adapters.sql.database.dialect import insert_into
from adapters.sql.database.transactions import fetch, write
from adapters.sql.database.vault import Vault
from adapters.sql.tables.people import escalation_acts, escalations
from bot.audit.entries import AuditEntry
from bot.people.escalations import ActKind, AskedPlace, Escalation, EscalationAct, EscalationState


class SqlEscalations:
    """`bot.people.escalations.Escalations`. Where and by whom, as the platform knows them, is encrypted."""

    def __init__(self, engine: AsyncEngine, vault: Vault) -> None:
        self._engine = engine
        self._vault = vault

    async def begin(self, escalation: Escalation, entry: AuditEntry) -> Escalation:
        row = {
            "escalation_id": escalation.escalation_id,
            "answer_id": escalation.answer_id,
            "workspace": escalation.place.workspace,
            "person": escalation.person,
            "state": EscalationState.OPEN.value,
            "encrypted_place": self._vault.encrypt(json.dumps(asdict(escalation.place))),
            "note": escalation.note,
            "asked_at": escalation.asked_at,
        }
        of_this = (
            escalations.c.answer_id == escalation.answer_id,
            escalations.c.workspace == escalation.place.workspace,
            escalations.c.person == escalation.person,
        )

        async def insert(connection: AsyncConnection) -> str:
            statement = insert_into(connection, escalations).values(row).on_conflict_do_nothing()
            if (await connection.execute(statement)).rowcount:
                await add_entries(connection, [entry])
            found = select(escalations.c.escalation_id).where(*of_this)
            return str((await connection.execute(found)).scalar_one())

        kept = await self.of(await write(self._engine, insert))
        return kept or escalation  # forgotten in this moment

    async def of(self, escalation_id: str) -> Escalation | None:
        found = await fetch(self._engine, select(escalations).where(escalations.c.escalation_id == escalation_id))
        if not found:
            return None
        acts = await fetch(self._engine, _acts_of(escalation_id))
        return self._escalation(found[0], tuple(self._act(row) for row in acts))

    async def claim(self, act: EscalationAct, entry: AuditEntry) -> bool:
        async def claim(connection: AsyncConnection) -> bool:
            state, acts = await self._locked(connection, act.escalation_id)
            if state is not EscalationState.OPEN:
                return any(each.kind == ActKind.CLAIMED.value and each.person == act.person for each in acts)
            await self._add(connection, act, EscalationState.CLAIMED, entry)
            return True

        return await write(self._engine, claim)

    async def reply(self, act: EscalationAct, entry: AuditEntry) -> bool:
        async def reply(connection: AsyncConnection) -> bool:
            state, acts = await self._locked(connection, act.escalation_id)
            if any(each.act_id == act.act_id for each in acts):
                return True
            spoken_for = {each.person for each in acts}
            if state is None or (spoken_for and spoken_for != {act.person}):
                return False
            if state is EscalationState.ANSWERED and not spoken_for:
                return False  # who answered was forgotten: it has had its answer all the same
            await self._add(connection, act, EscalationState.ANSWERED, entry)
            return True

        return await write(self._engine, reply)

    async def _locked(
        self, connection: AsyncConnection, escalation_id: str
    ) -> tuple[EscalationState | None, list[Row[Any]]]:
        """Nobody else changes it before the end of the transaction."""
        this = escalations.c.escalation_id == escalation_id
        state = (await connection.execute(select(escalations.c.state).where(this).with_for_update())).scalar()
        acts = (await connection.execute(_acts_of(escalation_id))).all()
        return (EscalationState(state) if state is not None else None), list(acts)

    async def _add(
        self, connection: AsyncConnection, act: EscalationAct, state: EscalationState, entry: AuditEntry
    ) -> None:
        row = {
            "act_id": act.act_id,
            "escalation_id": act.escalation_id,
            "kind": act.kind.value,
            "person": act.person,
            "encrypted_name": self._vault.encrypt(act.named),
            "text": act.text,
            "at": act.at,
        }
        await connection.execute(insert_into(connection, escalation_acts).values(row).on_conflict_do_nothing())
        this = escalations.c.escalation_id == act.escalation_id
        await connection.execute(update(escalations).where(this).values(state=state.value))
        await add_entries(connection, [entry])

    def _escalation(self, row: Row[Any], acts: tuple[EscalationAct, ...]) -> Escalation:
        place = AskedPlace(**json.loads(self._vault.decrypt(row.encrypted_place)))
        return Escalation(
            row.escalation_id,
            row.answer_id,
            row.person,
            EscalationState(row.state),
            place,
            row.note,
            row.asked_at,
            acts,
        )

    def _act(self, row: Row[Any]) -> EscalationAct:
        name = self._vault.decrypt(row.encrypted_name)
        return EscalationAct(row.act_id, row.escalation_id, ActKind(row.kind), row.person, name, row.at, row.text)


def _acts_of(escalation_id: str) -> Select[Any]:
    this = escalation_acts.c.escalation_id == escalation_id
    return select(escalation_acts).where(this).order_by(escalation_acts.c.at, escalation_acts.c.act_id)
