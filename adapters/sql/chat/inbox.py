"""The durable queue of questions."""

import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, FromClause, and_, func, not_, null, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.database.dialect import insert_into
from adapters.sql.database.moments import Moment, Moments
from adapters.sql.database.transactions import fetch, write
from adapters.sql.database.vault import Vault
from adapters.sql.tables.policies import inbox
from bot.model.jsonable import jsonable
from bot.model.memory import conversation_key
from bot.model.messages import EDITED, Actor, Conversation, InboundQuestion, ReplyAddress
from bot.ports import ENDS, HELD, InboxEntry, InboxState, Lease
from rag_core.questions import Filters, Turn

QUESTION_COLUMNS = (
    inbox.c.question_id,
    inbox.c.claim_key,
    inbox.c.actor,
    inbox.c.conversation,
    inbox.c.text,
    inbox.c.reply_address,
    inbox.c.received_at,
    inbox.c.filters,
    inbox.c.as_of,
    inbox.c.history,
    inbox.c.private,
    inbox.c.defaults,
)

ENDED: dict[str, Any] = {
    "lease_until": null(),
    "reply_address": null(),
    "text": "",
    "actor": {},
    "conversation": {},
    "filters": {},
    "as_of": None,
    "history": [],
    "defaults": {},
}
"""Of a finished question there is left what tells a later delivery that it was one; nothing of who asked what."""


def question_row(question: InboundQuestion, vault: Vault) -> dict[str, Any]:
    """The columns that a question fills."""
    return {
        "question_id": question.question_id,
        "claim_key": question.claim_key,
        "conversation_key": conversation_key(question.conversation),
        "actor": jsonable(question.actor),
        "conversation": jsonable(question.conversation),
        "text": question.text,
        "filters": jsonable(question.filters),
        "as_of": question.as_of,
        "history": jsonable(question.history),
        "private": question.private,
        "defaults": jsonable(question.defaults) if question.defaults != Filters() else {},
        "reply_address": vault.encrypt(json.dumps(jsonable(question.reply_address))),
        "received_at": question.received_at,
    }


def withdrawn_row(claim_key: str) -> dict[str, Any]:
    """Of a question that was withdrawn before it came: that it is not to be accepted, and nothing else."""
    named = hashlib.sha256(claim_key.encode()).hexdigest()[:32]
    return {
        "question_id": f"withdrawn-{named}",
        "claim_key": claim_key,
        "conversation_key": "",
        "attempt": 0,
        "was_sending": False,
    }


def question_from(row: Sequence[Any], vault: Vault) -> InboundQuestion:
    """The question in a row of QUESTION_COLUMNS. Raises Misconfigured where the key is not that of the vault."""
    question_id, claim_key, actor, conversation, text, address, received_at, filters, as_of, history, private = row[:11]
    defaults = row[11]
    return InboundQuestion(
        question_id=question_id,
        claim_key=claim_key,
        actor=Actor(**actor),
        conversation=Conversation(**conversation),
        text=text,
        reply_address=ReplyAddress(**json.loads(vault.decrypt(address))),
        received_at=received_at,
        filters=_filters(filters),
        as_of=as_of,
        history=tuple(Turn(**turn) for turn in history),
        private=private,
        defaults=_filters(defaults) if defaults else Filters(),
    )


def _filters(stored: dict[str, Any]) -> Filters:
    labels = {key: tuple(values) for key, values in stored.pop("labels").items()}
    return Filters(labels=labels, **{name: tuple(values) for name, values in stored.items()})


