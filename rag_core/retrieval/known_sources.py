"""Which policy sources there are, asked of the store every few seconds and not for every question."""

import time
from collections.abc import Callable

from rag_core.documents import PolicySource
from rag_core.ports import PolicyStore

FRESH_SECONDS = 5.0
"""A source that was just ingested is recognised by name after at most this long."""


class KnownSources:
    """The sources that somebody in these groups may see, as of at most FRESH_SECONDS ago."""

    def __init__(self, store: PolicyStore, now: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._now = now
        self._kept: dict[frozenset[str], tuple[float, list[PolicySource]]] = {}

    async def known(self, groups: frozenset[str]) -> list[PolicySource]:
        """By slug. Raises Unavailable when the store does not answer and nothing fresh is known."""
        asked_at, sources = self._kept.get(groups, (float("-inf"), []))
        if self._now() - asked_at < FRESH_SECONDS:
            return sources
        sources = await self._store.sources(groups)
        self._kept = {each: kept for each, kept in self._kept.items() if self._now() - kept[0] < FRESH_SECONDS}
        self._kept[groups] = (self._now(), sources)
        return sources
