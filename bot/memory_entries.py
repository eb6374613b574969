"""A remembered turn as it is written down, bounded in size."""

import json
from collections.abc import Sequence
from dataclasses import replace

from bot.memory import LONGEST_TEXT, MOST_TURNS, RememberedTurn, turn_from
from rag_core.questions import Background

MOST_BYTES = 65_536
"""What is kept of one conversation. Most need a tenth of it."""


def entry_of(turn: RememberedTurn, most_bytes: int = MOST_BYTES) -> str | None:
    """The turn as ASCII JSON: a character is a byte. One that is too large loses its citations and topics, and its
    texts are cut; None if it is still too large."""
    entry = _json(turn)
    if len(entry) <= most_bytes:
        return entry
    asked, understood = turn.asked[:LONGEST_TEXT], turn.understood[:LONGEST_TEXT]
    entry = _json(replace(turn, asked=asked, understood=understood, citations=(), topics=(), before=Background()))
    return entry if len(entry) <= most_bytes else None


def turn_of(entry: str | bytes) -> RememberedTurn | None:
    """What `entry_of` wrote; None for anything else, such as what an older version wrote."""
    try:
        return turn_from(json.loads(entry))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def entries_of(turns: Sequence[RememberedTurn], most_bytes: int = MOST_BYTES) -> list[tuple[str, str]]:
    """(answer_id, entry) of the last turns that have room together, oldest first, each answer once."""
    kept: dict[str, str] = {}
    for turn in turns:
        entry = entry_of(turn, most_bytes)
        if entry is not None and turn.answer_id not in kept:
            kept[turn.answer_id] = entry
    return last_that_fit(list(kept.items()), most_bytes)


def last_that_fit(entries: Sequence[tuple[str, str]], most_bytes: int = MOST_BYTES) -> list[tuple[str, str]]:
    """MOST_TURNS of (answer_id, entry) at most, and `most_bytes` of entries."""
    first, size = len(entries), 0
    while first > 0 and len(entries) - first < MOST_TURNS:
        size += len(entries[first - 1][1])
        if size > most_bytes:
            break
        first -= 1
    return list(entries[first:])


def _json(turn: RememberedTurn) -> str:
    return json.dumps(turn.to_json(), separators=(",", ":"))
