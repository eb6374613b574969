"""Approved answers, each change in one transaction with its entry in the record."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Row, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.chain import add_entries
from adapters.sql.database.dialect import among, batches, insert_into
from adapters.sql.database.transactions import fetch, write
from adapters.sql.tables.people import curated_answers, curated_checks
from adapters.sql.tables.policies import policy_changes
from bot.answers.curated import Checked
from bot.audit.entries import AuditEntry
from bot.model.jsonable import jsonable
from rag_core.answers import Verdict
from rag_core.curated.kept import (
    Approval,
    CuratedAnswer,
    CuratedCitation,
    CuratedScope,
    CuratedState,
    CuratedStatement,
    Owner,
)
from rag_core.documents import ContentType


def row_of(answer: CuratedAnswer) -> dict[str, Any]:
    approval = answer.approval
    return {
        "curated_id": answer.curated_id,
        "family": answer.key,
        "revision": answer.revision,
        "state": answer.state.value,
        "content": {
            "wordings": list(answer.wordings),
            "scope": jsonable(answer.scope),
            "verdict": answer.verdict.value if answer.verdict else None,
            "statements": jsonable(answer.statements),
            "citations": jsonable(answer.citations),
        },
        "groups": sorted(answer.groups),
        "owner": asdict(answer.owner),
        "person": approval.person if approval else "",
        "approved_by": approval.by if approval else "",
        "approved_at": approval.at if approval else None,
        "suspended_because": dict(answer.suspended_because),
        "changed_at": answer.changed_at,
    }


def answer_from(row: Row[Any]) -> CuratedAnswer:
    content = row.content
    return CuratedAnswer(
        curated_id=row.curated_id,
        key=row.family,
        revision=row.revision,
        state=CuratedState(row.state),
        wordings=tuple(content["wordings"]),
        scope=_scope(content["scope"]),
        verdict=Verdict(content["verdict"]) if content["verdict"] else None,
        statements=tuple(CuratedStatement(each["text"], tuple(each["citations"])) for each in content["statements"]),
        citations=tuple(CuratedCitation(**each) for each in content["citations"]),
        changed_at=row.changed_at,
        groups=frozenset(row.groups),
        owner=Owner(**row.owner),
        approval=Approval(row.approved_by, row.person, row.approved_at) if row.approved_at else None,
        suspended_because=row.suspended_because,
    )


def _scope(scope: dict[str, Any]) -> CuratedScope:
    return CuratedScope(
        tuple(scope["regions"]),
        tuple(scope["policy_sources"]),
        tuple(ContentType(each) for each in scope["content_types"]),
        {key: tuple(values) for key, values in scope["labels"].items()},
    )


class SqlCuratedAnswers:
    """`CuratedAnswers`, `CuratedShelf` and `NewestChange`."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def approved(self) -> Mapping[str, int]:
        shown = curated_answers.c.state == CuratedState.APPROVED.value
        rows = await fetch(self._engine, select(curated_answers.c.curated_id, curated_answers.c.revision).where(shown))
        return {row.curated_id: row.revision for row in rows}

    async def some(self, curated_ids: Sequence[str]) -> tuple[CuratedAnswer, ...]:
        found: list[Row[Any]] = []
        for batch in batches(sorted(set(curated_ids))):
            mine = among(self._engine.dialect, curated_answers.c.curated_id, batch)
            found += await fetch(self._engine, select(curated_answers).where(mine))
        return tuple(answer_from(row) for row in found)

    async def find(self, name: str) -> CuratedAnswer | None:
        named = or_(curated_answers.c.curated_id == name, curated_answers.c.family == name)
        rows = await fetch(self._engine, select(curated_answers).where(named).order_by(curated_answers.c.family))
        return answer_from(rows[0]) if rows else None

    async def all(self) -> tuple[CuratedAnswer, ...]:
        rows = await fetch(self._engine, select(curated_answers).order_by(curated_answers.c.family))
        return tuple(answer_from(row) for row in rows)

    async def save(self, answer: CuratedAnswer, entry: AuditEntry) -> bool:
        row = row_of(answer)
        before = (curated_answers.c.curated_id == answer.curated_id) & (
            curated_answers.c.revision == answer.revision - 1
        )

        async def save(connection: AsyncConnection) -> bool:
            if answer.revision == 1:
                statement = insert_into(connection, curated_answers).values(row).on_conflict_do_nothing()
                changed = (await connection.execute(statement)).rowcount
            else:
                changed = (await connection.execute(update(curated_answers).where(before).values(row))).rowcount
            if changed:
                await add_entries(connection, [entry])
            return bool(changed)

        return await write(self._engine, save)

    async def checked(self) -> Checked | None:
        rows = await fetch(self._engine, select(curated_checks.c.change_id, curated_checks.c.checked_on))
        return Checked(rows[0].change_id, rows[0].checked_on) if rows else None

    async def mark_checked(self, checked: Checked) -> None:
        values = {"change_id": checked.change_id, "checked_on": checked.day}

        async def mark(connection: AsyncConnection) -> None:
            inserted = insert_into(connection, curated_checks).values(purpose="citations", **values)
            further = (curated_checks.c.change_id <= checked.change_id) & (curated_checks.c.checked_on <= checked.day)
            await connection.execute(
                inserted.on_conflict_do_update(index_elements=["purpose"], set_=values, where=further)
            )

        await write(self._engine, mark)

    async def newest(self) -> int:
        rows = await fetch(self._engine, select(func.coalesce(func.max(policy_changes.c.change_id), 0)))
        return int(rows[0][0])
