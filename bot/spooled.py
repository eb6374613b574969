"""Questions and answers as plain JSON values, for the spool, and back.

What is neither raises ValueError, KeyError or TypeError.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import date, datetime
from typing import Any, Protocol

from bot.jsonable import jsonable
from bot.messages import Actor, Conversation, InboundQuestion, ReplyAddress
from bot.ports import ENDS, InboxEntry, InboxState, RecordedAnswer
from bot.record.entries import AuditEntry, RecordKind
from rag_core.errors import PolicyBotError
from rag_core.questions import Filters, Turn


class SpoolLog(Protocol):
    """What an operator hears of; `key` is the id of a question or an answer ("-": of none), no text ever."""

    def spooled(self, kind: str, key: str) -> None: ...

    def entered(self, kind: str, key: str) -> None: ...

    def unavailable(self, question_id: str, error: PolicyBotError, attempt: int) -> None: ...


def entry_json(entry: InboxEntry) -> dict[str, object]:
    """The reply address of a finished question is not kept."""
    question = entry.question
    if entry.state in ENDS:
        question = replace(question, reply_address=ReplyAddress(question.reply_address.kind, {}))
    return dict(jsonable(replace(entry, question=question)))


def entry_from(value: Mapping[str, Any]) -> InboxEntry:
    state = InboxState(value["state"])
    return InboxEntry(**{**value, "state": state, "question": _question(value["question"])})


def record_json(record: RecordedAnswer) -> dict[str, object]:
    return dict(jsonable(record))


def record_from(value: Mapping[str, Any]) -> RecordedAnswer:
    """What was kept before there were entries has none."""
    entries = tuple(audit_entry_from(each) for each in value.get("entries", ()))
    at = datetime.fromisoformat(value["answered_at"])
    return RecordedAnswer(**{**value, "answered_at": at, "entries": entries})


def audit_entry_json(entry: AuditEntry) -> dict[str, object]:
    return dict(jsonable(entry))


def audit_entry_from(value: Mapping[str, Any]) -> AuditEntry:
    at = datetime.fromisoformat(value["at"])
    return AuditEntry(**{**value, "kind": RecordKind(value["kind"]), "at": at})


def _question(value: Mapping[str, Any]) -> InboundQuestion:
    return InboundQuestion(
        **{
            **value,
            "actor": Actor(**value["actor"]),
            "conversation": Conversation(**value["conversation"]),
            "reply_address": ReplyAddress(**value["reply_address"]),
            "received_at": datetime.fromisoformat(value["received_at"]),
            "filters": _filters(value["filters"]),
            "as_of": date.fromisoformat(value["as_of"]) if value["as_of"] else None,
            "history": tuple(Turn(**turn) for turn in value["history"]),
            "defaults": _filters(value["defaults"])
            if value.get("defaults")
            else Filters(),  # older versions wrote none
        }
    )


def _filters(value: Mapping[str, Any]) -> Filters:
    lists = {each.name: tuple(value[each.name]) for each in fields(Filters) if each.name != "labels"}
    return Filters(**lists, labels={key: tuple(values) for key, values in value["labels"].items()})
