"""A rule that is asked for by its number."""

from dataclasses import replace

import pytest

from rag_core.documents import Passage
from rag_core.retrieval.found import Found, of_rule
from tests.fakes.rules import passage


def numbered(*numbers: str | None) -> list[Found]:
    one = passage("Kites fly.")
    return [Found(Passage(replace(one.chunk, rule_number=number), one.version), 0.5, None) for number in numbers]


@pytest.mark.parametrize(
    ("asked", "numbers", "kept"),
    [
        ("4.2", ("4.2", "4.20", "14.2", None), ["4.2"]),
        ("4.2", ("4.2.1", "4.2 .", "4.2(a)"), ["4.2.1", "4.2 .", "4.2(a)"]),
        ("9", ("4.2", None), ["4.2", None]),
        (None, ("4.2", None), ["4.2", None]),
    ],
)
def test_it_alone_where_it_was_found(
    asked: str | None, numbers: tuple[str | None, ...], kept: list[str | None]
) -> None:
    assert [each.passage.chunk.rule_number for each in of_rule(numbered(*numbers), asked)] == kept
