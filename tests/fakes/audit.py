"""Entries of the record for tests, and a key that signs."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from adapters.local.signing import Ed25519Signer, TrustedKeys, new_signing_key
from bot.audit.entries import AuditEntry, RecordKind

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SIGNER = Ed25519Signer(new_signing_key())
TRUSTED = TrustedKeys([SIGNER.public_key])


def make_entry(number: int, workspace: str = "T1", **changes: Any) -> AuditEntry:
    """A question; its number is in everything that may differ."""
    entry = AuditEntry(
        record_id=f"r{number}",
        kind=RecordKind.QUESTION,
        workspace=workspace,
        at=NOON + timedelta(seconds=number),
        subject=f"a{number}",
        origin="slack",
        facts={"outcome": "answer", "number": number, "ratio": 0.1},
        personal={"person": f"U{number % 3}", "asked": f"„Bier“ 🍺 {number}?"},
    )
    return replace(entry, **changes)


def make_entries(count: int, workspace: str = "T1") -> list[AuditEntry]:
    return [make_entry(number, workspace) for number in range(1, count + 1)]


class FakeAuditLog:
    """What was appended; `failure` is raised instead."""

    def __init__(self) -> None:
        self.entries: list[AuditEntry] = []
        self.failure: Exception | None = None

    async def append(self, entries: Sequence[AuditEntry]) -> None:
        if self.failure:
            raise self.failure
        known = {each.record_id for each in self.entries}
        self.entries += [each for each in entries if each.record_id not in known]
