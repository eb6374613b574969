"""Inbound questions as rows, and back."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import null

from adapters.sql.tables import inbox
from adapters.sql.vault import Vault
from bot.jsonable import jsonable
from bot.memory import conversation_key
from bot.messages import Actor, Conversation, InboundQuestion, ReplyAddress
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
