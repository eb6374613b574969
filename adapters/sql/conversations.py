"""The durable history of conversations."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import RowMapping, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.dialect import insert_into
from adapters.sql.tables import conversations, messages
from adapters.sql.transactions import fetch, write
from adapters.sql.types import utc_now
from bot.model.jsonable import jsonable
from bot.model.memory import MOST_TURNS, CitedChunk, RememberedTurn, background_from, conversation_key
from bot.model.messages import Conversation

_MOST_DISCUSSED = 50
"""Topics and documents noted of a conversation, the newest ones; of what was answered for everybody."""

_SCOPE = ("regions", "policy_sources", "content_types")


class SqlConversationMemory:
    """One row a conversation, one a turn. All turns are kept; those of a conversation that was quiet for longer than
    `most_quiet` are not recalled (None: always)."""

    def __init__(
        self, engine: AsyncEngine, *, most_quiet: timedelta | None = None, now: Callable[[], datetime] = utc_now
    ) -> None:
        self._engine = engine
        self._most_quiet = most_quiet
        self._now = now

    async def recall(self, conversation: Conversation) -> tuple[RememberedTurn, ...]:
        key = conversation_key(conversation)
        newest = select(messages).where(messages.c.conversation_key == key)
        newest = newest.order_by(messages.c.at.desc(), messages.c.answer_id.desc()).limit(MOST_TURNS)
        rows = await fetch(self._engine, newest)
        if not rows or self._is_over(rows[0].at):
            return ()
        return tuple(turn_of_row(row) for row in reversed(rows))

    async def remember(self, conversation: Conversation, turn: RememberedTurn) -> None:
        await write(self._engine, lambda connection: _add(connection, conversation, [turn]))

    async def refill(self, conversation: Conversation, turns: Sequence[RememberedTurn]) -> None:
        if not turns:
            return
        key = conversation_key(conversation)

        async def fill(connection: AsyncConnection) -> None:
            known = select(messages.c.answer_id).where(messages.c.conversation_key == key).limit(1)
            if await connection.scalar(known) is None:
                await _add(connection, conversation, turns)

        await write(self._engine, fill)

    async def forget(self, conversation: Conversation) -> None:
        key = conversation_key(conversation)

        async def remove(connection: AsyncConnection) -> None:
            await connection.execute(delete(messages).where(messages.c.conversation_key == key))
            await connection.execute(delete(conversations).where(conversations.c.conversation_key == key))

        await write(self._engine, remove)

    def _is_over(self, last_at: datetime) -> bool:
        return self._most_quiet is not None and last_at < self._now() - self._most_quiet


async def _add(connection: AsyncConnection, conversation: Conversation, turns: Sequence[RememberedTurn]) -> None:
    key = conversation_key(conversation)
    row = await _locked(connection, _conversation_row(key, conversation, turns))
    added = insert_into(connection, messages).on_conflict_do_nothing(index_elements=["answer_id"])
    for turn in turns:
        await connection.execute(added.values(_message_row(key, turn)))
    for_all = [turn for turn in turns if not turn.needed]
    discussed = {
        "topics": _newest(row["topics"], (topic for turn in for_all for topic in turn.topics)),
        "document_ids": _newest(row["document_ids"], (each.document_id for turn in for_all for each in turn.citations)),
        "last_at": max(row["last_at"], *(turn.at for turn in turns)),
    }
    await connection.execute(update(conversations).where(conversations.c.conversation_key == key).values(discussed))


async def _locked(connection: AsyncConnection, new: Mapping[str, Any]) -> RowMapping:
    """The conversation's row, locked before its lists are read: two that add at once add one after the other. Made if
    it is not there, once more if somebody removed it in between."""
    known = select(conversations).where(conversations.c.conversation_key == new["conversation_key"]).with_for_update()
    while True:
        added = insert_into(connection, conversations).values(new)
        await connection.execute(added.on_conflict_do_nothing(index_elements=["conversation_key"]))
        row = (await connection.execute(known)).mappings().one_or_none()
        if row is not None:
            return row


def _newest(known: Iterable[str], more: Iterable[str]) -> list[str]:
    """Each once, in the order in which it was last discussed."""
    found = dict.fromkeys(known)
    for each in more:
        found.pop(each, None)
        found[each] = None
    return list(found)[-_MOST_DISCUSSED:]


def _conversation_row(key: str, conversation: Conversation, turns: Sequence[RememberedTurn]) -> dict[str, Any]:
    return {
        "conversation_key": key,
        **jsonable(conversation),
        "started_at": turns[0].at,
        "last_at": turns[0].at,
        "topics": [],
        "document_ids": [],
    }


def _message_row(key: str, turn: RememberedTurn) -> dict[str, Any]:
    return {
        "answer_id": turn.answer_id,
        "conversation_key": key,
        "person": turn.person,
        "asked": turn.asked,
        "understood": turn.understood,
        "kind": turn.kind,
        "scope": {
            "as_of": turn.as_of,
            **{name: list(getattr(turn, name)) for name in _SCOPE},
            "before": jsonable(turn.before),
        },
        "topics": list(turn.topics),
        "citations": jsonable(turn.citations),
        "at": turn.at,
        "needed": list(turn.needed),
    }


def turn_of_row(row: Any) -> RememberedTurn:
    return RememberedTurn(
        answer_id=row.answer_id,
        person=row.person,
        asked=row.asked,
        understood=row.understood,
        kind=row.kind,
        at=row.at,
        as_of=row.scope["as_of"],
        topics=tuple(row.topics),
        citations=tuple(CitedChunk(**each) for each in row.citations),
        before=background_from(row.scope.get("before") or {}),
        needed=tuple(row.needed),
        **{name: tuple(row.scope[name]) for name in _SCOPE},
    )
