"""What the bot has posted."""

from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.database.dialect import insert_into
from adapters.sql.database.transactions import fetch, write
from adapters.sql.tables.channels import posted_messages as rows
from bot.model.posted import MessagePlace, Posted, Subject

_PLACE = (rows.c.platform, rows.c.workspace, rows.c.channel, rows.c.message)
_SAID = ("thread", "subject", "subject_id", "posted_at", "asked_in", "person")


class SqlPostedMessages:
    """PostedMessages and PostedAt, one row a message; `ops.privacy.retention` removes the old ones."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def save(self, posted: Posted) -> None:
        async def put(connection: AsyncConnection) -> None:
            inserted = insert_into(connection, rows).values(_row(posted))
            said = {name: inserted.excluded[name] for name in _SAID}
            await connection.execute(inserted.on_conflict_do_update(index_elements=_PLACE, set_=said))

        await write(self._engine, put)

    async def of_subject(self, subject: Subject, subject_id: str) -> tuple[Posted, ...]:
        return await self._found(rows.c.subject_id == subject_id, rows.c.subject == subject)

    async def in_thread(self, platform: str, workspace: str, channel: str, thread: str) -> tuple[Posted, ...]:
        return await self._found(_in(platform, workspace, channel), rows.c.thread == thread)

    async def answering(self, platform: str, workspace: str, channel: str, asked_in: str) -> Posted | None:
        if not asked_in:  # what answers no message answers none in particular
            return None
        its = (rows.c.asked_in == asked_in, rows.c.subject == Subject.ANSWER)
        found = await self._found(_in(platform, workspace, channel), *its)
        return found[-1] if found else None

    async def at(self, platform: str, workspace: str, channel: str, message: str) -> Posted | None:
        found = await self._found(_in(platform, workspace, channel), rows.c.message == message)
        return found[0] if found else None

    async def remove(self, place: MessagePlace) -> None:
        this = and_(_in(place.platform, place.workspace, place.channel), rows.c.message == place.message)

        async def take_out(connection: AsyncConnection) -> None:
            await connection.execute(delete(rows).where(this))

        await write(self._engine, take_out)

    async def _found(self, *conditions: ColumnElement[bool]) -> tuple[Posted, ...]:
        order = (rows.c.posted_at, rows.c.message)
        return tuple(map(_posted, await fetch(self._engine, select(rows).where(*conditions).order_by(*order))))


def _in(platform: str, workspace: str, channel: str) -> ColumnElement[bool]:
    return and_(rows.c.platform == platform, rows.c.workspace == workspace, rows.c.channel == channel)


def _row(posted: Posted) -> dict[str, Any]:
    place = posted.place
    return {
        "platform": place.platform,
        "workspace": place.workspace,
        "channel": place.channel,
        "message": place.message,
        "thread": place.thread,
        "subject": posted.subject,
        "subject_id": posted.subject_id,
        "posted_at": posted.posted_at,
        "asked_in": posted.asked_in,
        "person": posted.person,
    }


def _posted(row: Row[Any]) -> Posted:
    place = MessagePlace(row.platform, row.workspace, row.channel, row.message, row.thread)
    return Posted(place, Subject(row.subject), row.subject_id, row.posted_at, row.asked_in, row.person)
