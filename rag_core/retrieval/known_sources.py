"""Which policy sources there are, asked of the store every few seconds and not for every question."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from rag_core.documents import PolicySource
from rag_core.errors import Unavailable
from rag_core.ports import PolicyStore
from rag_core.retrieval.reading import STORE, answer_in_time

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
