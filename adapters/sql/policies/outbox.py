"""What the index still has to learn."""

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime

from sqlalchemy import delete, func, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.database.dialect import batches
from adapters.sql.database.moments import Moments
from adapters.sql.database.transactions import fetch, write
from adapters.sql.policies.rows import SHOWN, passages_from, select_passages
from adapters.sql.tables.policies import chunks, outbox
from ingest.ports import OutboxItem, OutboxLag
from rag_core.documents import Passage

_PASSAGES_AT_A_TIME = 500
_LONGEST_REASON = 2_000
_FIRST_WAIT = 5.0
_LONGEST_WAIT = 3_600.0


class SqlOutbox:
    """Items in the order they came. One that failed waits, longer each time, so that it holds up no other.

    `now`: see `Moments`.
    """

    def __init__(self, engine: AsyncEngine, now: Callable[[], datetime] | None = None) -> None:
        self._engine = engine
        self._moments = Moments(engine.dialect, now)

    async def pending(self, limit: int) -> list[OutboxItem]:
        if limit <= 0:
            return []
        due = select(outbox.c.item_id, outbox.c.doc_id).where(outbox.c.next_try_at <= self._moments.now())
        rows = await fetch(self._engine, due.order_by(outbox.c.item_id).limit(limit))
        return [OutboxItem(item_id, doc_id) for item_id, doc_id in rows]

    async def chunks(self, doc_id: str) -> list[Passage]:
        statement = select_passages().where(SHOWN, chunks.c.doc_id == doc_id).order_by(chunks.c.chunk_index)
        return passages_from(await fetch(self._engine, statement))

    async def done(self, item_ids: Sequence[int]) -> None:
        async def remove(connection: AsyncConnection) -> None:
            for batch in batches(sorted(item_ids)):
                await connection.execute(delete(outbox).where(outbox.c.item_id.in_(batch)))

        await write(self._engine, remove)

    async def failed(self, item_id: int, reason: str) -> None:
        item = outbox.c.item_id == item_id
        if not (rows := await fetch(self._engine, select(outbox.c.attempts).where(item))):
            return
        attempts: int = rows[0].attempts
        values = {
            "attempts": attempts + 1,
            "last_reason": reason[:_LONGEST_REASON],
            "next_try_at": self._moments.after(_wait(attempts + 1)),
        }

        async def put_off(connection: AsyncConnection) -> None:
            # counted once, even if it is done again because nobody heard that it was done
            await connection.execute(update(outbox).where(item, outbox.c.attempts == attempts).values(values))

        await write(self._engine, put_off)

    async def all_passages(self) -> AsyncIterator[list[Passage]]:
        # by key, not by offset, and no transaction held open: a rebuild takes minutes and writers go on
        place = tuple_(chunks.c.doc_id, chunks.c.chunk_index)
        statement = select_passages().where(SHOWN).order_by(*place).limit(_PASSAGES_AT_A_TIME)
        following = statement
        while batch := passages_from(await fetch(self._engine, following)):
            yield batch
            last = batch[-1].chunk
            following = statement.where(place > (last.doc_id, last.chunk_index))

    async def lag(self) -> OutboxLag:
        failing = outbox.c.attempts > 0
        reason = select(outbox.c.last_reason).where(failing).order_by(outbox.c.item_id).limit(1).scalar_subquery()
        statement = select(
            func.count(), func.count().filter(failing), func.min(outbox.c.created_at), reason
        ).select_from(outbox)
        ((waiting, of_them_failing, oldest, last_reason),) = await fetch(self._engine, statement)
        return OutboxLag(waiting, of_them_failing, oldest, last_reason)

    async def waiting(self) -> list[OutboxItem]:
        rows = await fetch(self._engine, select(outbox.c.item_id, outbox.c.doc_id).order_by(outbox.c.item_id))
        return [OutboxItem(item_id, doc_id) for item_id, doc_id in rows]


def _wait(attempts: int) -> float:
    """5 s, 10 s, 20 s ... at most an hour."""
    return min(_FIRST_WAIT * (1 << min(attempts - 1, 20)), _LONGEST_WAIT)
