"""The record as the bot writes it: many at once become few transactions."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.chain import add_entries, append_statement, drafts_by_chain
from adapters.sql.database.dialect import chains_itself, insert_into
from adapters.sql.database.transactions import write, write_at_once
from adapters.sql.tables.policies import answers
from bot.audit.entries import AuditEntry
from rag_core.errors import PolicyBotError, Rejected

_MOST_TOGETHER = 64
"""Requests in one transaction: others who write to the same chains wait for its end."""


@dataclass(frozen=True, slots=True)
class _Request:
    """What is to be there whole or not at all; `answer`: a row of the answers."""

    entries: tuple[AuditEntry, ...]
    answer: dict[str, Any] | None
    done: "asyncio.Future[None]"


class SqlAuditLog:
    """AuditLog, and the rows of answers that belong to entries. One for an engine: what its callers want at the same
    moment is written in one transaction. Raises Unavailable, Rejected for what cannot be stored."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._waiting: list[_Request] = []
        self._turn = asyncio.Lock()

    async def append(self, entries: Sequence[AuditEntry]) -> None:
        if entries:
            await self.add(tuple(entries), None)

    async def add(self, entries: tuple[AuditEntry, ...], answer: dict[str, Any] | None) -> None:
        """The entries, with the row of an answer (one whose id is there already stays as it is)."""
        request = _Request(entries, answer, asyncio.get_running_loop().create_future())
        self._waiting.append(request)
        try:
            async with self._turn:  # whoever comes first writes for all who wait by then
                if not request.done.done():
                    await self._write_waiting()
            await request.done
        finally:
            if not request.done.done():  # its caller gave up; whether it is written does not matter to him any more
                request.done.cancel()
            self._waiting = [each for each in self._waiting if each is not request]

    async def _write_waiting(self) -> None:
        together = [each for each in self._waiting if not each.done.done()][:_MOST_TOGETHER]
        try:
            await self._write(together)
        except Rejected:  # one of them cannot be stored: the others must not suffer for it
            for each in together:
                await self._write_alone(each)
        except PolicyBotError as exc:
            for each in together:
                _fail(each, exc)

    async def _write_alone(self, request: _Request) -> None:
        try:
            await self._write([request])
        except PolicyBotError as exc:
            _fail(request, exc)

    async def _write(self, requests: Sequence[_Request]) -> None:
        rows = [each.answer for each in requests if each.answer is not None]
        entries = [entry for each in requests for entry in each.entries]

        async def add(connection: AsyncConnection) -> None:
            if rows:
                await connection.execute(_insert(self._engine), rows)
            await add_entries(connection, entries)

        if entries and chains_itself(self._engine.dialect):
            statement = append_statement(drafts_by_chain(entries))
            if rows:
                statement = statement.add_cte(_insert(self._engine).values(rows).cte("kept"))
            await write_at_once(self._engine, statement)
        else:
            await write(self._engine, add)
        for each in requests:
            if not each.done.done():
                each.done.set_result(None)


def _insert(engine: AsyncEngine) -> Any:
    return insert_into(engine, answers).on_conflict_do_nothing(index_elements=["answer_id"])


def _fail(request: _Request, error: PolicyBotError) -> None:
    if not request.done.done():
        request.done.set_exception(error)
