"""Inner products: quick ones that are near enough, exact ones, and copies kept of what is asked again."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from adapters.local import vectors as module
from adapters.local.segments import Ints, Matrix, Segment
from adapters.local.vectors import ERROR, Passing, Remembered, Vectors
from rag_core.errors import Unavailable
from rag_core.retrieval.facets import Clauses

EMPTY = np.zeros(0, dtype=np.int64)


def segment(vectors: Matrix | None, rows: int) -> Segment:
    nothing: list[str] = [""] * rows
    return Segment("a", EMPTY, nothing, nothing, [0] * rows, EMPTY, EMPTY, {}, nothing, vectors, (0, 0, 0))


def unit_rows(count: int, dimensions: int = 384, seed: int = 1) -> Matrix:
    made = np.random.default_rng(seed).standard_normal((count, dimensions))
    unit: Matrix = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return unit


def rows_of(*rows: int) -> Ints:
    return np.asarray(rows, dtype=np.int64)


def clauses(name: str) -> Clauses:
    return Clauses((frozenset({name}),), frozenset(), None)


def in_segments(matrix: Matrix, *cuts: int) -> Vectors:
    return Vectors([segment(part, len(part)) for part in np.split(matrix, cuts)])


@pytest.mark.parametrize("share", [0.01, 0.3, 1.0])
def test_quick_products_are_near_the_exact_ones(share: float) -> None:
    matrix = unit_rows(2_000)
    vectors, question = in_segments(matrix, 7, 1_500), matrix[3]
    rows = np.flatnonzero(np.random.default_rng(2).random(2_000) < share)
    exact = vectors.exact(rows, question)
    assert np.abs(vectors.quick(rows, question) - exact).max() < ERROR
    assert exact == pytest.approx(matrix[rows].astype(np.float64) @ question.astype(np.float64), abs=1e-12)


def test_the_same_vector_counts_the_same_in_every_row_and_company() -> None:
    same = np.repeat(unit_rows(1, seed=5), 3_000, axis=0)
    vectors, question = in_segments(same, 1_001), unit_rows(1, seed=6)[0]
    sizes = (1, 2, 3, 7, 130, 3_000)
    values = {round(value, 6) for size in sizes for value in vectors.exact(np.arange(size), question).tolist()}
    assert len(values) == 1


def test_rows_are_gathered_across_segments() -> None:
    matrix = unit_rows(10, 4)
    vectors = in_segments(matrix, 3, 3, 8)
    wanted = rows_of(0, 2, 3, 7, 9)
    assert np.array_equal(vectors.gather(wanted), matrix[wanted])
    assert vectors.count == 10


def test_an_unreadable_segment_is_said_whichever_rows_are_asked() -> None:
    vectors = Vectors([segment(unit_rows(5), 5), segment(None, 5)])
    for products in (vectors.exact, vectors.quick):
        with pytest.raises(Unavailable, match="vector_leg_failed"):
            products(np.arange(5), unit_rows(1)[0])


def ask(remembered: Remembered, name: str, rows: Ints) -> Passing:
    return remembered.passing(clauses(name), lambda: rows)


def test_a_filter_asked_again_has_its_vectors_side_by_side() -> None:
    matrix = unit_rows(100, 8)
    remembered, rows = Remembered(in_segments(matrix, 60)), rows_of(5, 59, 60, 99)
    assert ask(remembered, "uk", rows).copied is None
    again = remembered.passing(clauses("uk"), lambda: pytest.fail("it is known"))
    assert again.copied is not None
    assert np.array_equal(again.copied, matrix[rows])
    assert ask(remembered, "uk", EMPTY) is again


def test_what_keeps_most_rows_is_not_copied() -> None:
    remembered = Remembered(in_segments(unit_rows(100, 8)))
    assert [ask(remembered, "all", np.arange(50)).copied for _ in range(3)] == [None, None, None]


def test_copies_are_never_more_than_the_vectors_and_do_not_take_turns() -> None:
    remembered = Remembered(in_segments(unit_rows(100, 8)))
    names = ["a", "b", "c", "d"]
    for _ in range(10):
        held = {name: ask(remembered, name, np.arange(40)).copied is not None for name in names}
    assert held == {"a": True, "b": True, "c": False, "d": False}


def test_a_copy_nobody_asks_for_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_A_WHILE", 10)
    remembered = Remembered(in_segments(unit_rows(100, 8)))
    for name in ("a", "b"):
        for _ in range(2):
            ask(remembered, name, np.arange(45))
    copied = [ask(remembered, "c", np.arange(45)).copied is not None for _ in range(20)]
    assert copied[:8] == [False] * 8
    assert copied[-1]


def test_filters_are_forgotten_before_they_are_many() -> None:
    remembered = Remembered(in_segments(unit_rows(10, 8)))
    for number in range(65):
        ask(remembered, str(number), rows_of(1))
    assert ask(remembered, "0", rows_of(2)).rows.tolist() == [2]
    assert ask(remembered, "64", rows_of(2)).rows.tolist() == [1]


def test_threads_may_ask_at_once() -> None:
    matrix = unit_rows(200, 8)
    remembered = Remembered(in_segments(matrix, 90))

    def once(number: int) -> bool:
        rows = np.arange(number % 7, 90)
        found = ask(remembered, str(number % 7), rows)
        return np.array_equal(found.rows, rows) and (found.copied is None or np.array_equal(found.copied, matrix[rows]))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(once, range(2_000)))
