"""What people said of answers, in one transaction with its entry in the record."""

from dataclasses import asdict, fields, replace
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.chain import add_entries
from adapters.sql.database.dialect import insert_into
from adapters.sql.database.transactions import fetch, write
from adapters.sql.tables.people import feedback
from bot.audit.entries import AuditEntry
from bot.ports import Opinion

_KEY = (feedback.c.answer_id, feedback.c.workspace, feedback.c.person)
_SAID = tuple(feedback.c[each.name] for each in fields(Opinion))


class SqlFeedback:
    """Feedback, one row a person and answer."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def save(self, opinion: Opinion, entry: AuditEntry) -> Opinion:
        async def replace_earlier(connection: AsyncConnection) -> Opinion:
            kept = await _kept(connection, opinion)
            if kept is not None and (kept.given_at > opinion.given_at or _says(kept) == _says(opinion)):
                return kept
            inserted = insert_into(connection, feedback).values(record_id=entry.record_id, **asdict(opinion))
            names = {each.name for each in feedback.c} - {each.name for each in _KEY}
            values = {name: inserted.excluded[name] for name in names}
            newer = feedback.c.given_at <= inserted.excluded.given_at
            await connection.execute(inserted.on_conflict_do_update(index_elements=_KEY, set_=values, where=newer))
            await add_entries(connection, [entry])
            return opinion

        return await write(self._engine, replace_earlier)

    async def of_answer(self, answer_id: str) -> tuple[Opinion, ...]:
        order = (feedback.c.given_at, feedback.c.person)
        statement = select(*_SAID).where(feedback.c.answer_id == answer_id).order_by(*order)
        return tuple(map(_opinion, await fetch(self._engine, statement)))


async def _kept(connection: AsyncConnection, opinion: Opinion) -> Opinion | None:
    mine = (
        feedback.c.answer_id == opinion.answer_id,
        feedback.c.workspace == opinion.workspace,
        feedback.c.person == opinion.person,
    )
    row = (await connection.execute(select(*_SAID).where(*mine).with_for_update())).one_or_none()
    return None if row is None else _opinion(row)


def _opinion(row: Row[Any]) -> Opinion:
    found = Opinion(**row._asdict())
    return replace(found, reasons=tuple(found.reasons))


def _says(opinion: Opinion) -> tuple[str, tuple[str, ...], str]:
    return opinion.rating, opinion.reasons, opinion.comment
