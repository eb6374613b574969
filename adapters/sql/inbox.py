"""The durable queue of questions."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, null, or_, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.dialect import insert_into
from adapters.sql.engine import writing
from adapters.sql.jsonable import jsonable
from adapters.sql.tables import inbox
from adapters.sql.vault import Vault
from bot.messages import Actor, Conversation, InboundQuestion, ReplyAddress
from bot.ports import InboxState, Lease
from rag_core.questions import Filters, Turn

_ENDS = (InboxState.SENT, InboxState.FAILED)
_QUESTION = (
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
)


class SqlInbox:
    """One row a question. A lease is fenced by its worker and attempt: who lost it changes nothing any more.

    A question that was put back queues up behind those that wait already, so that it holds up no other.
    """

    def __init__(self, engine: AsyncEngine, vault: Vault) -> None:
        self._engine = engine
        self._vault = vault

    async def accept(self, question: InboundQuestion) -> bool:
        row = self._row(question)
        async with writing(self._engine) as connection:
            statement = insert_into(connection, inbox).values(row)
            added = await connection.execute(statement.on_conflict_do_nothing(index_elements=["claim_key"]))
        return bool(added.rowcount)

    async def take(self, worker: str, now: datetime, lease_seconds: float) -> Lease | None:
        free = or_(inbox.c.state == InboxState.ACCEPTED, inbox.c.lease_until <= now)
        oldest = (
            select(inbox.c.question_id)
            .where(inbox.c.finished_at.is_(None), free)
            .order_by(inbox.c.queued_at, inbox.c.question_id)
            .limit(1)
            .with_for_update(skip_locked=True)  # SQLite: writers queue up, the clause is left out
            .scalar_subquery()
        )
        values = {
            "was_sending": or_(inbox.c.was_sending, inbox.c.state == InboxState.SENDING),
            "state": InboxState.RUNNING,
            "worker": worker,
            "attempt": inbox.c.attempt + 1,
            "lease_until": now + timedelta(seconds=lease_seconds),
        }
        taking = update(inbox).where(inbox.c.question_id == oldest).values(values)
        async with writing(self._engine) as connection:
            returned = await connection.execute(taking.returning(inbox.c.attempt, inbox.c.was_sending, *_QUESTION))
            row = returned.one_or_none()
            # read inside the transaction: with the wrong key the question stays as it was
            return None if row is None else Lease(self._question(row[2:]), worker, row[0], row[1])

    async def renew(self, lease: Lease, now: datetime, lease_seconds: float) -> bool:
        return await self._change(lease, {"lease_until": now + timedelta(seconds=lease_seconds)})

    async def sending(self, lease: Lease, now: datetime, lease_seconds: float) -> bool:
        until = now + timedelta(seconds=lease_seconds)
        return await self._change(lease, {"state": InboxState.SENDING, "lease_until": until})

    async def finish(self, lease: Lease, state: InboxState, now: datetime) -> bool:
        values: dict[str, Any] = {"state": state, "lease_until": null()}
        if state in _ENDS:
            return await self._change(lease, values | {"finished_at": now, "reply_address": null()})
        if state is not InboxState.ACCEPTED:
            raise ValueError(f"a question does not finish as {state}")
        was_sending = or_(inbox.c.was_sending, inbox.c.state == InboxState.SENDING)
        return await self._change(lease, values | {"queued_at": now, "was_sending": was_sending})

    async def _change(self, lease: Lease, values: dict[str, Any]) -> bool:
        async with writing(self._engine) as connection:
            changed = await connection.execute(update(inbox).where(_held(lease)).values(values))
        return bool(changed.rowcount)

    def _row(self, question: InboundQuestion) -> dict[str, Any]:
        address = json.dumps(jsonable(question.reply_address))
        return {
            "question_id": question.question_id,
            "claim_key": question.claim_key,
            "state": InboxState.ACCEPTED,
            "actor": jsonable(question.actor),
            "conversation": jsonable(question.conversation),
            "text": question.text,
            "filters": jsonable(question.filters),
            "as_of": question.as_of,
            "history": jsonable(question.history),
            "reply_address": self._vault.encrypt(address),
            "received_at": question.received_at,
            "queued_at": question.received_at,
            "attempt": 0,
            "was_sending": False,
        }

    def _question(self, row: Sequence[Any]) -> InboundQuestion:
        question_id, claim_key, actor, conversation, text, address, received_at, filters, as_of, history = row
        return InboundQuestion(
            question_id=question_id,
            claim_key=claim_key,
            actor=Actor(**actor),
            conversation=Conversation(**conversation),
            text=text,
            reply_address=ReplyAddress(**json.loads(self._vault.decrypt(address))),
            received_at=received_at,
            filters=_filters(filters),
            as_of=as_of,
            history=tuple(Turn(**turn) for turn in history),
        )


def _held(lease: Lease) -> ColumnElement[bool]:
    return and_(
        inbox.c.question_id == lease.question.question_id,
        inbox.c.worker == lease.worker,
        inbox.c.attempt == lease.attempt,
        inbox.c.state.in_((InboxState.RUNNING, InboxState.SENDING)),
    )


def _filters(stored: dict[str, Any]) -> Filters:
    labels = {key: tuple(values) for key, values in stored.pop("labels").items()}
    return Filters(labels=labels, **{name: tuple(values) for name, values in stored.items()})
