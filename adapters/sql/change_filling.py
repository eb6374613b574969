"""Changes of documents that were stored before there were any rows for them: written once, after a migration."""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import exists, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.change_log import record_changes
from adapters.sql.moments import Moments
from adapters.sql.rows import SHOWN
from adapters.sql.tables import policy_changes, versions
from adapters.sql.transactions import fetch, write


async def fill_changes(engine: AsyncEngine, now: Callable[[], datetime] | None = None) -> int:
    """Tell the whole history of every document of which nothing is told; how many there were.

    A transaction each, so what was done stays done when the process ends half way; done by the next call. Several
    processes may do it at once.
    """
    moments = Moments(engine.dialect, now)
    document_ids = await _untold(engine)
    for document_id in document_ids:

        async def tell(connection: AsyncConnection, document_id: str = document_id) -> None:
            await record_changes(connection, [document_id], {}, moments.now())

        await write(engine, tell)
    return len(document_ids)


async def _untold(engine: AsyncEngine) -> list[str]:
    told = exists().where(policy_changes.c.document_id == versions.c.document_id)
    held = or_(versions.c.effective_to.is_(None), versions.c.effective_to > versions.c.effective_from)
    statement = select(versions.c.document_id).where(SHOWN, held, ~told).distinct().order_by(versions.c.document_id)
    return [row[0] for row in await fetch(engine, statement)]
