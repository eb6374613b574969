"""What the index still has to learn."""

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.dialect import batches
from adapters.sql.engine import reading, writing
from adapters.sql.rows import SHOWN, passages_from, select_passages
from adapters.sql.tables import chunks, outbox
from adapters.sql.types import utc_now
from ingest.ports import OutboxItem
from rag_core.documents import Passage

_PASSAGES_AT_A_TIME = 500
_LONGEST_REASON = 2_000
_FIRST_WAIT = timedelta(seconds=5)
_LONGEST_WAIT = timedelta(hours=1)


class SqlOutbox:
    """Items in the order they came. One that failed waits, longer each time, so that it holds up no other."""

    def __init__(self, engine: AsyncEngine, now: Callable[[], datetime] = utc_now) -> None:
        self._engine = engine
        self._now = now

    async def pending(self, limit: int) -> list[OutboxItem]:
        if limit <= 0:
            return []
        due = select(outbox.c.item_id, outbox.c.doc_id).where(outbox.c.next_try_at <= self._now())
        async with reading(self._engine) as connection:
            rows = (await connection.execute(due.order_by(outbox.c.item_id).limit(limit))).all()
        return [OutboxItem(item_id, doc_id) for item_id, doc_id in rows]

    async def chunks(self, doc_id: str) -> list[Passage]:
        statement = select_passages().where(SHOWN, chunks.c.doc_id == doc_id).order_by(chunks.c.chunk_index)
        async with reading(self._engine) as connection:
            return passages_from((await connection.execute(statement)).all())

    async def done(self, item_ids: Sequence[int]) -> None:
        async with writing(self._engine) as connection:
            for batch in batches(item_ids):
                await connection.execute(delete(outbox).where(outbox.c.item_id.in_(batch)))

    async def failed(self, item_id: int, reason: str) -> None:
        item = outbox.c.item_id == item_id
        async with writing(self._engine) as connection:
            attempts = await connection.scalar(select(outbox.c.attempts).where(item))
            if attempts is None:
                return
            values = {
                "attempts": attempts + 1,
                "last_reason": reason[:_LONGEST_REASON],
                "next_try_at": self._now() + _wait(attempts + 1),
            }
            await connection.execute(update(outbox).where(item).values(values))

    async def all_passages(self) -> AsyncIterator[list[Passage]]:
        # by key, not by offset, and no transaction held open: a rebuild takes minutes and writers go on
        place = tuple_(chunks.c.doc_id, chunks.c.chunk_index)
        statement = select_passages().where(SHOWN).order_by(*place).limit(_PASSAGES_AT_A_TIME)
        following = statement
        while True:
            async with reading(self._engine) as connection:
                batch = passages_from((await connection.execute(following)).all())
            if not batch:
                return
            yield batch
            last = batch[-1].chunk
            following = statement.where(place > (last.doc_id, last.chunk_index))


def _wait(attempts: int) -> timedelta:
    """5 s, 10 s, 20 s ... at most an hour."""
    return min(_FIRST_WAIT * (1 << min(attempts - 1, 20)), _LONGEST_WAIT)
