"""Questions as queries, within what a cluster takes."""

import json
from collections.abc import Iterator
from datetime import date
from typing import Any

import numpy as np
import pytest

from adapters.opensearch.analysis import words_of
from adapters.opensearch.queries import depth_of, filter_query, hybrid_query, vector_query, words_query
from rag_core.ports import IndexFilter, IndexQuery
from rag_core.questions import QueryTerm

MOST_CLAUSES = 1024


def leaves(query: Any) -> Iterator[tuple[str, str, str]]:
    """(kind, field, text) of everything that is looked for."""
    if isinstance(query, list):
        for each in query:
            yield from leaves(each)
    elif isinstance(query, dict):
        for kind, inside in query.items():
            if kind in ("match", "match_phrase"):
                for field, asked in inside.items():
                    yield kind, field, asked["query"]
            else:
                yield from leaves(inside)


def clauses(query: Any) -> int:
    """As Lucene counts them: each word of each field, and each rule number."""
    return sum(len(text.split()) for _, _, text in leaves(query)) + json.dumps(query).count('"term"')


def test_one_word_is_looked_for_in_text_and_heading() -> None:
    query = words_query([QueryTerm("Beer")])
    assert list(leaves(query)) == [("match_phrase", "text", "Beer"), ("match_phrase", "heading", "Beer")]


def test_what_has_no_word_is_no_query() -> None:
    for text in ("", "!?", "🍺", "\ud800", "x" * 60):
        assert words_query([QueryTerm(text)]) is None
    assert words_query([]) is None


def test_words_are_runs_of_letters_marks_and_digits() -> None:
    assert words_of("Café’s e-cigarette_ad 4.2 advertiser's") == [
        "Café",
        "e",
        "cigarette",
        "ad",
        "4",
        "2",
        "advertiser",
    ]
    assert words_of("विज्ञापन cafe\u0301") == ["विज्ञापन", "cafe\u0301"]


def test_a_wording_is_a_phrase_until_nobody_would_write_it_so() -> None:
    eight, nine = " ".join("abcdefgh"), " ".join("abcdefghi")
    assert {kind for kind, _, _ in leaves(words_query([QueryTerm(eight)]))} == {"match_phrase"}
    assert {kind for kind, _, _ in leaves(words_query([QueryTerm(nine)]))} == {"match"}


def test_a_number_may_be_that_of_a_rule() -> None:
    assert '"rule": {"value": "4.2", "boost": 3.0}' in json.dumps(words_query([QueryTerm("4.2 .")]))
    assert '"rule"' not in json.dumps(words_query([QueryTerm("four"), QueryTerm("7" + "x" * 300 + " y")]))


@pytest.mark.parametrize(
    "terms",
    [
        [QueryTerm(f"word{n}", tuple(f"other{n} {m}" for m in range(9))) for n in range(3000)],
        [QueryTerm(" ".join(f"w{n}" for n in range(3000)))] * 300,
        [QueryTerm("a", (" ".join(f"w{n}" for n in range(3000)),))] * 256,
        [QueryTerm(f"{n}.{n}") for n in range(3000)],
    ],
    ids=["many terms", "long terms", "long synonyms", "numbers"],
)
def test_a_very_long_question_fits(terms: list[QueryTerm]) -> None:
    assert 500 < clauses(words_query(terms)) < MOST_CLAUSES - 100


def test_synonyms_go_before_words() -> None:
    terms = [QueryTerm(f"word{n}", (f"other{n}", f"wider{n}")) for n in range(150)]
    looked_for = {text for _, _, text in leaves(words_query(terms))}
    assert {f"word{n}" for n in range(150)} <= looked_for
    assert "other0" in looked_for
    assert "other149" in looked_for
    assert "wider149" not in looked_for


def test_the_audience_is_always_asked_for() -> None:
    assert filter_query(IndexFilter()) == {"bool": {"filter": [{"terms": {"audience": ["*"]}}], "must_not": []}}


def test_a_day_without_an_end_passes() -> None:
    asked = filter_query(IndexFilter(day=date(2026, 3, 1)))["bool"]
    assert {"range": {"effective_from": {"lte": "2026-03-01"}}} in asked["filter"]
    assert asked["must_not"] == [{"range": {"effective_to": {"lte": "2026-03-01"}}}]


@pytest.mark.parametrize(("limit", "depth", "expected"), [(5, 100, 100), (500, 100, 500), (50_000, 100, 10_000)])
def test_depth(limit: int, depth: int, expected: int) -> None:
    assert depth_of(IndexQuery((), None, IndexFilter(), limit, depth)) == expected


def test_excluded_places_are_shut_out_of_both_legs() -> None:
    asked, near = filter_query(IndexFilter(excluding=frozenset({"be", "lu"}))), np.ones(2, dtype=np.float32)
    assert {"terms": {"regions_excluded": ["be", "lu"]}} in asked["bool"]["must_not"]
    assert hybrid_query({}, near, asked, 10)["hybrid"]["filter"] == asked
    assert vector_query(near, asked, 10)["knn"]["vector"]["filter"] == asked
