"""The record of what was answered."""

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.dialect import insert_into
from adapters.sql.tables import answers
from adapters.sql.transactions import write
from bot.ports import RecordedAnswer


class SqlAnswerRecords:
    """One row an answer, reply and trace as JSON; the first to save an `answer_id` stays."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def save(self, record: RecordedAnswer) -> None:
        row = {
            "answer_id": record.answer_id,
            "answered_from": record.answered_from,
            "workspace": record.workspace,
            "person": record.person,
            "question_text": record.question_text,
            "reply": record.reply,
            "trace": record.trace,
            "answered_at": record.answered_at,
        }

        async def insert(connection: AsyncConnection) -> None:
            statement = insert_into(connection, answers).values(row)
            await connection.execute(statement.on_conflict_do_nothing(index_elements=["answer_id"]))

        await write(self._engine, insert)
