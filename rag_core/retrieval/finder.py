"""What a question finds: wide searches, ranked, with what belongs to the best passages."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from rag_core.documents import Passage, PolicyChunk
from rag_core.layout import BlockKind, read_blocks
from rag_core.questions import AskRequest, QueryTerm, Question
from rag_core.regions import GLOBAL, display_name, seen_from
from rag_core.retrieval.found import Found
from rag_core.retrieval.ranking import Ranking, asked_of, own_rules
from rag_core.retrieval.search import Embedded, PolicySearch, index_filter
from rag_core.retrieval.stored import PassageReader
from rag_core.rules.places import refers_to_list
from rag_core.rules.rule import rules_in
from rag_core.vocabulary import pattern

FROM_THE_BEST = 5
"""Passages that are completed where they need it: answers quote from these, and each costs a query."""

_LOOKED_BACK = 12

_REFERS_BACK = pattern("passages", "refers_back")


def begins_in_the_middle(chunk: PolicyChunk) -> bool:
    """Whether its first words mean something only behind what stands before them: "Such ads ...", a list item without
    its lead-in, a row without its header, half a sentence."""
    return chunk.chunk_index > 0 and not chunk.lead_in and _needs_more(chunk.chunk_text)


@lru_cache(maxsize=20_000)
def _needs_more(text: str) -> bool:
    first = next((block for block in read_blocks(text) if block.kind is not BlockKind.HEADING), None)
    if first is None or first.kind is not BlockKind.PARAGRAPH:
        return first is not None and first.kind in (BlockKind.ITEM, BlockKind.ROW)
    return bool(_REFERS_BACK.match(first.text)) or first.text[:1].islower()


async def with_what_stands_before(
    found: Sequence[Found], reader: PassageReader, groups: frozenset[str]
) -> tuple[list[Found], tuple[str, ...]]:
    """`found` (best first), each of the best that begins in the middle followed by the text before it; and what was
    degraded about reading that.

    It comes from the same section, or else from the one above, and through the store's checks.
    """
    known = {each.passage.chunk.chunk_id for each in found}
    completed: list[Found] = []
    degraded: tuple[str, ...] = ()
    for position, each in enumerate(found):
        completed.append(each)
        chunk = each.passage.chunk
        if position >= FROM_THE_BEST or not begins_in_the_middle(chunk):
            continue
        first = max(0, chunk.chunk_index - _LOOKED_BACK)
        read = await reader.section(chunk.doc_id, first, chunk.chunk_index - 1, groups)
        degraded += read.degraded
        before = _before(chunk, read.passages)
        if before is not None and before.chunk.chunk_id not in known:
            known.add(before.chunk.chunk_id)
            completed.append(replace(each, passage=before))
    return completed, degraded


def _before(chunk: PolicyChunk, passages: Sequence[Passage]) -> Passage | None:
    """The last passage of the same section, or of the nearest section above it, for the same places."""
    fitting = [each for each in passages if set(chunk.regions) <= set(each.chunk.regions) or _is_general(each)]
    own = [each for each in fitting if each.chunk.policy_path == chunk.policy_path]
    above = [each for each in fitting if chunk.policy_path.startswith(f"{each.chunk.policy_path} > ")]
    nearest = max(above, key=lambda each: (len(each.chunk.policy_path), each.chunk.chunk_index), default=None)
    return own[-1] if own else nearest


def _is_general(passage: Passage) -> bool:
    return GLOBAL in passage.chunk.regions


MOST_REFERRED = 3
"""Sections that are offered with one answer."""


async def referred_sections(
    cited: Sequence[Passage],
    found: Iterable[Passage],
    places: Sequence[str],
    reader: PassageReader,
    groups: frozenset[str],
) -> tuple[list[Passage], tuple[str, ...]]:
    """The first passage of each section that `cited` refer to, in the order of the references, and what was degraded
    about reading them.

    Sections that are cited anyway are left out, those for other places than the ones asked about, and those that the
    store does not show to `groups`. What was `found` is not read again.
    """
    known = {_position(each): each for each in (*found, *cited)}
    targets = list(dict.fromkeys((each.chunk.doc_id, index) for each in cited for index in each.chunk.refers_to))
    unread = [target for target in targets if target not in known][: 2 * MOST_REFERRED]
    readings = await asyncio.gather(*(reader.section(doc_id, index, index, groups) for doc_id, index in unread))
    known |= {_position(each): each for read in readings for each in read.passages}
    shown = {_section(each) for each in cited}
    sections: dict[tuple[str, str], Passage] = {}
    for passage in (known[target] for target in targets if target in known):
        if _section(passage) not in shown and _holds_in_one(passage, places):
            sections.setdefault(_section(passage), passage)
    degraded = tuple(part for read in readings for part in read.degraded)
    return list(sections.values())[:MOST_REFERRED], degraded


def _position(passage: Passage) -> tuple[str, int]:
    return passage.chunk.doc_id, passage.chunk.chunk_index


def _section(passage: Passage) -> tuple[str, str]:
    return passage.chunk.doc_id, passage.chunk.policy_path


def _holds_in_one(passage: Passage, places: Sequence[str]) -> bool:
    """Whether it holds in one of the places asked about (none: any will do)."""
    chunk = passage.chunk
    return not places or any(
        set(chunk.regions) & seen_from(place) and not set(chunk.regions_excluded) & seen_from(place) for place in places
    )


_WIDE = 30
"""Passages that are ranked, of which the best are read."""

_OWN_RULES = 8
_LIST_CHUNKS = 20


@dataclass(slots=True)
class Gathered:
    """What was found, best first for each search, and what was not at hand for it."""

    found: list[Found] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)


class Finder:
    """Searches, ranks, and reads what the best passages need around them."""

    def __init__(self, search: PolicySearch, reader: PassageReader, ranking: Ranking) -> None:
        self._search = search
        self._reader = reader
        self._ranking = ranking

    async def find(self, question: Question, request: AskRequest, embedded: Embedded, place: str | None) -> Gathered:
        """One search for each platform asked: a comparison must not lose one side to the other's better scores."""
        scope, gathered = question.scope, Gathered()
        terms = (*question.terms, *_place_terms(place))
        general = index_filter(scope, request.groups, (place,) if place else ())
        # The place's own rules are few among the general ones: they get a search of their own.
        searches = [(general, max(_WIDE, request.top_k))]
        searches += [(general.without_global(), _OWN_RULES)] if place else []
        asked = asked_of(question, place)
        for slugs in [frozenset({slug}) for slug in scope.policy_sources] or [frozenset()]:
            narrowed = [(filter_.for_sources(slugs), limit) for filter_, limit in searches]
            found = await self._search.find_each(terms, embedded, narrowed)
            ranked = await self._ranking.rank(found.results, asked)
            best, rest = ranked.results[: request.top_k], ranked.results[request.top_k :]
            kept = [*best, *own_rules(rest, place)[:_OWN_RULES]]
            completed, lacking = await with_what_stands_before(kept, self._reader, request.groups)
            gathered.found += completed
            gathered.degraded += [*found.degraded, *ranked.degraded, *lacking]
        if place:
            await self._add_listed_places(gathered, request.groups)
        return gathered

    async def _add_listed_places(self, gathered: Gathered, groups: frozenset[str]) -> None:
        """The rest of sections that allow only places of a list: the list may stand in another chunk."""
        known = {found.passage.chunk.chunk_id for found in gathered.found}
        for found in list(gathered.found):
            if not any(refers_to_list(unit) for unit in rules_in(found.passage)):
                continue
            chunk = found.passage.chunk
            read = await self._reader.section(
                chunk.doc_id, chunk.chunk_index + 1, chunk.chunk_index + _LIST_CHUNKS, groups
            )
            gathered.degraded += read.degraded
            for passage in read.passages:
                if passage.chunk.policy_path == chunk.policy_path and passage.chunk.chunk_id not in known:
                    known.add(passage.chunk.chunk_id)
                    gathered.found.append(Found(passage, found.score, found.cosine))


def _place_terms(place: str | None) -> tuple[QueryTerm, ...]:
    """The place's name for the keyword leg: rows and items of general sections name it."""
    return (QueryTerm(display_name(place).split(" (")[0]),) if place else ()
