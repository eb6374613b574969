"""Filters as facets."""

from datetime import date

from rag_core.ports import IndexFilter
from rag_core.retrieval.facets import NO_END, clauses_of, days_of, facets_of
from tests.fakes.documents import passages_of
from tests.fakes.indexes import one_chunk


def test_the_audience_is_always_a_clause() -> None:
    (audience,) = clauses_of(IndexFilter()).any_of
    assert audience == {"audience:*"}
    (wider,) = clauses_of(IndexFilter(groups=frozenset({"legal"}))).any_of
    assert wider == {"audience:*", "group:legal"}


def test_empty_means_not_restricted() -> None:
    clauses = clauses_of(IndexFilter(places=frozenset(), labels={"stage": frozenset()}))
    assert clauses == clauses_of(IndexFilter())


def test_equal_filters_have_equal_clauses() -> None:
    one = IndexFilter(labels={"a": frozenset({"x"}), "b": frozenset({"y"})}, day=date(2026, 1, 1))
    two = IndexFilter(labels={"b": frozenset({"y"}), "a": frozenset({"x"})}, day=date(2026, 1, 1))
    assert clauses_of(one) == clauses_of(two)
    assert hash(clauses_of(one)) == hash(clauses_of(two))


def test_a_restricted_chunk_has_its_groups_for_an_audience() -> None:
    (open_to_all,) = passages_of(one_chunk("acme_a", "x", allowed_groups=frozenset({"legal"})))
    assert "audience:*" in facets_of(open_to_all)
    (restricted,) = passages_of(one_chunk("acme_a", "x", classification="restricted", allowed_groups={"legal"}))
    assert "group:legal" in facets_of(restricted)
    assert "audience:*" not in facets_of(restricted)


def test_days_are_ordinals_with_an_open_end() -> None:
    (passage,) = passages_of(one_chunk("acme_a", "x", date(2026, 1, 1)))
    assert days_of(passage) == (date(2026, 1, 1).toordinal(), NO_END)
    assert date.max.toordinal() < NO_END


def test_a_value_too_long_for_the_keyword_index_keeps_its_identity() -> None:
    long, other = "a" * 70_000, "a" * 69_999 + "b"
    (clauses,) = (clauses_of(IndexFilter(sections=frozenset({long, other}))).any_of[1:],)
    assert len(clauses[0]) == 2
    assert all(len(facet) < 100 for facet in clauses[0])


def test_values_of_labels_that_are_shut_out_are_forbidden_and_others_pass() -> None:
    clauses = clauses_of(IndexFilter(labels_excluded={"variant": frozenset({"indoor"})}))
    (indoor,) = passages_of(one_chunk("acme_a", "x", labels={"variant": "indoor"}))
    (outdoor,) = passages_of(one_chunk("acme_b", "x", labels={"variant": "outdoor"}))
    (neither,) = passages_of(one_chunk("acme_c", "x"))
    assert [bool(facets_of(each) & clauses.none_of) for each in (indoor, outdoor, neither)] == [True, False, False]
    assert clauses.any_of == clauses_of(IndexFilter()).any_of
