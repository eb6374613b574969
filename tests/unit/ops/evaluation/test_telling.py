"""Figures of thresholds, by examples whose answer is known."""

import numpy as np
import pytest

from ops.evaluation.telling import Logistic, auc, found_at, held_out

GOOD = np.array([True, True, True, True, False, False, False, False])


def numbers(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array(values, dtype=np.float64)


def test_the_area_is_the_share_of_pairs_in_the_right_order_and_ties_count_half() -> None:
    assert auc(numbers(5, 6, 7, 8, 1, 2, 3, 4), GOOD) == 1.0
    assert auc(numbers(1, 2, 3, 4, 5, 6, 7, 8), GOOD) == 0.0
    assert auc(numbers(1, 1, 1, 1, 1, 1, 1, 1), GOOD) == 0.5
    assert auc(numbers(2, 1), np.array([True, True])) == 0.5
    assert auc(numbers(1, 3, 2), np.array([True, True, False])) == 0.5


def test_recall_is_counted_below_the_threshold_that_costs_no_more_than_allowed() -> None:
    values = numbers(4, 5, 6, 7, 1, 2, 3, 9)
    assert found_at(values, GOOD, 0.0) == 0.75
    assert found_at(values, GOOD, 0.25) == 0.75
    assert found_at(numbers(1, 8, 8, 8, 5, 5, 5, 9), GOOD, 0.25) == 0.75
    assert found_at(numbers(1, 8, 8, 8, 5, 5, 5, 9), GOOD, 0.24) == 0.0
    assert found_at(numbers(3, 3, 3, 3, 3, 3, 3, 3), GOOD, 0.05) == 0.0


def test_a_regression_finds_the_column_that_tells() -> None:
    random = np.random.default_rng(3)
    good = random.random(400) < 0.5
    columns = np.column_stack([good + random.normal(0, 0.8, 400), random.normal(0, 1, 400), np.ones(400)])
    model = Logistic(columns, good)
    assert model.weights[1] > 1.0 > abs(model.weights[2])
    assert auc(model.values(columns), good) == pytest.approx(auc(columns[:, 0], good), abs=0.02)


def test_held_out_values_come_from_other_folds() -> None:
    random = np.random.default_rng(4)
    good = random.random(200) < 0.5
    noise = random.normal(0, 1, (200, 30))
    assert auc(Logistic(noise, good).values(noise), good) > 0.65
    assert 0.35 < auc(held_out(noise, good, [number % 5 for number in range(200)]), good) < 0.62
