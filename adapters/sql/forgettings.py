"""Who was forgotten, as other processes see it."""

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.privacy_tables import forgettings
from adapters.sql.transactions import fetch


async def forgettings_state(engine: AsyncEngine) -> tuple[int, int]:
    """How many were begun and how many finished: another one whenever there is somebody to forget."""
    counted: Any = select(func.count(), func.count(forgettings.c.finished_at)).select_from(forgettings)
    begun, finished = (await fetch(engine, counted))[0]
    return int(begun), int(finished)