class SqlInbox:
    """One row a question. A lease is fenced by its worker and attempt: who lost it changes nothing any more.

    A question that was put back keeps its place in its conversation and queues up behind those of the others, so
    that it holds up none of them. Two questions of one conversation have an order from the moment both are kept.
    """

    def __init__(self, engine: AsyncEngine, vault: Vault, now: Callable[[], datetime] | None = None) -> None:
        self._engine = engine
        self._vault = vault
        self._moments = Moments(engine.dialect, now)

    async def accept(self, question: InboundQuestion) -> bool:
        row = question_row(question, self._vault) | {
            "state": InboxState.ACCEPTED,
            "queued_at": self._moments.now(),
            "attempt": 0,
            "was_sending": False,
        }

        async def add(connection: AsyncConnection) -> bool:
            statement = insert_into(connection, inbox).values(row)
            # where the answer to a first try was lost, it is this very delivery that is there, and counts as added
            same = inbox.c.question_id == row["question_id"]
            unchanged = {"claim_key": inbox.c.claim_key}
            statement = statement.on_conflict_do_update(index_elements=["claim_key"], set_=unchanged, where=same)
            return bool((await connection.execute(statement)).rowcount)

        return await write(self._engine, add)

    async def take(self, worker: str, lease_seconds: float) -> Lease | None:
        async def lease(connection: AsyncConnection) -> Lease | None:
            found = (await connection.execute(_next(self._moments.now()))).one_or_none()
            if found is None:
                return None
            values = {
                "was_sending": or_(inbox.c.was_sending, inbox.c.state == InboxState.SENDING),
                "state": InboxState.RUNNING,
                "worker": worker,
                "attempt": inbox.c.attempt + 1,
                "lease_until": self._moments.after(lease_seconds),
            }
            taking = update(inbox).where(inbox.c.question_id == found.question_id).values(values)
            of_lease = (inbox.c.attempt, inbox.c.was_sending, inbox.c.postponed, inbox.c.waits)
            row = (await connection.execute(taking.returning(*of_lease, *QUESTION_COLUMNS))).one()
            # read inside the transaction: with the wrong key the question stays as it was
            question = question_from(row[len(of_lease) :], self._vault)
            return Lease(question, worker, row.attempt, row.was_sending, row.postponed, found.behind, row.waits)

        return await write(self._engine, lease)

    async def hold(self, lease: Lease, lease_seconds: float, *, sending: bool = False) -> bool:
        values: dict[str, Any] = {"lease_until": self._moments.after(lease_seconds)}
        return await self._change(lease, values | ({"state": InboxState.SENDING} if sending else {}))

    async def finish(self, lease: Lease, state: InboxState) -> bool:
        if state in ENDS:
            return await self._change(lease, self._ended(state))
        if state is not InboxState.ACCEPTED:
            raise ValueError(f"a question does not finish as {state}")
        return await self._change(lease, _waiting_from(self._moments.now()))

    async def postpone(self, lease: Lease, seconds: float, *, quietly: bool = False, unsent: bool = False) -> bool:
        counted = inbox.c.waits if quietly else inbox.c.postponed
        values = _waiting_from(self._moments.after(seconds)) | {counted.name: counted + 1}
        return await self._change(lease, values | ({"was_sending": False} if unsent else {}))

    async def enter(self, entry: InboxEntry, lease_seconds: float) -> bool:
        row = question_row(entry.question, self._vault) | {
            "state": entry.state,
            "queued_at": entry.question.received_at,
            "attempt": entry.attempt,
            "postponed": entry.postponed,
            "waits": entry.waits,
            "was_sending": entry.was_sending,
        }
        if entry.state in ENDS:
            row |= self._ended(entry.state)
        if entry.state in HELD:
            row |= self._held(entry, lease_seconds)

        async def add(connection: AsyncConnection) -> bool:
            statement = insert_into(connection, inbox).values(row).on_conflict_do_nothing()
            if (await connection.execute(statement)).rowcount:
                return True
            return await self._settle(connection, entry, lease_seconds)

        return await write(self._engine, add)

    async def withdraw(self, claim_key: str) -> bool:
        waiting = and_(
            inbox.c.claim_key == claim_key, inbox.c.state == InboxState.ACCEPTED, inbox.c.was_sending.is_(False)
        )

        async def end(connection: AsyncConnection) -> bool:
            ending = update(inbox).where(waiting).values(self._ended(InboxState.FAILED))
            if (await connection.execute(ending)).rowcount:
                return True
            # where it comes only now, its claim is taken: it was deleted before it arrived
            row = withdrawn_row(claim_key) | self._ended(InboxState.FAILED)
            row |= {"received_at": self._moments.now(), "queued_at": self._moments.now()}
            await connection.execute(insert_into(connection, inbox).values(row).on_conflict_do_nothing())
            return False

        return await write(self._engine, end)

    async def edits_of(self, claim_key: str) -> tuple[str, ...]:
        first, behind = f"{claim_key}{EDITED}", f"{claim_key}{EDITED[:-1]};"  # ";" is the sign after ":"
        mine = and_(inbox.c.claim_key >= first, inbox.c.claim_key < behind)
        statement = select(inbox.c.claim_key).where(mine).order_by(inbox.c.claim_key)
        return tuple(row.claim_key for row in await fetch(self._engine, statement))

    async def backlog(self) -> tuple[int, datetime | None]:
        waiting = inbox.c.state == InboxState.ACCEPTED
        statement: Any = select(func.count(), func.min(inbox.c.queued_at)).where(inbox.c.finished_at.is_(None), waiting)
        [(count, oldest)] = await fetch(self._engine, statement)
        return count, oldest

    async def _settle(self, connection: AsyncConnection, entry: InboxEntry, lease_seconds: float) -> bool:
        """A row with this claim is there already: what happened elsewhere becomes of it, if it still can."""
        its_row = and_(inbox.c.claim_key == entry.question.claim_key, inbox.c.finished_at.is_(None))
        if entry.state in ENDS:  # the message was answered, whoever works on it now
            change = update(inbox).where(its_row).values(self._ended(entry.state))
        elif entry.state in HELD:  # kept before the connection broke, and nobody has begun with it
            untouched = and_(inbox.c.state == InboxState.ACCEPTED, inbox.c.question_id == entry.question.question_id)
            values = self._held(entry, lease_seconds) | {"state": entry.state, "was_sending": entry.was_sending}
            change = update(inbox).where(its_row, untouched).values(values)
        else:
            return False
        return bool((await connection.execute(change)).rowcount)

    def _ended(self, state: InboxState) -> dict[str, Any]:
        return {"state": state, "finished_at": self._moments.now(), **ENDED}

    def _held(self, entry: InboxEntry, lease_seconds: float) -> dict[str, Any]:
        until = self._moments.after(lease_seconds)
        return {"worker": entry.worker, "attempt": entry.attempt, "lease_until": until}

    async def _change(self, lease: Lease, values: dict[str, Any]) -> bool:
        async def change(connection: AsyncConnection) -> bool:
            changed = await connection.execute(update(inbox).where(_held_by(lease)).values(values))
            return bool(changed.rowcount)

        return await write(self._engine, change)


