"""Questions in threads, taken from an inbox."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.database.vault import new_key
from adapters.sql.tables.policies import inbox as inbox_table
from bot.model.messages import Conversation, InboundQuestion
from bot.ports import InboxState, Lease
from tests.fakes.questions import make_question

LEASE = 60.0
KEY = new_key()
ENDS = (InboxState.SENT, InboxState.FAILED)


def of(conversation: str, number: int, **changes: Any) -> InboundQuestion:
    """Question `number`, asked in that thread."""
    return make_question(number, conversation=Conversation("slack", "T1", "C1", conversation), **changes)


async def taken(inbox: SqlInbox, worker: str = "w1") -> Lease:
    lease = await inbox.take(worker, LEASE)
    assert lease is not None
    return lease


async def id_taken(inbox: SqlInbox, worker: str = "w1") -> str | None:
    lease = await inbox.take(worker, LEASE)
    return lease.question.question_id if lease else None


async def stored(engine: AsyncEngine, column: str) -> list[object]:
    statement = select(inbox_table.c[column]).order_by(inbox_table.c.question_id)
    async with engine.connect() as connection:
        return list((await connection.execute(statement)).scalars())
