"""How alike two rankings are, held against the field's own implementation."""

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import nDCG

from ops.bench.backends import Ranked, agreement, graded_ndcg, overlap

IDS = [f"c{number}" for number in range(20)]
TOP = st.permutations(IDS).flatmap(lambda ids: st.integers(1, 10).map(lambda count: list(ids[:count])))


@given(TOP, TOP)
def test_graded_ndcg_is_that_of_ir_measures(reference: list[str], other: list[str]) -> None:
    judged = [ir_measures.Qrel("q", each, len(reference) - place) for place, each in enumerate(reference)]
    run = [ir_measures.ScoredDoc("q", each, float(-rank)) for rank, each in enumerate(other)]
    theirs = ir_measures.calc_aggregate([nDCG @ 20], judged, run)
    assert graded_ndcg(reference, other) == pytest.approx(theirs[nDCG @ 20])


def test_overlap() -> None:
    assert overlap("abcd", "dcba") == 1.0
    assert overlap("abcd", "abxy") == 0.5
    assert overlap("abcd", "ab") == 0.5
    assert overlap("", "") == 1.0
    assert overlap("", "a") == 0.0


def ranked(*pairs: str) -> Ranked:
    """`pairs` are "chunk/document"."""
    split = [pair.split("/") for pair in pairs]
    return Ranked(tuple(chunk for chunk, _ in split), tuple(document for _, document in split))


def test_expected_documents_count_once_and_only_where_some_are_expected() -> None:
    reference = [ranked("a/x", "b/x", "c/y"), ranked("d/z")]
    other = [ranked("b/x", "a/x", "c/y"), ranked("e/z")]
    found = agreement(reference, other, [frozenset({"y"}), frozenset()])
    assert found.questions == 2
    assert found.overlap == 0.5
    assert found.expected == pytest.approx((0.6309, 0.6309), abs=1e-4)  # y is the second document of both
    assert agreement(reference, other, [frozenset(), frozenset()]).expected is None
