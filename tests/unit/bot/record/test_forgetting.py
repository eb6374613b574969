"""What an act says of what was forgotten, and what does not agree with it."""

import pytest

from bot.audit.verification import (
    NOTHING,
    Finding,
    Forgotten,
    Problem,
    forgotten,
    forgotten_facts,
    forgotten_findings,
    told_forgotten,
)


def act(**chains: Forgotten) -> dict[str, object]:
    return {"facts": {"act": "forget", **forgotten_facts(chains)}}


def problems(empty: list[int], told: Forgotten = NOTHING) -> list[tuple[int, int, Problem]]:
    return [(each.first, each.last, each.problem) for each in forgotten_findings("T1", empty, told)]


def test_the_same_records_are_the_same_statement_in_whatever_order() -> None:
    assert forgotten([3, 1, 2], 9) == forgotten((1, 2, 3), 9)
    assert forgotten([1, 23], 99) != forgotten([12, 3], 99)
    assert forgotten([], 0) == NOTHING


def test_what_was_forgotten_and_nothing_else_is_no_finding() -> None:
    assert problems([2, 5], forgotten([2, 5], 7)) == []
    assert problems([]) == []


@pytest.mark.parametrize(
    ("empty", "expected"),
    [
        ([2, 4, 5], [(2, 5, Problem.FORGOTTEN)]),
        ([2, 4], [(2, 4, Problem.FORGOTTEN)]),
        ([2], [(2, 2, Problem.FORGOTTEN)]),
        ([], [(1, 7, Problem.FORGOTTEN)]),
        ([2, 5, 8, 9], [(8, 8, Problem.EMPTIED), (9, 9, Problem.EMPTIED)]),
    ],
    ids=["one too many", "another one", "one less", "none", "later ones"],
)
def test_what_is_empty_otherwise_is_a_finding(empty: list[int], expected: list[tuple[int, int, Problem]]) -> None:
    assert problems(empty, forgotten([2, 5], 7)) == expected


def test_without_any_act_each_is_named() -> None:
    assert list(forgotten_findings("T1", [3])) == [Finding("T1", 3, 3, Problem.EMPTIED)]


def test_the_last_act_of_each_chain_counts_in_whatever_order_they_come() -> None:
    first, second = act(T1=forgotten([2], 4)), act(T1=forgotten([2, 5], 7), T2=forgotten([1], 1))
    for acts in ([first, second], [second, first]):
        assert told_forgotten(acts) == {"T1": forgotten([2, 5], 7), "T2": forgotten([1], 1)}


def test_an_act_that_forgot_nothing_says_nothing() -> None:
    assert forgotten_facts({}) == {}
    assert told_forgotten([act(), {"facts": {"act": "remove"}}, {}]) == {}


@pytest.mark.parametrize("told", [None, [], "x", {"T1": None}, {"T1": {"count": "many"}}, {"T1": {"count": 3}}])
def test_what_is_no_statement_says_nothing(told: object) -> None:
    assert told_forgotten([{"facts": {"forgotten": told}}]) == {}


def test_an_act_does_not_tell_which_records_it_emptied_itself() -> None:
    """Else it would go on telling that they are all of one person."""
    assert set(forgotten_facts({"T1": forgotten([2, 5], 7)})["forgotten"]["T1"]) == {"count", "hash", "length"}
