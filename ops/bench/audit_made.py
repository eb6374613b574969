"""Records as answers make them, for benchmarks: of the same size, about nothing."""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.record.entries import AuditEntry, RecordKind

_FIRST = datetime(2026, 1, 1, tzinfo=UTC)
_CHUNKS = 8
_CITATIONS = 3
_QUOTE = "Ads for this kind of goods may run only if the audience is of age and the seller is licensed, rule {n}."


def made_entry(chain: str, number: int) -> AuditEntry:
    """Entry `number` of a made chain: every second one a question, the others its answers."""
    person = f"person-{number % 500}"
    at = _FIRST + timedelta(seconds=number)
    answer_id = f"answer-{chain}-{number // 2}"
    if number % 2:
        facts: dict[str, Any] = {"outcome": "answer", "filters": {}, "as_of": None, "groups": [], "top_k": 15}
        personal = {"person": person, "channel": "C1", "asked": f"can I advertise goods of kind {number}"}
        return AuditEntry(f"q-{number}", RecordKind.QUESTION, chain, at, answer_id, "bench", facts, personal)
    personal = {"person": person, "understood": f"goods of kind {number}", "shown": _QUOTE.format(n=number) * 5}
    return AuditEntry(f"r-{number}", RecordKind.ANSWER, chain, at, answer_id, "bench", _answered(number), personal)


def _answered(number: int) -> dict[str, Any]:
    chunks = [_chunk(number, n) for n in range(_CHUNKS)]
    return {
        "scope": {"as_of": "2026-01-01", "regions": ["uk"], "policy_sources": []},
        "verdicts": [{"region": "uk", "policy_source": "bench", "verdict": "restricted"}],
        "statements": [{"text": _QUOTE.format(n=n), "citations": [n], "quotes": []} for n in range(_CITATIONS)],
        "citations": [
            {**chunks[n], "number": n, "char_start": 0, "char_end": 90, "quote": _QUOTE.format(n=n)}
            for n in range(_CITATIONS)
        ],
        "chunks": chunks,
        "dropped": 0,
        "model": None,
        "timings_ms": {"embed": 5.25, "retrieve": 3.5, "total": 21.125},
    }


def _chunk(number: int, n: int) -> dict[str, str]:
    found = hashlib.sha256(f"{number % 97}:{n}".encode()).hexdigest()
    return {"chunk_id": found[:36], "doc_id": f"bench_{n}_2026-01-01", "content_hash": found}
