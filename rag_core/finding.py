"""What a question finds: wide searches, ranked, with what belongs to the best passages."""

from dataclasses import dataclass, field

from rag_core.answering.coverage import covered
from rag_core.questions import AskRequest, QueryTerm, Question
from rag_core.regions import display_name
from rag_core.retrieval.completing import with_what_stands_before
from rag_core.retrieval.found import Found
from rag_core.retrieval.ranking import Ranking
from rag_core.retrieval.reading import PassageReader
from rag_core.retrieval.scoping import index_filter
from rag_core.retrieval.search import Embedded, PolicySearch
from rag_core.retrieval.signals import asked_of, own_rules
from rag_core.rules.places import refers_to_list
from rag_core.rules.rule import rules_in

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
        asked = asked_of(question, place, covered)
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
