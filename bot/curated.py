"""Keeping approved answers: by whom they are changed, and what becomes of them when a rule that they cite changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from bot.record.entries import AuditEntry
from rag_core.curated.kept import CuratedAnswer
from rag_core.documents import Passage


@dataclass(frozen=True, slots=True)
class Checked:
    """Up to which change, and on which day, citations were checked."""

    change_id: int
    day: date


class CuratedShelf(Protocol):
    """All approved answers, drafts and former ones. Raises Unavailable."""

    async def find(self, name: str) -> CuratedAnswer | None:
        """By its id or its key."""
        ...

    async def all(self) -> tuple[CuratedAnswer, ...]:
        """By key."""
        ...

    async def save(self, answer: CuratedAnswer, entry: AuditEntry) -> bool:
        """Keeps it and adds its entry to the record: both or neither. False: somebody changed it meanwhile, or another
        has its key. Its revision is 1 for a new one, else one more than that which it replaces."""
        ...

    async def checked(self) -> Checked | None: ...

    async def mark_checked(self, checked: Checked) -> None:
        """Never back."""
        ...


class StoredPassages(Protocol):
    """Chunks of every version, whatever its status, day and audience: for checks, never to be shown."""

    async def passages(self, chunk_ids: Sequence[str]) -> Mapping[str, Passage]: ...


class NewestChange(Protocol):
    """How far the feed of changes has come. Raises Unavailable."""

    async def newest(self) -> int:
        """The last `change_id`, whoever may see the change; 0 before the first."""
        ...
