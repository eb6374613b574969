"""What `python -m ops bench ask` makes of the times of an answer."""

from ops.bench.ask import Timed


def test_the_embedding_is_taken_off() -> None:
    timed = Timed(12.0, 30.0, {"understand": 1.0, "embed": 4.0, "retrieve": 2.0, "total": 10.0})
    assert (timed.alone, timed.embedding) == (6.0, 4.0)


def test_a_question_that_is_refused_at_once_has_none() -> None:
    timed = Timed(3.0, 3.0, {"topic": 1.5, "understand": 2.0, "total": 2.0})
    assert (timed.alone, timed.embedding) == (2.0, 0.0)
