"""A record of changes over versions in memory, kept as the real one keeps it."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from ingest.ports import VersionWrite
from rag_core import ask
from rag_core.changes import ChangeKind, ChangesWanted, PolicyChange, diff, kind_of
from rag_core.questions import Intent, Question
from rag_core.understanding.understand import understand
from tests.fakes.policies import Desk, FakePolicyStore, open_desk
from tests.fakes.reader import FakeReader


class FakeChanges:
    """`rag_core.ports.ChangeReader` over `writes`; keeps what was wanted, for whom, and how many."""

    def __init__(self, *writes: VersionWrite) -> None:
        self.asked: list[tuple[ChangesWanted, frozenset[str], int | None]] = []
        histories: dict[str, list[VersionWrite]] = {}
        for write in sorted(writes, key=lambda each: each.version.effective_from):
            histories.setdefault(write.version.document_id, []).append(write)
        rows = [row for history in histories.values() for row in _rows(history)]
        self._rows = [(write, row) for write, row in sorted(rows, key=lambda pair: pair[1].changed_on)]

    async def changes(
        self, wanted: ChangesWanted, groups: frozenset[str], limit: int | None = None
    ) -> list[PolicyChange]:
        self.asked.append((wanted, groups, limit))
        found = [
            row
            for write, row in self._rows
            if write.version.may_see(groups)
            and (wanted.since is None or row.changed_on >= wanted.since)
            and (wanted.until is None or row.changed_on <= wanted.until)
            and (not wanted.policy_sources or row.policy_source in wanted.policy_sources)
        ]
        return (found[::-1] if wanted.newest_first else found)[:limit]


def _rows(history: list[VersionWrite]) -> list[tuple[VersionWrite, PolicyChange]]:
    first, last = history[0], history[-1]
    rows = [(first, _change(ChangeKind.ADDED, first, None))]
    rows += [(after, _change(None, after, before)) for before, after in pairwise(history)]
    return rows + ([(last, _change(ChangeKind.REMOVED, last, None))] if last.version.effective_to else [])


def _change(kind: ChangeKind | None, write: VersionWrite, before: VersionWrite | None) -> PolicyChange:
    version = write.version
    sections = diff(before.text, write.text) if before else ()
    gone = version.effective_to if kind is ChangeKind.REMOVED else None
    return PolicyChange(
        kind=kind or kind_of(sections),
        document_id=version.document_id,
        policy_source=version.policy_source,
        doc_id=version.doc_id,
        previous_doc_id=before.version.doc_id if before else None,
        changed_on=gone or version.effective_from,
        sections=sections,
        title=version.title,
        change_id=hash((version.doc_id, kind)),
    )


def desk_with_changes(*writes: VersionWrite) -> tuple[Desk, FakeChanges]:
    """A desk that knows what changed between `writes`."""
    changes = FakeChanges(*writes)
    plain = open_desk(*writes, store=FakePolicyStore(*writes))
    asker = ask.Asker(plain.search, plain.store, None, changes, reader=FakeReader())
    return Desk(plain.store, plain.index, plain.search, asker), changes


def read_as(monkeypatch: pytest.MonkeyPatch, intent: Intent, **scope: Any) -> None:
    """Every question is understood as it is, and then taken to want `intent`; `scope` are fields of its scope."""

    def understood(*args: Any, **kwargs: Any) -> Question:
        question = understand(*args, **kwargs)
        return replace(question, intent=intent, scope=replace(question.scope, **scope))

    monkeypatch.setattr(ask, "understand", understood)
