"""Follow-ups are completed from the question before them."""

from datetime import date

import pytest

from rag_core.documents import PolicySource
from rag_core.questions import AskRequest, Filters, Intent, Question, Turn
from rag_core.understanding.understand import understand

TODAY = date(2026, 6, 1)
SOURCES = (PolicySource("acme", "Acme"), PolicySource("brim", "Brim"))


def follow(text: str, *earlier: str, **changes: object) -> Question:
    turns: list[Turn] = []
    for each in earlier:
        turns += [Turn("user", each), Turn("assistant", "Ads for drones are banned in Peru.")]
    return understand(AskRequest(text, TODAY, history=tuple(turns), **changes), SOURCES)  # type: ignore[arg-type]


def topic(question: Question) -> list[str]:
    return [term.text for term in question.terms]


def test_the_topic_and_what_else_is_left_open_come_from_the_question_before() -> None:
    found = follow("and in France?", "what are the rules for kites on Acme in the UK")
    assert topic(found) == ["kites"]
    assert (found.scope.regions, found.scope.policy_sources) == (("fr",), ("acme",))
    assert found.intent is Intent.REQUIREMENT
    assert found.about_advertising
    assert found.rewritten == "What are the rules for kites on Acme in France?"
    assert found.search_text == found.rewritten
    assert {"regions", "policy_sources"} <= set(found.scope.inferred)


@pytest.mark.parametrize(("text", "regions"), [("and on Brim?", ("uk",)), ("what about Germany?", ("de",))])
def test_what_it_says_itself_stands(text: str, regions: tuple[str, ...]) -> None:
    assert follow(text, "kites in the UK").scope.regions == regions


def test_the_day_is_carried_on_until_another_one_is_named() -> None:
    assert follow("and in France?", "kites in the UK as of March 2025").scope.as_of == date(2025, 3, 31)
    assert follow("and as of 2026-02-01?", "kites in the UK as of March 2025").scope.as_of == date(2026, 2, 1)


def test_the_latest_question_counts_and_never_an_answer() -> None:
    assert topic(follow("and in France?", "darts in Spain", "kites in the UK")) == ["kites"]


@pytest.mark.parametrize("text", ["darts in France", "can I advertise darts?"])
def test_a_question_with_a_topic_stands_alone(text: str) -> None:
    found = follow(text, "kites on Acme in the UK")
    assert topic(found) == ["darts"]
    assert found.rewritten is None
    assert found.scope.policy_sources == ()


def test_without_a_question_before_it_stays_as_it_is() -> None:
    found = understand(AskRequest("and in France?", TODAY, history=(Turn("assistant", "Kites fly."),)), SOURCES)
    assert (topic(found), found.rewritten, found.search_text) == ([], None, "and in France?")


def test_explicit_filters_hold_for_both() -> None:
    found = follow("and now?", "kites in the UK", filters=Filters(regions=("de",)))
    assert found.scope.regions == ("de",)
    assert "regions" not in found.scope.inferred


def test_a_follow_up_of_a_follow_up_is_about_the_last_place() -> None:
    second = follow("and in France?", "kites on Acme in the UK").rewritten
    assert second is not None
    third = follow("and on Brim?", second)
    assert (third.scope.regions, third.scope.policy_sources) == (("fr",), ("brim",))
    assert topic(third) == ["kites"]
    assert third.rewritten == "kites on Brim in France?"
    fourth = follow("and in Spain?", str(third.rewritten))
    assert (fourth.scope.regions, fourth.scope.policy_sources) == (("es",), ("brim",))


def test_somebodys_own_parentheses_are_no_follow_up() -> None:
    found = follow("and in France?", "kites in the UK (stunt kites)")
    assert topic(found) == topic(follow("kites in the UK (stunt kites)"))
