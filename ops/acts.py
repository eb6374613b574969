"""What an operator did, on record: for every command of `python -m ops` and `ingest` that changes something."""

import uuid
from collections.abc import Callable, Mapping

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.log import SqlAuditLog
from adapters.sql.database.types import utc_now
from bot.audit.entries import administration
from ingest.model.operators import operator


async def record_act(
    engine: AsyncEngine,
    act: str,
    *,
    target: str = "",
    facts: Mapping[str, object] | None = None,
    whoami: Callable[[], str] = operator,
) -> None:
    """Raises Unavailable."""
    entry = administration(str(uuid.uuid4()), act, utc_now(), person=whoami(), target=target, facts=facts)
    await SqlAuditLog(engine).append([entry])
