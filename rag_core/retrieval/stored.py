"""Passages and sources out of the store; while it does not answer, public ones out of the index's copies."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from rag_core.deadlines import within
from rag_core.documents import SHOWN_STATUSES, Classification, Passage, PolicySource
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


FRESH_SECONDS = 5.0
"""A source that was just ingested is recognised by name after at most this long."""

_MOST_KEPT = 256
"""Sets of groups whose sources are remembered; those asked about longest ago give way."""

_EVERYBODY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SourcesKnown:
    """Sources by slug; `degraded` names the store where this is what it last said."""

    sources: list[PolicySource]
    degraded: tuple[str, ...] = ()


class KnownSources:
    """The sources that somebody in these groups may see, as of at most FRESH_SECONDS ago.

    `outlives_store`: while the store does not answer, what it last said of these groups, however long ago, or of
    everybody.
    """

    def __init__(
        self, store: PolicyStore, now: Callable[[], float] = time.monotonic, *, outlives_store: bool = False
    ) -> None:
        self._store = store
        self._now = now
        self._outlives_store = outlives_store
        self._kept: dict[frozenset[str], tuple[float, list[PolicySource]]] = {}

    async def known(self, groups: frozenset[str]) -> SourcesKnown:
        """Raises Unavailable when the store does not answer and there is nothing that may stand in for it."""
        asked_at, sources = self._kept.get(groups, (float("-inf"), []))
        if self._now() - asked_at < FRESH_SECONDS:
            return SourcesKnown(sources)
        if not self._outlives_store:
            return SourcesKnown(self._keep(groups, await self._store.sources(groups)))
        if _EVERYBODY not in self._kept and groups != _EVERYBODY:
            await self.known(_EVERYBODY)  # what may be said to any group, should the store fall silent
        found = await answer_in_time(self._store.sources(groups))
        if found is not None:
            return SourcesKnown(self._keep(groups, found))
        _, last = self._kept.get(groups) or self._kept.get(_EVERYBODY) or (0.0, None)
        if last is None:
            raise Unavailable("store_down")
        return SourcesKnown(last, (STORE,))

    def _keep(self, groups: frozenset[str], sources: list[PolicySource]) -> list[PolicySource]:
        self._kept.pop(groups, None)
        self._kept[groups] = (self._now(), sources)
        while len(self._kept) > _MOST_KEPT:
            oldest = next(each for each in self._kept if each != _EVERYBODY)
            del self._kept[oldest]
        return sources
