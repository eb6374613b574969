"""Search alone, over what everybody may see."""

from datetime import date
from typing import Protocol

from rag_core.documents import Passage, PolicySource
from rag_core.errors import Rejected
from rag_core.questions import Filters, NoteKind
from rag_core.retrieval.found import SearchFound
from rag_core.understanding.places import find_places
from rag_core.understanding.platforms import find_sources

EVERYBODY: frozenset[str] = frozenset()
"""The groups of who may see public documents only."""


class SearchRoad(Protocol):
    """`PolicySearch.search`: raises Rejected for an unusable query or filter, Unavailable when nothing answers."""

    async def __call__(
        self,
        query: str,
        *,
        filters: Filters,
        today: date,
        as_of: date | None,
        groups: frozenset[str],
        limit: int,
        prefer_specific: bool,
    ) -> SearchFound: ...


class Library(Protocol):
    """The part of `rag_core.ports.PolicyStore` that is needed."""

    async def passages(self, chunk_ids: list[str], groups: frozenset[str], day: date | None) -> list[Passage]: ...

    async def sources(self, groups: frozenset[str]) -> list[PolicySource]: ...


class PublicSearch:
    """Places and platforms in the words narrow the search. Raises Unavailable."""

    def __init__(self, search: SearchRoad, library: Library) -> None:
        self._search = search
        self._library = library

    async def find(self, typed: str, today: date, *, skip: int, most: int) -> tuple[Passage, ...]:
        """Best first, of today. Raises Rejected: `place_unclear` (`said`), and what makes a query unusable."""
        filters = _filters(typed, await self._library.sources(EVERYBODY))
        found = await self._search(
            typed,
            filters=filters,
            today=today,
            as_of=None,
            groups=EVERYBODY,
            limit=skip + most,
            prefer_specific=bool(filters.regions),
        )
        return tuple(each.passage for each in found.results[skip:])

    async def passage(self, chunk_id: str, today: date) -> Passage | None:
        """None for what is not public, or does not hold today."""
        found = await self._library.passages([chunk_id], EVERYBODY, today)
        return found[0] if found else None


def _filters(typed: str, sources: list[PolicySource]) -> Filters:
    places = find_places(typed)
    if unclear := next((each for each in places if each.kind is NoteKind.UNCLEAR_PLACE), None):
        raise Rejected("place_unclear", said=typed[unclear.start : unclear.end])
    named = {each.slug for each in find_sources(typed, sources)}
    regions = dict.fromkeys(code for each in places for code in each.codes)
    return Filters(policy_sources=tuple(sorted(named)), regions=tuple(regions))
