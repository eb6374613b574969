"""Answers read back."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.tables import answers
from adapters.sql.transactions import fetch
from bot.ports import RecordedAnswer


class SqlGivenAnswers:
    """GivenAnswers, from the rows that SqlAnswerRecords writes."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def answer(self, answer_id: str) -> RecordedAnswer | None:
        rows = await fetch(self._engine, select(answers).where(answers.c.answer_id == answer_id))
        return RecordedAnswer(**rows[0]._asdict()) if rows else None
