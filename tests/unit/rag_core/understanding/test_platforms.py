"""The publishers that a question names."""

import pytest

from rag_core.documents import PolicySource
from rag_core.understanding.platforms import find_sources

SOURCES = (
    PolicySource("acme", "Acme Ads", ("Acme Social", "Plume")),
    PolicySource("brim-street", "Brimstreet", (" ",)),
    PolicySource("x", "X", ("Twitter",)),
)


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("kites on Acme Ads?", ["acme"]),
        ("kites on ACME", ["acme"]),
        ("plume's rules for kites", ["acme"]),
        ("kites on brim street", ["brim-street"]),
        ("kites on brim-street", ["brim-street"]),
        ("Twitter, then acme", ["x", "acme"]),
        ("kites on X", ["x"]),
        ("X’s rules", ["x"]),
        ("solve for x", []),
        ("acmetric kites", []),
        ("pre-acme kites", []),
        ("X-ray kites", []),
        ("kites", []),
    ],
)
def test_names_that_stand_alone_are_found_in_order(text: str, slugs: list[str]) -> None:
    assert [mention.slug for mention in find_sources(text, SOURCES)] == slugs


@pytest.mark.parametrize(("text", "words"), [("on Acme Social now", "Acme Social"), ("Plume's rules", "Plume's")])
def test_the_longest_name_wins_and_offsets_cover_it(text: str, words: str) -> None:
    (mention,) = find_sources(text, SOURCES)
    assert text[mention.start : mention.end] == words


def test_a_name_is_no_pattern() -> None:
    assert find_sources("axb", [PolicySource("a.b", "A.b", ("a.b",))]) == []
