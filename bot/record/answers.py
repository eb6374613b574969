"""Answers as their table keeps them, held against the record: pages, links and feedback read that table."""

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from bot.record.canonical import canonical
from bot.record.entries import RecordKind, body_of
from bot.record.exchanges import SHOWN
from bot.record.verifying import StoredRecord
from rag_core.errors import Rejected

REPLIES = frozenset({RecordKind.ANSWER.value, RecordKind.REFUSAL.value, RecordKind.CLARIFICATION.value})

STORED = "stored"
"""In the facts of a reply: a digest of each field of its row; in its personal fields: the salt of all of them."""

RETAINED_SINCE = "retained_since"
"""In the facts of an act of retention: of each kind, the moment before which rows are removed."""


def stored_digests(row: Mapping[str, object], salt: str) -> dict[str, str]:
    """SHA-256 (hex) over the salt's bytes and the canonical JSON of each field. `row`: plain JSON values by name;
    `salt` in hexadecimal. Raises ValueError for a salt that is none, Rejected("record_not_storable")."""
    start = bytes.fromhex(salt)
    return {name: hashlib.sha256(start + canonical(_as_doubles(value))).hexdigest() for name, value in row.items()}


def _as_doubles(value: Any) -> Any:
    """With large integers as RFC 8785 reads numbers: PostgreSQL gives 1e22 back as one."""
    if isinstance(value, dict):
        return {name: _as_doubles(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_as_doubles(each) for each in value]
    if isinstance(value, int) and abs(value) >= 2**53:
        with suppress(OverflowError):
            return float(value)
    return value


def answer_on_record(record: StoredRecord) -> str | None:
    """The id of the answer that this record is of; None for other records."""
    kind, subject = (record.columns[1], record.columns[3]) if record.columns else ("", "")
    return subject if kind in REPLIES else None


def has_digests(record: StoredRecord) -> bool:
    """Whether the record says what the row of its answer held: records of earlier versions do not, nor do forgotten
    ones."""
    return _digests(record) is not None


def first_difference(record: StoredRecord, row: Mapping[str, Any]) -> str | None:
    """The name of a field that the row of an answer has otherwise than the record; None: there is none.

    Of a reply that is another one, what differs in it: "kind", "text", "verdicts", "statements" or "citations", else
    "reply". Without digests, no more than these are compared, the text only where it is not forgotten. What cannot be
    read differs.
    """
    if (found := _digests(record)) is None:
        return _difference_in_reply(record, row["reply"])
    recorded, salt = found
    changed = [name for name in sorted(recorded) if not _is_same(row.get(name), recorded[name], salt)]
    if "reply" in changed:
        return _difference_in_reply(record, row["reply"]) or "reply"
    return changed[0] if changed else None


def retained_since(bodies: Iterable[Mapping[str, Any]], kind: str) -> datetime | None:
    """The last moment before which retention has removed rows of a kind, from the bodies of acts in any order."""
    moments = []
    for body in bodies:
        with suppress(KeyError, TypeError, ValueError):
            if body["facts"]["act"] == "retention":
                moments.append(datetime.fromisoformat(body["facts"][RETAINED_SINCE][kind]))
    return max(moments, default=None)


def _digests(record: StoredRecord) -> tuple[Mapping[str, str], str] | None:
    """The digests with their salt. None: there are none, or the salt is forgotten."""
    with suppress(KeyError, TypeError, ValueError):
        digests, salt = body_of(record.canonical)["facts"][STORED], (record.personal or {})[STORED]["value"]
        if isinstance(digests, dict) and bytes.fromhex(salt):
            return digests, salt
    return None


def _is_same(value: object, recorded: str, salt: str) -> bool:
    with suppress(Rejected):  # what no record can hold is not what was recorded
        return stored_digests({"": value}, salt)[""] == recorded
    return False


def _difference_in_reply(record: StoredRecord, reply: Any) -> str | None:
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
