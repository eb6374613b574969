"""Passages out of the store; while it does not answer, public ones out of the index's copies, and that is said."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from rag_core.deadlines import within
from rag_core.documents import SHOWN_STATUSES, Classification, Passage
from rag_core.errors import STORED_TEXT_CHANGED, Unavailable
from rag_core.ports import IndexCopies, PolicyStore

T = TypeVar("T")

STORE = "store"
"""The part that is named as degraded."""

STORE_SECONDS = 3.0
"""A check by ids takes milliseconds: where there is something to fall back to, a store that hangs may not use up the
time that the answer has."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Passages, and what they lack: `degraded` is empty where the store itself gave them."""

    passages: list[Passage]
    degraded: tuple[str, ...] = ()


class PassageReader:
    """`PolicyStore.passages` and `section`, which survive the store where there are copies.

    From copies, public documents only, whatever the groups: who is in a group is for the store to check. Without
    copies, and when they do not answer either: raises Unavailable.
    """

    def __init__(self, store: PolicyStore, copies: IndexCopies | None = None) -> None:
        self._store = store
        self._copies = copies

    async def passages(self, chunk_ids: Sequence[str], groups: frozenset[str], day: date | None) -> Reading:
        """In the order of `chunk_ids`; those that may not be shown to `groups`, or not on `day`, are left out."""
        asked = self._store.passages(chunk_ids, groups, day)
        if self._copies is None:
            return Reading(await asked)
        if (found := await answer_in_time(asked)) is not None:
            return Reading(found)
        return _degraded(await self._copies.passages(chunk_ids, day), day)

    async def section(self, doc_id: str, first_index: int, last_index: int, groups: frozenset[str]) -> Reading:
        """The chunks of one version by chunk_index, both ends included, in order."""
        asked = self._store.section(doc_id, first_index, last_index, groups)
        if self._copies is None:
            return Reading(await asked)
        if (found := await answer_in_time(asked)) is not None:
            return Reading(found)
        return _degraded(await self._copies.section(doc_id, first_index, last_index), None)


async def answer_in_time(asked: Awaitable[T]) -> T | None:
    """What the store answers; None when it is down, or takes longer than a store may.

    Raises Unavailable("stored_text_changed"): then the store did answer, and a copy may have changed with it.
    """
    try:
        async with within(STORE_SECONDS):
            return await asked
    except Unavailable as exc:
        if exc.code == STORED_TEXT_CHANGED:
            raise
        return None
    except TimeoutError:
        return None


def _degraded(copies: Sequence[Passage], day: date | None) -> Reading:
    """What the copies themselves know to be public and in force. They may be wrong: that is what `degraded` says."""
    shown = [
        each
        for each in copies
        if each.version.classification is Classification.PUBLIC
        and each.version.status in SHOWN_STATUSES
        and (day is None or each.version.holds_on(day))
    ]
    return Reading(shown, (STORE,))
