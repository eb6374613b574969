"""What speaks for a passage, one signal at a time."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from rag_core.questions import Intent
from rag_core.retrieval import ranking as signals
from rag_core.retrieval.found import Found
from rag_core.retrieval.ranking import Asked, own_rules
from rag_core.understanding.terms import terms_of
from tests.fakes.rules import passage


def asked(text: str = "kites", place: str | None = None, intent: Intent = Intent.PERMISSION) -> Asked:
    return Asked(text, terms_of(text), intent, place)


def found(body: str, score: float = 0.5, *regions: str, cosine: float | None = None, **changes: Any) -> Found:
    return Found(passage(body, changes.pop("heading", "Rules"), regions or ("global",), **changes), score, cosine)


def test_the_fused_score_and_the_cosine_count_as_they_are() -> None:
    results = [found("Kites.", 0.9, cosine=0.4), found("Darts.", 0.2, cosine=-0.1), found("Hats.", 0.1)]
    assert signals.relevance(results, asked()) == [0.9, 0.2, 0.1]
    assert signals.likeness(results, asked()) == [0.4, 0.0, 0.0]


def test_words_count_where_the_text_says_them_not_its_headings() -> None:
    results = [found("Kites and darts."), found("Kites.", heading="Darts"), found("They may run.", heading="Kites")]
    assert signals.wording(results, asked("kites darts")) == [1.0, 0.5, 0.0]
    assert signals.wording(results, Asked("?", (), Intent.PERMISSION, None)) == [0.0, 0.0, 0.0]


def test_the_place_asked_goes_before_everywhere_before_elsewhere_as_far_as_it_is_relevant() -> None:
    results = [found("Kites.", 0.8, place) for place in ("uk", "global", "be")]
    assert signals.place(results, asked(place="uk")) == [0.8, 0.4, 0.0]
    assert signals.place([found("Darts.", 0.1, "uk")], asked(place="uk")) == [0.1]


def test_a_general_rule_that_names_the_place_is_the_places() -> None:
    row = found("Germany | No", 0.8)
    chunk = replace(row.passage.chunk, regions_mentioned=("de",))
    named = Found(replace(row.passage, chunk=chunk), 0.8)
    assert signals.place([named], asked(place="de")) == [0.8]
    assert signals.place([named], asked(place="fr")) == [0.4]


def test_a_rule_of_the_union_is_one_of_its_members() -> None:
    assert signals.place([found("Kites.", 1.0, "eu")], asked(place="fr")) == [1.0]
    assert signals.place([found("Kites.", 1.0, "eu")], asked(place="uk")) == [0.0]


@pytest.mark.parametrize(
    ("body", "states"),
    [("Kites must not be shown.", 1.0), ("Kites are allowed.", 1.0), ("Kites are light toys.", 0.0)],
)
def test_a_rule_answers_what_is_allowed(body: str, states: float) -> None:
    assert signals.hierarchy([found(body)], asked()) == [states]


def test_what_explains_answers_what_something_is() -> None:
    results = [
        found("A toy that flies.", heading="Definitions"),
        found("Kite means a toy that flies.", heading="Toys"),
        found("Kites may run.", heading="Toys"),
    ]
    assert signals.hierarchy(results, asked(intent=Intent.DEFINITION)) == [1.0, 0.5, 0.0]


def test_a_neighbour_that_was_found_speaks_for_a_passage() -> None:
    first, second = found("Kites.", 0.2), found("Darts.", 0.9)
    beside = Found(replace(second.passage, chunk=replace(second.passage.chunk, chunk_index=1)), 0.9)
    far = Found(replace(second.passage, chunk=replace(second.passage.chunk, chunk_index=7)), 0.9)
    other = found("Darts.", 0.9, document_id="acme_other")
    assert signals.adjacency([first, beside, far], asked()) == [0.9, 0.2, 0.0]
    assert signals.adjacency([first, other], asked()) == [0.0, 0.0]


def test_age_counts_only_where_a_newer_version_says_nearly_the_same() -> None:
    body = "Ads for kites must show the age limit of eighteen years in every single picture"
    old = found(f"{body} shown.", effective_from=date(2019, 1, 1), document_id="acme_old")
    new = found(f"{body}.", effective_from=date(2026, 1, 1), document_id="acme_new")
    other = found("Darts may not be shown.", effective_from=date(2015, 1, 1), document_id="acme_darts")
    assert signals.recency([old, new, other], asked()) == [0.0, 1.0, 1.0]


def test_own_rules_are_those_that_do_not_hold_everywhere() -> None:
    general, british, european = found("a"), found("b", 0.5, "uk"), found("c", 0.5, "eu")
    assert own_rules([general, british, european], "uk") == [british]
    assert own_rules([general, british, european], None) == []