def _waiting_from(moment: Moment) -> dict[str, Any]:
    was_sending = or_(inbox.c.was_sending, inbox.c.state == InboxState.SENDING)
    return {"state": InboxState.ACCEPTED, "lease_until": null(), "not_before": moment, "was_sending": was_sending}


def _held_by(lease: Lease) -> ColumnElement[bool]:
    return and_(
        inbox.c.question_id == lease.question.question_id,
        inbox.c.worker == lease.worker,
        inbox.c.attempt == lease.attempt,
        inbox.c.state.in_(HELD),
    )


def _next(now: Moment) -> Any:
    """The question to take next, locked, and whether it is `behind` one that is put off.

    Two that take at once: what one of them has locked the other passes over, and sees it as unfinished all the
    same, so that it does not get the next question of that conversation either. An earlier question only ever goes
    from unfinished to finished, so a reading that is a moment old holds back too much, never too little.
    """
    this, earlier = inbox.alias("this"), inbox.alias("earlier")
    before_it = (
        select(earlier.c.question_id)
        .where(
            earlier.c.conversation_key == this.c.conversation_key,
            earlier.c.finished_at.is_(None),
            tuple_(earlier.c.queued_at, earlier.c.question_id) < tuple_(this.c.queued_at, this.c.question_id),
        )
        .correlate(this)
    )
    may_be_next = and_(this.c.postponed == 0, not_(before_it.where(not_(_put_off(earlier))).exists()))
    due = and_(this.c.state == InboxState.ACCEPTED, or_(this.c.not_before.is_(None), this.c.not_before <= now))
    return (
        select(this.c.question_id, before_it.exists().label("behind"))
        .where(this.c.finished_at.is_(None), or_(due, this.c.lease_until <= now))
        .where(or_(not_(before_it.exists()), may_be_next))
        .order_by(
            before_it.exists(), func.coalesce(this.c.not_before, this.c.queued_at), this.c.queued_at, this.c.question_id
        )
        .limit(1)
        .with_for_update(skip_locked=True, of=this)  # SQLite: writers queue up, the clause is left out
    )


def _put_off(row: FromClause) -> ColumnElement[bool]:
    """Postponed, and not being tried again just now."""
    return and_(row.c.state == InboxState.ACCEPTED, row.c.postponed > 0)
