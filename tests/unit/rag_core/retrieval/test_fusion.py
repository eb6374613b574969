"""Two ranked lists into one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.errors import Misconfigured
from rag_core.retrieval.fusion import Fusion, FusionMethod, fuse

RRF = Fusion(FusionMethod.RRF)
KEYWORD = [("a", 12.0), ("b", 7.0), ("c", 2.0)]
VECTOR = [("c", 0.9), ("a", 0.8), ("d", 0.4)]

LEG = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-50, 50, allow_nan=False)).map(
    lambda scores: sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))
)
FUSION = st.builds(
    Fusion,
    method=st.sampled_from(FusionMethod),
    keyword_weight=st.floats(0.01, 9),
    vector_weight=st.floats(0.01, 9),
    rrf_k=st.integers(0, 100),
)


def test_minmax_adds_stretched_scores_at_equal_weights() -> None:
    assert fuse(KEYWORD, VECTOR, Fusion()) == [
        ("a", pytest.approx(0.5 * 1.0 + 0.5 * 0.8)),
        ("c", pytest.approx(0.5 * 0.0 + 0.5 * 1.0)),
        ("b", pytest.approx(0.5 * 0.5)),
        ("d", 0.0),
    ]


def test_minmax_weights_shift_the_order() -> None:
    words_only = fuse(KEYWORD, VECTOR, Fusion(keyword_weight=1.0, vector_weight=0.0))
    assert [chunk_id for chunk_id, _ in words_only] == ["a", "b", "c", "d"]
    meaning_first = fuse(KEYWORD, VECTOR, Fusion(keyword_weight=1.0, vector_weight=9.0))
    assert [chunk_id for chunk_id, _ in meaning_first] == ["c", "a", "b", "d"]


def test_rrf_counts_ranks_only() -> None:
    fused = dict(fuse(KEYWORD, VECTOR, RRF))
    assert fused["a"] == pytest.approx((1 / 61 + 1 / 62) / (2 / 61))
    assert fused["d"] == pytest.approx((1 / 63) / (2 / 61))
    assert fused == dict(fuse([(i, s * 100) for i, s in KEYWORD], VECTOR, RRF))


def test_rrf_k_dampens_the_first_ranks() -> None:
    steep = dict(fuse([("a", 2.0), ("b", 1.0)], None, Fusion(FusionMethod.RRF, rrf_k=1)))
    flat = dict(fuse([("a", 2.0), ("b", 1.0)], None, RRF))
    assert steep["b"] < flat["b"] < 1.0


@pytest.mark.parametrize("fusion", [Fusion(), RRF])
def test_first_in_both_legs_scores_one(fusion: Fusion) -> None:
    first, score = fuse([("a", 3.0), ("b", 1.0)], [("a", 0.7), ("c", 0.1)], fusion)[0]
    assert (first, score) == ("a", 1.0)


@pytest.mark.parametrize("fusion", [Fusion(keyword_weight=0.0, vector_weight=1.0), RRF])
def test_a_leg_that_was_not_searched_leaves_the_other_alone(fusion: Fusion) -> None:
    alone = fuse(KEYWORD, None, fusion)
    assert [chunk_id for chunk_id, _ in alone] == ["a", "b", "c"]
    assert alone[0][1] == 1.0


def test_a_leg_without_hits_counts_nothing() -> None:
    assert fuse([], VECTOR, Fusion())[0] == ("c", 0.5)


def test_equal_scores_within_a_leg_are_all_the_best() -> None:
    assert fuse([("b", 3.0), ("a", 3.0)], None, Fusion()) == [("a", 1.0), ("b", 1.0)]


def test_ties_are_in_the_order_of_ids() -> None:
    assert [i for i, _ in fuse([("z", 1.0)], [("a", 1.0)], Fusion())] == ["a", "z"]
    assert [i for i, _ in fuse([("z", 1.0)], [("a", 1.0)], RRF)] == ["a", "z"]


def test_nothing_in_nothing_out() -> None:
    assert fuse(None, None, Fusion()) == []
    assert fuse([], [], RRF) == []


@pytest.mark.parametrize(
    "broken",
    [
        {"keyword_weight": -0.1},
        {"vector_weight": -1.0},
        {"keyword_weight": 0.0, "vector_weight": 0.0},
        {"rrf_k": -1},
    ],
)
def test_settings_that_make_no_sense_are_refused(broken: dict[str, float]) -> None:
    with pytest.raises(Misconfigured, match="fusion_weights"):
        Fusion(**broken)  # type: ignore[arg-type]


@given(LEG, LEG, FUSION)
def test_every_id_once_in_bounds_and_in_order(
    keyword: list[tuple[str, float]], vector: list[tuple[str, float]], fusion: Fusion
) -> None:
    fused = fuse(keyword, vector, fusion)
    assert sorted(i for i, _ in fused) == sorted({i for i, _ in keyword} | {i for i, _ in vector})
    assert all(0.0 <= score <= 1.0 for _, score in fused)
    assert fused == sorted(fused, key=lambda scored: (-scored[1], scored[0]))
