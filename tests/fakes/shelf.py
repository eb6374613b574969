"""Where approved answers are kept, in memory; a queue of notices, and what stands beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.answers.curated import Checked
from bot.audit.entries import AuditEntry
from bot.model.notices import Notice, NoticeLease
from rag_core.curated.kept import CuratedAnswer
from rag_core.documents import Passage


@dataclass(slots=True)
class FakeShelf:
    """`CuratedShelf`."""

    answers: dict[str, CuratedAnswer] = field(default_factory=dict)
    entries: list[AuditEntry] = field(default_factory=list)
    mark: Checked | None = None

    async def find(self, name: str) -> CuratedAnswer | None:
        return next((each for each in self.answers.values() if name in (each.curated_id, each.key)), None)

    async def all(self) -> tuple[CuratedAnswer, ...]:
        return tuple(sorted(self.answers.values(), key=lambda each: each.key))

    async def save(self, answer: CuratedAnswer, entry: AuditEntry) -> bool:
        kept = self.answers.get(answer.curated_id)
        if (kept.revision if kept else 0) != answer.revision - 1:
            return False
        self.answers[answer.curated_id] = answer
        self.entries.append(entry)
        return True

    async def checked(self) -> Checked | None:
        return self.mark

    async def mark_checked(self, checked: Checked) -> None:
        self.mark = checked


@dataclass(slots=True)
class FakePassages:
    """`StoredPassages` and `NewestChange`."""

    found: dict[str, Passage] = field(default_factory=dict)
    change: int = 1

    async def passages(self, chunk_ids: Sequence[str]) -> Mapping[str, Passage]:
        return {each: self.found[each] for each in chunk_ids if each in self.found}

    async def newest(self) -> int:
        return self.change


@dataclass(slots=True)
class FakeNotices:
    """`NoticeQueue`: what waits, each once."""

    queued: dict[str, Notice] = field(default_factory=dict)

    async def queue(self, notices: Sequence[Notice]) -> int:
        new = [each for each in notices if each.notice_id not in self.queued]
        self.queued.update({each.notice_id: each for each in new})
        return len(new)

    async def take(self, worker: str, lease_seconds: float) -> NoticeLease | None:
        return next((NoticeLease(each, worker, 1, False) for each in self.queued.values()), None)

    async def postpone(self, lease: NoticeLease, seconds: float, *, may_be_there: bool = False) -> bool:
        return True

    async def finish(self, lease: NoticeLease, *, sent: bool) -> bool:
        return self.queued.pop(lease.notice.notice_id, None) is not None

    async def drop_workspace(self, platform: str, workspace: str) -> int:
        return len(self.queued)
