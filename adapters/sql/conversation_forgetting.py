"""A person's turns taken out of conversations, and what was made of them in the others' turns."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit_forgetting import SqlAuditForgetting
from adapters.sql.audit_tables import audit_personal, audit_records
from adapters.sql.conversations import turn_of_row
from adapters.sql.dialect import batches
from adapters.sql.tables import answers, conversations, messages
from adapters.sql.transactions import fetch, read, write
from bot.jsonable import jsonable
from bot.memory import RememberedTurn, condensed
from bot.record.entries import AuditEntry, RecordKind
from rag_core.questions import Background

_WORD = re.compile(r"\w+")
_REPLIES = (RecordKind.ANSWER.value, RecordKind.REFUSAL.value, RecordKind.CLARIFICATION.value)


@dataclass(frozen=True, slots=True)
class Taken:
    """`turns` of the person, and `others`: answers to others that had been understood with the person's words."""

    turns: int = 0
    others: int = 0

    def __add__(self, more: "Taken") -> "Taken":
        return Taken(self.turns + more.turns, self.others + more.others)


async def count_turns(engine: AsyncEngine, theirs: ColumnElement[bool]) -> int:
    """`theirs`: which rows of `messages` are the person's."""
    return int((await fetch(engine, select(func.count()).select_from(messages).where(theirs)))[0][0])


async def forget_turns(engine: AsyncEngine, theirs: ColumnElement[bool], act: Callable[[int], AuditEntry]) -> Taken:
    """A transaction for each conversation. Who asked on after the person may have been understood with the person's
    words: those answers are gone as well, and what the record holds beside the replies. That goes first, with an `act`
    of its own: as long as the turns are there, another call finds out whose it is."""
    keys = await fetch(engine, select(messages.c.conversation_key).where(theirs).distinct())
    taken = Taken()
    for (key,) in keys:
        emptied: frozenset[str] = frozenset()
        while (found := await _forget_in(engine, key, theirs, emptied)) is None:
            touched = await _touched(engine, key, theirs)
            await SqlAuditForgetting(engine).of(_replies(touched), act(len(touched)))
            emptied |= touched
        taken += found
    return taken


async def _touched(engine: AsyncEngine, key: str, theirs: ColumnElement[bool]) -> frozenset[str]:
    rows, gone = await read(engine, lambda connection: _turns(connection, key, theirs))
    return frozenset(_without(*_split([turn_of_row(row) for row in rows], gone))[1])


async def _turns(connection: AsyncConnection, key: str, theirs: ColumnElement[bool]) -> tuple[Sequence[Any], set[str]]:
    """All rows of a conversation, and which of them (ids) are the person's."""
    here = messages.c.conversation_key == key
    rows = (await connection.execute(select(messages).where(here).order_by(messages.c.at, messages.c.answer_id))).all()
    gone = await connection.execute(select(messages.c.answer_id).where(here, theirs))
    return rows, set(gone.scalars())


async def _forget_in(
    engine: AsyncEngine, key: str, theirs: ColumnElement[bool], emptied: frozenset[str]
) -> Taken | None:
    """None, and nothing is changed, where the records of some replies are not `emptied` yet."""
    this = conversations.c.conversation_key == key

    async def forget(connection: AsyncConnection) -> Taken | None:
        # locked, as by who adds a turn: nobody condenses meanwhile what is being taken out
        locked = (await connection.execute(select(conversations).where(this).with_for_update())).one_or_none()
        rows, gone = await _turns(connection, key, theirs)
        before, after = _split([turn_of_row(row) for row in rows], gone)
        left, touched = _without(before, after)
        if not emptied.issuperset(touched):
            return None
        for batch in batches(gone):
            await connection.execute(delete(messages).where(messages.c.answer_id.in_(batch)))
        if locked is not None and (before or left):
            await _rewrite(connection, left, {row.answer_id: row.scope for row in rows})
            await connection.execute(update(conversations).where(this).values(_discussed(locked, [*before, *left])))
        else:
            await connection.execute(delete(conversations).where(this))
        for batch in batches(touched):
            await connection.execute(delete(answers).where(answers.c.answer_id.in_(batch)))
        return Taken(len(gone), len(touched))

    return await write(engine, forget)


async def _rewrite(connection: AsyncConnection, turns: Sequence[RememberedTurn], scopes: Mapping[str, Any]) -> None:
    for turn in turns:
        values = {
            "understood": turn.understood,
            "topics": list(turn.topics),
            "scope": scopes[turn.answer_id] | {"before": jsonable(turn.before)},
        }
        await connection.execute(update(messages).where(messages.c.answer_id == turn.answer_id).values(values))


def _discussed(known: Any, turns: Sequence[RememberedTurn]) -> dict[str, Any]:
    """No more than was noted: what was answered for a few is not."""
    topics = {topic for turn in turns for topic in turn.topics}
    documents = {each.document_id for turn in turns for each in turn.citations}
    return {
        "topics": [each for each in known.topics if each in topics],
        "document_ids": [each for each in known.document_ids if each in documents],
        "started_at": turns[0].at,
        "last_at": turns[-1].at,
    }


def _replies(answer_ids: Iterable[str]) -> ColumnElement[bool]:
    """The rows beside the records of these replies; the records of the questions stay whole."""
    of_them = audit_records.c.subject.in_(sorted(answer_ids)) & audit_records.c.kind.in_(_REPLIES)
    replies = select(audit_records.c.chain, audit_records.c.sequence).where(of_them)
    return tuple_(audit_personal.c.chain, audit_personal.c.sequence).in_(replies)


def _split(turns: Sequence[RememberedTurn], gone: set[str]) -> tuple[list[RememberedTurn], list[RememberedTurn]]:
    """The others' turns before the person's first one, and those after it."""
    first = next((n for n, turn in enumerate(turns) if turn.answer_id in gone), len(turns))
    return list(turns[:first]), [turn for turn in turns[first:] if turn.answer_id not in gone]


def _without(
    before: Sequence[RememberedTurn], after: Sequence[RememberedTurn]
) -> tuple[list[RememberedTurn], list[str]]:
    """The turns after, as if those that are gone had never been; and which of them had been completed."""
    known, touched = list(before), []
    for turn in after:
        own = turn
        if _completed(turn):
            touched.append(turn.answer_id)
            words = _words(turn.asked)
            own = replace(
                turn, understood=turn.asked, topics=tuple(each for each in turn.topics if _words(each) <= words)
            )
        known.append(replace(own, before=_shared(condensed(known), turn.before)))
    return known[len(before) :], touched


def _shared(made: Background, was: Background) -> Background:
    """Of what was known before, no more than what was known then: it was for its own readers."""
    names = ("topics", "regions", "policy_sources", "document_ids")
    return Background(**{name: tuple(e for e in getattr(made, name) if e in getattr(was, name)) for name in names})


def _completed(turn: RememberedTurn) -> bool:
    """Whether it was understood with words that were not its own."""
    return not _words(turn.understood) <= _words(turn.asked)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
