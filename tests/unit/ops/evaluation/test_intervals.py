"""Figures and the intervals in which they lie."""

import pytest

from ops.evaluation.measures import Share
from ops.evaluation.results import figure


def test_a_figure_is_the_sum_of_what_is_right_over_the_sum_of_what_is_counted() -> None:
    found = figure([("a", Share(1, 4)), ("b", Share(2, 2))])
    assert found is not None
    assert (found.value, found.right, found.counted, found.questions) == (0.5, 3, 6, 2)
    assert figure([]) is None


def test_the_interval_is_that_of_a_share() -> None:
    """50 of 100: the normal approximation gives .40 to .60."""
    found = figure([(str(number), Share(float(number % 2))) for number in range(100)])
    assert found is not None
    assert found.low == pytest.approx(0.40, abs=0.02)
    assert found.high == pytest.approx(0.60, abs=0.02)


def test_the_same_questions_give_the_same_interval() -> None:
    observed = [(str(number), Share(float(number % 3 == 0))) for number in range(30)]
    assert figure(observed) == figure(observed)
    assert figure(observed, seed=1) != figure(observed)


def test_chains_are_drawn_whole() -> None:
    """Ten chains of ten alike are ten pieces of evidence, not a hundred."""
    alone = figure([(f"{number}", Share(float(number % 2))) for number in range(100)])
    chained = figure([(f"{number % 10}", Share(float(number % 2))) for number in range(100)])
    assert alone is not None
    assert chained is not None
    assert chained.high - chained.low > 2 * (alone.high - alone.low)
