"""Answers on record and what people said of them, in memory."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bot.audit.entries import AuditEntry
from bot.ports import Opinion, RecordedAnswer


def make_answer(answer_id: str = "a1", **changes: Any) -> RecordedAnswer:
    """A refusal, asked over REST by U1 of T1."""
    fields: dict[str, Any] = {
        "answer_id": answer_id,
        "answered_from": "rest",
        "workspace": "T1",
        "person": "U1",
        "question_text": "can I advertise wine",
        "reply": {"answer_id": answer_id, "kind": "refusal", "text": "Nothing on wine."},
        "trace": {"candidates": []},
        "answered_at": datetime(2026, 6, 1, 12, tzinfo=UTC),
    }
    return RecordedAnswer(**(fields | changes))


class FakeGivenAnswers:
    """Has `answers`, or raises `error`."""

    def __init__(self, *answers: RecordedAnswer) -> None:
        self.answers = {each.answer_id: each for each in answers}
        self.error: Exception | None = None

    async def answer(self, answer_id: str) -> RecordedAnswer | None:
        if self.error is not None:
            raise self.error
        return self.answers.get(answer_id)


@dataclass
class FakeFeedback:
    """Keeps all; of each person and answer the last."""

    kept: dict[tuple[str, str, str], Opinion] = field(default_factory=dict)
    entries: list[AuditEntry] = field(default_factory=list)

    async def save(self, opinion: Opinion, entry: AuditEntry) -> Opinion:
        self.kept[opinion.answer_id, opinion.workspace, opinion.person] = opinion
        self.entries.append(entry)
        return opinion

    async def of_answer(self, answer_id: str) -> tuple[Opinion, ...]:
        return tuple(each for each in self.kept.values() if each.answer_id == answer_id)
