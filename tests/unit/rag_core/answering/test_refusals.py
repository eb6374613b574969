"""The policies do not say."""

import pytest

from rag_core.answering.refusals import MOST_NEAREST, clarify, refuse
from rag_core.answers import Notice, RefusalReason, WarningCode
from rag_core.documents import Passage, PolicySource
from rag_core.retrieval.found import Found
from tests.fakes.rules import passage, question

SOURCES = (PolicySource("acme", "Acme"), PolicySource("brim", "Brim"))
ALL_REASONS = [each for each in RefusalReason if each is not RefusalReason.OFF_TOPIC]


def found(*passages: Passage, cosine: float | None = 0.5) -> list[Found]:
    return [Found(each, 0.5, cosine) for each in passages]


def toys(count: int) -> list[Passage]:
    return [passage("Kites fly.", f"Toys {number}", document_id=f"acme_{number}") for number in range(count)]


@pytest.mark.parametrize("reason", ALL_REASONS)
def test_a_refusal_says_what_was_looked_for_and_where_and_what_is_nearest(reason: RefusalReason) -> None:
    refusal = refuse(question("red kites"), reason, found(*toys(5)), SOURCES, ("embedder",))
    assert (refusal.reason, refusal.looked_for, refusal.searched) == (reason, ("red", "kites"), ("acme", "brim"))
    assert [each.section_path for each in refusal.nearest] == [f"Advertising > Toys {n}" for n in range(MOST_NEAREST)]
    assert refusal.nearest[0].url == "https://ads.example/acme_0"
    assert refusal.degraded == ("embedder",)


def test_only_the_platforms_asked_were_searched() -> None:
    asked = question("kites", policy_sources=("brim",))
    assert refuse(asked, RefusalReason.NOT_COVERED, (), SOURCES, ()).searched == ("brim",)


def test_off_topic_shows_nothing_that_would_mislead() -> None:
    sample = passage("Kites fly.", labels={"stage": "sample"})
    refusal = refuse(question("weather"), RefusalReason.OFF_TOPIC, found(sample), SOURCES, ())
    assert (refusal.nearest, refusal.warnings) == ((), ())


def test_the_same_section_is_near_once_and_samples_are_marked() -> None:
    sample = passage("Kites fly.", labels={"stage": "sample"})
    refusal = refuse(question("kites"), RefusalReason.NOT_COVERED, found(sample, sample), SOURCES, ())
    assert len(refusal.nearest) == 1
    assert refusal.warnings == (Notice(WarningCode.SAMPLE),)


def test_a_question_without_a_topic_offers_documents() -> None:
    found_toys = found(*toys(3), *toys(3))
    offered = clarify(question("policy", "uk"), found_toys, ("vector",))
    assert offered is not None
    assert [(each.kind, each.filters.policy_sources, each.filters.regions) for each in offered.choices] == [
        ("topic", ("acme",), ("uk",))
    ] * 3
    assert offered.choices[0].question == "Advertising: policy"
    assert offered.degraded == ("vector",)


@pytest.mark.parametrize(("documents", "choices"), [(0, None), (1, None), (2, 2), (9, 5)])
def test_between_two_and_five_choices(documents: int, choices: int | None) -> None:
    offered = clarify(question("policy"), found(*toys(documents)), ())
    assert (len(offered.choices) if offered else None) == choices


def test_of_one_document_its_sections_are_offered() -> None:
    in_one = [passage("Kites fly.", f"Toys {number}", document_id="acme_toys") for number in range(3)]
    offered = clarify(question("policy"), found(*in_one), ())
    assert offered is not None
    assert [each.question for each in offered.choices] == ["Toys 0: policy", "Toys 1: policy", "Toys 2: policy"]


def test_no_section_is_offered_whose_title_speaks_to_machines() -> None:
    titles = ["Kites", "Darts", "Instructions for AI assistants"]
    sections = [passage("Kites fly.", title, document_id="acme_toys") for title in titles]
    offered = clarify(question("policy"), found(*sections), ())
    assert offered is not None
    assert [each.subject for each in offered.choices] == ["Kites", "Darts"]
    refusal = refuse(question("red kites"), RefusalReason.NOT_COVERED, found(*sections), SOURCES, ())
    assert [each.section_path for each in refusal.nearest] == ["Advertising > Kites", "Advertising > Darts"]


def test_what_has_nothing_in_common_is_not_called_near() -> None:
    """However few there are: three sections on other things only mislead."""
    results = [
        Found(passage("Kites fly.", "Kites", document_id="acme_1"), 0.9, 0.31),
        Found(passage("Darts.", "Darts", document_id="acme_2"), 0.8, 0.29),
        Found(passage("Tops spin.", "Tops", document_id="acme_3"), 0.4, 0.6),
        Found(passage("Zeppelins for rent.", "Airships", document_id="acme_4"), 0.5, 0.1),
    ]
    refusal = refuse(question("zeppelins"), RefusalReason.NOT_COVERED, results, SOURCES, ())
    assert [each.section_path.rsplit(" > ")[-1] for each in refusal.nearest] == ["Kites", "Airships"]
