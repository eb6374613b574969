"""Answers as their table keeps them, held against the record: pages, links and feedback read that table."""

from collections.abc import Mapping
from typing import Any

from bot.record.entries import RecordKind, body_of
from bot.record.exchanges import SHOWN
from bot.record.verifying import StoredRecord

_REPLIES = frozenset({RecordKind.ANSWER.value, RecordKind.REFUSAL.value, RecordKind.CLARIFICATION.value})


def answer_on_record(record: StoredRecord) -> str | None:
    """The id of the answer that this record is of; None for other records."""
    kind, subject = (record.columns[1], record.columns[3]) if record.columns else ("", "")
    return subject if kind in _REPLIES else None


def first_difference(record: StoredRecord, reply: Mapping[str, Any]) -> str | None:
    """What a stored reply says otherwise than the record: "kind", "text", "verdicts", "statements" or "citations".

    The text only where it is not forgotten. What cannot be read differs.
    """
    try:
        body = body_of(record.canonical)
        shown = (record.personal or {}).get(SHOWN)
        if reply["kind"] != body["kind"]:
            return "kind"
        if shown is not None and reply["text"] != shown["value"]:
            return "text"
        facts = body["facts"]
        for name, members in _COMPARED.items():
            if _pick(reply[name], members) != _pick(facts.get(name, ()), members):
                return name
    except (KeyError, TypeError, ValueError, AttributeError):
        return "unreadable"
    return None


_COMPARED = {
    "verdicts": ("region", "policy_source", "verdict"),
    "statements": ("text",),
    "citations": ("chunk_id", "doc_id", "quote"),
}


def _pick(values: Any, members: tuple[str, ...]) -> list[list[Any]]:
    return [[each.get(name) for name in members] for each in values]
