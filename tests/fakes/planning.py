"""Arrivals for the planner, and what a store holds once a plan is carried out."""

from dataclasses import fields, replace
from datetime import UTC, date, datetime
from typing import Any

from ingest.planner import Arrival, Plan, plan
from rag_core.documents import DocumentVersion, VersionStatus
from tests.fakes.documents import make_version

TODAY = date(2026, 6, 1)
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
NOBODY: frozenset[str] = frozenset()


def arrival(content: str, origin: str = "beer.md", stated: date | None = None, **changes: Any) -> Arrival:
    """Of acme_beer unless `changes` name another document; they are fields of Arrival, and of its version."""
    own = {each.name: changes.pop(each.name) for each in fields(Arrival) if each.name in changes}
    given = {"doc_id": "", "sha256": content, "origin": origin, "pipeline": "p1", "seen_at": NOW, "checked_at": NOW}
    version = make_version(changes.pop("document_id", "acme_beer"), date.min, **(given | changes))
    return Arrival(version, stated, **own)


def stored_after(*plans: Plan, stored: tuple[DocumentVersion, ...] = ()) -> list[DocumentVersion]:
    """What a store holds once plans are carried out."""
    held = {version.doc_id: version for version in stored}
    for each in plans:
        for document in each.documents:
            for version in document.new:
                assert version.doc_id not in held
                held[version.doc_id] = version
            for update in document.updates:
                held[update.doc_id] = replace(
                    held[update.doc_id],
                    effective_from=update.effective_from or held[update.doc_id].effective_from,
                    effective_to=update.effective_to,
                    status=VersionStatus(update.status),
                    supersedes=update.supersedes,
                    open_start=held[update.doc_id].open_start if update.open_start is None else update.open_start,
                )
    return list(held.values())


def after(
    stored: list[DocumentVersion], *arrivals: Arrival, today: date = TODAY, **changes: Any
) -> list[DocumentVersion]:
    """What a store holds after one run. `changes`: what else `plan` takes."""
    unchanged, unreadable = changes.pop("unchanged", ()), changes.pop("unreadable", NOBODY)
    return stored_after(plan(stored, unchanged, arrivals, unreadable, today, **changes), stored=tuple(stored))


def history(versions: list[DocumentVersion]) -> list[tuple[str, str | None, str]]:
    """(what follows the document in its doc_id, end, status) of each."""
    return sorted(
        (
            each.doc_id.removeprefix("acme_beer_"),
            each.effective_to.isoformat() if each.effective_to else None,
            each.status,
        )
        for each in versions
    )
