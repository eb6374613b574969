"""What can go wrong, named by what to do next."""

import pytest

from rag_core.errors import Misconfigured, PolicyBotError, Rejected, Unavailable


@pytest.mark.parametrize("kind", [Unavailable, Rejected, Misconfigured])
def test_an_error_carries_a_code_and_facts_and_prints_both(kind: type[PolicyBotError]) -> None:
    error = kind("kite_torn", colour="red", metres=3)
    assert (error.code, error.details) == ("kite_torn", {"colour": "red", "metres": 3})
    assert str(error) == "kite_torn (colour='red', metres=3)"
    assert isinstance(error, PolicyBotError)


def test_without_facts_it_is_just_the_code() -> None:
    assert str(Rejected("kite_torn")) == "kite_torn"
