"""The publishers that a question names."""

import pytest

from rag_core.documents import PolicySource
from rag_core.questions import NoteKind, ScopeNote
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


NAMES = (PolicySource("pinboard", "Pinboard"), PolicySource("goggly", "Goggly"), PolicySource("x", "X", ("Twitter",)))


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("kites on Pinbord", ["pinboard"]),
        ("kites on pinbaord?", ["pinboard"]),
        ("kites on Pinbeard", ["pinboard"]),  # a long name: one letter for another
        ("kites on Goglgy", ["goggly"]),
        ("kites on twiter", ["x"]),
        ("googly eyes", []),  # one letter for another in a short name is another word
        ("pinboards for sale", []),
        ("inboard motors", []),
    ],
)
def test_a_slip_in_a_name_is_forgiven_where_it_makes_no_other_word(text: str, slugs: list[str]) -> None:
    assert [mention.slug for mention in find_sources(text, NAMES)] == slugs


def test_a_word_that_may_be_two_platforms_is_none() -> None:
    alike = (PolicySource("brimstone", "Brimstone"), PolicySource("brimstine", "Brimstine"))
    assert find_sources("kites on brimstne", alike) == []


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("on Twitter", ScopeNote(NoteKind.OTHER_NAME, "Twitter", ("x",))),
        ("on twiter", ScopeNote(NoteKind.MISSPELT_PLATFORM, "twiter", ("x",))),
        ("on X", None),
        ("on pinboard", None),
    ],
)
def test_another_name_is_noted(text: str, note: ScopeNote | None) -> None:
    (mention,) = find_sources(text, NAMES)
    assert mention.note(text) == note
