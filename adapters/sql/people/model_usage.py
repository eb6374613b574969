"""The record of calls of language models."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Dialect, case, delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.database.dialect import batches, insert_into, utc_day
from adapters.sql.database.transactions import fetch, write
from adapters.sql.tables.policies import model_calls
from bot.model_usage import ModelCall, UsageKey, UsageTotal


class SqlModelUsage:
    """`bot.model_usage.ModelUsage`: one row a call."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def save(self, calls: Sequence[ModelCall]) -> None:
        rows = [asdict(call) for call in calls]

        async def insert(connection: AsyncConnection) -> None:
            statement = insert_into(connection, model_calls).on_conflict_do_nothing(index_elements=["call_id"])
            for batch in batches(rows):
                await connection.execute(statement, batch)

        if rows:
            await write(self._engine, insert)

    async def totals(self, since: datetime, by: UsageKey) -> list[UsageTotal]:
        columns = model_calls.c
        key = _key(by, self._engine.dialect).label("key")
        wanted: tuple[ColumnElement[Any], ...] = (
            key,
            func.count(),
            func.sum(columns.prompt_tokens),
            func.sum(columns.completion_tokens),
            func.sum(columns.seconds),
            func.sum(columns.cost),
            func.sum(
                case((columns.cost.is_(None) & (columns.prompt_tokens + columns.completion_tokens > 0), 1), else_=0)
            ),
            func.sum(case((columns.counted, 0), else_=1)),
        )
        statement = select(*wanted).where(columns.at >= since).group_by(key).order_by(key)
        return [UsageTotal(*row) for row in await fetch(self._engine, statement)]

    async def remove_before(self, moment: datetime) -> int:
        async def remove(connection: AsyncConnection) -> int:
            return (await connection.execute(delete(model_calls).where(model_calls.c.at < moment))).rowcount

        return await write(self._engine, remove)


def _key(by: UsageKey, dialect: Dialect) -> ColumnElement[str]:
    columns = model_calls.c
    match by:
        case UsageKey.MODEL:
            return columns.model
        case UsageKey.ROLE:
            return columns.role
        case UsageKey.OUTCOME:
            return columns.outcome
        case UsageKey.DAY:
            return utc_day(dialect, columns.at)
