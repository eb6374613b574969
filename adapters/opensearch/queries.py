"""A search as OpenSearch takes it. Queries are built from values: nothing a person types is an operator."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import zip_longest
from typing import Any

from adapters.opensearch.analysis import words_of
from adapters.opensearch.documents import numbers
from adapters.opensearch.mapping import FIELDS
from rag_core.ports import IndexFilter, IndexQuery, Vector
from rag_core.questions import QueryTerm
from rag_core.retrieval.facets import clauses_of
from rag_core.retrieval.found import (
    HEADING_WEIGHT,
    MAX_PHRASE,
    MAX_TERMS,
    RULE_WEIGHT,
    SYNONYM_WEIGHT,
    encodable,
    rule_key,
)

Json = dict[str, Any]

MOST_HITS = 10_000
"""`index.max_result_window`, and the most neighbours that a vector query may ask for."""

COSINE = "cosine"
"""The named query whose score says how near a hit is, also of hits that only the words found."""

_CLAUSES = 900
"""Words of a query, each field counted; a cluster takes 1,024 (`indices.query.bool.max_clause_count`), and the
filters need some."""
_LONGEST_RULE = 256
_WIDER = 100
"""Neighbours looked for beyond those that are wanted: the engine searches no wider than it is asked for
(it ignores `ef_search`), and near the end of its list it misses some. Where no more chunks pass the filter, it
compares all of them."""


@dataclass(frozen=True, slots=True)
class Wording:
    """One way of naming a term: its words, its rule number if it may be one, and how much it counts."""

    words: tuple[str, ...]
    rule: str | None
    weight: float

    @property
    def cost(self) -> int:
        return 2 * len(self.words) + (self.rule is not None)


def words_query(terms: Sequence[QueryTerm]) -> Json | None:
    """Chunks with any of the terms; None if no word is left of them.

    A query that is too long for the cluster loses synonyms first, those of the last terms before others.
    """
    alternatives = [[_dis_max_part(each) for each in wordings] for wordings in _affordable(terms) if wordings]
    found = [each[0] if len(each) == 1 else {"dis_max": {"queries": each}} for each in alternatives]
    return _any(found) if found else None


def vector_query(vector: Vector, filter_: Json | None, depth: int) -> Json:
    """The nearest chunks of those that pass. A filter beside it would only remove hits afterwards."""
    wanted = min(depth + _WIDER, MOST_HITS)
    asked: Json = {"vector": numbers(vector), "k": wanted}
    return {"knn": {"vector": asked | ({"filter": filter_} if filter_ is not None else {})}}


def hybrid_query(words: Json, vector: Vector, filter_: Json, depth: int) -> Json:
    """Both legs, `depth` of each from each shard, and the cosine of every hit as the score of a named query.

    That query stands beside a term that no chunk has: it costs nothing until the hits are fetched, and then it is
    worked out for each of them. (Values of vectors cannot be fetched, and scripts in the fetch phase cannot read them.)
    """
    near: Json = {
        "script_score": {
            "_name": COSINE,
            "query": {"match_all": {}},
            "script": {
                "lang": "knn",
                "source": "knn_score",
                "params": {"field": "vector", "query_value": numbers(vector), "space_type": "cosinesimil"},
            },
        }
    }
    beside = {"bool": {"must": [{"term": {"chunk_id": ""}}, near]}}
    legs = [{"bool": {"must": [words], "should": [beside]}}, vector_query(vector, None, depth)]
    return {"hybrid": {"queries": legs, "filter": filter_, "pagination_depth": depth}}


def filter_query(filter_: IndexFilter) -> Json:
    """The filter that both legs get; the audience is always in it."""
    clauses = clauses_of(filter_)
    day = date.fromordinal(clauses.day).isoformat() if clauses.day is not None else None
    must = [_having(facets) for facets in clauses.any_of]
    must_not = [_having(clauses.none_of)] if clauses.none_of else []
    if day is not None:
        must.append({"range": {"effective_from": {"lte": day}}})
        must_not.append({"range": {"effective_to": {"lte": day}}})
    if clauses.without:
        must_not.append({"terms": {"chunk_id": sorted(clauses.without)}})
    return {"bool": {"filter": must, "must_not": must_not}}


def depth_of(query: IndexQuery) -> int:
    """Hits of each leg."""
    return min(max(query.depth, query.limit), MOST_HITS)


def cosine_of(score: float) -> float:
    """The cosine that a vector score stands for."""
    return round(min(max(2.0 * score - 1.0, -1.0), 1.0), 6)


def _having(facets: frozenset[str]) -> Json:
    """Chunks with any of the facets."""
    by_field: dict[str, list[str]] = {}
    for facet in sorted(facets):
        kind, _, value = facet.partition(":")
        by_field.setdefault(FIELDS[kind], []).append(value)
    return _any([{"terms": {field: values}} for field, values in by_field.items()])


def _affordable(terms: Sequence[QueryTerm]) -> list[list[Wording]]:
    """The wordings of each term, as far as the clauses reach: first what was asked, then what says the same."""
    alternatives = [list(_wordings(term)) for term in terms[:MAX_TERMS]]
    kept: list[list[Wording]] = [[] for _ in alternatives]
    left = _CLAUSES
    for rank in zip_longest(*alternatives):
        for wordings, wording in zip(kept, rank, strict=True):
            if wording is not None and wording.words and wording.cost <= left:
                left -= wording.cost
                wordings.append(wording)
    return kept


def _wordings(term: QueryTerm) -> Iterator[Wording]:
    for position, text in enumerate(term.wordings):
        found = words_of(text)
        if len(found) > MAX_PHRASE:
            found = list(dict.fromkeys(found[:MAX_TERMS]))
        has_number = any(each.isdigit() for each in text[:_LONGEST_RULE])
        rule = rule_key(text) if has_number and len(text) <= _LONGEST_RULE else None
        yield Wording(tuple(found), rule, SYNONYM_WEIGHT if position else 1.0)


def _dis_max_part(wording: Wording) -> Json:
    parts = [_words("text", wording, 1.0), _words("heading", wording, HEADING_WEIGHT)]
    if wording.rule is not None:
        parts.append({"term": {"rule": {"value": encodable(wording.rule), "boost": wording.weight * RULE_WEIGHT}}})
    return _any(parts)


def _words(field: str, wording: Wording, weight: float) -> Json:
    """One word, a phrase, or the words of what is too long for anybody to have written it just so."""
    kind = "match_phrase" if len(wording.words) <= MAX_PHRASE else "match"
    return {kind: {field: {"query": " ".join(wording.words), "boost": wording.weight * weight}}}


def _any(queries: Sequence[Json]) -> Json:
    return queries[0] if len(queries) == 1 else {"bool": {"should": list(queries), "minimum_should_match": 1}}
