"""A question's words and explicit filters -> scope, intent and content words."""

from datetime import date

import pytest

from rag_core.documents import ContentType, PolicySource
from rag_core.errors import Rejected
from rag_core.questions import AskRequest, Filters, Intent, Question
from rag_core.understanding.cleaning import MAX_QUESTION
from rag_core.understanding.understand import understand

TODAY = date(2026, 11, 22)
SOURCES = (
    PolicySource("quillmoor", "Quillmoor Ads", ("Quillmoor", "Plumegate"), 20),
    PolicySource("x", "X", ("Twitter",), 3),
)


def read(text: str, filters: Filters | None = None, as_of: date | None = None) -> Question:
    return understand(AskRequest(text, TODAY, filters=filters or Filters(), as_of=as_of), SOURCES)


def test_place_day_platform_and_topic_are_told_apart() -> None:
    question = read("can I advertise booze on Twitter in the UK as of March 2026?")
    assert question.scope.regions == ("uk",)
    assert question.scope.policy_sources == ("x",)
    assert question.scope.as_of == date(2026, 3, 31)
    assert [term.text for term in question.terms] == ["booze"]
    assert "alcohol" in question.terms[0].synonyms
    assert question.scope.inferred == ("as_of", "regions", "policy_sources")


def test_a_short_alias_counts_only_as_written() -> None:
    assert read("ads on X").scope.policy_sources == ("x",)
    assert read("how to solve for x").scope.policy_sources == ()


def test_explicit_filters_win_over_the_words_and_are_not_inferred() -> None:
    filters = Filters(policy_sources=(" Plumegate ",), regions=("GB",), content_types=("Landing page",))
    question = read("alcohol in Germany on Twitter", filters, as_of=date(2025, 1, 2))
    assert question.scope.regions == ("uk",)
    assert question.scope.policy_sources == ("quillmoor",)
    assert question.scope.content_types == (ContentType.LANDING_PAGE,)
    assert question.scope.as_of == date(2025, 1, 2)
    assert question.scope.inferred == ()


@pytest.mark.parametrize(
    ("filters", "code"),
    [
        (Filters(regions=("narnia",)), "unknown_region"),
        (Filters(content_types=("smell",)), "unknown_content_type"),
        (Filters(policy_sources=("myspace",)), "unknown_policy_source"),
    ],
)
def test_an_unknown_filter_value_is_an_error_that_says_what_is_known(filters: Filters, code: str) -> None:
    with pytest.raises(Rejected, match=code) as caught:
        read("alcohol", filters)
    assert caught.value.details["known"]


@pytest.mark.parametrize("text", ["", "   ", "\u202e\u200b", "?!...", "\x00\x07"])
def test_nothing_to_answer_is_refused(text: str) -> None:
    with pytest.raises(Rejected, match="question_empty"):
        read(text)


@pytest.mark.parametrize("text", ["a" * 10_000, "word " * (MAX_QUESTION // 5 + 1)])
def test_an_over_long_question_is_refused_with_the_limit(text: str) -> None:
    with pytest.raises(Rejected, match="question_too_long") as caught:
        read(text)
    assert caught.value.details["limit"] == MAX_QUESTION


def test_control_and_bidirectional_characters_are_gone() -> None:
    assert read("alcohol\u202e in\x00 the\u2066 UK\n now").text == "alcohol in the UK now"


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("can I advertise alcohol in the UK", Intent.PERMISSION),
        ("alcohol UK?", Intent.PERMISSION),
        ("cbd gummies - doable?", Intent.PERMISSION),
        ("what are the rules for dating apps", Intent.REQUIREMENT),
        ("do I need a licence for casino ads", Intent.REQUIREMENT),
        ("what is the age limit for beer", Intent.REQUIREMENT),
        ("what does promoted content mean", Intent.DEFINITION),
        ("what counts as gambling", Intent.DEFINITION),
        ("who reviews appeals", Intent.INFORMATION),
    ],
)
def test_intents(text: str, intent: Intent) -> None:
    assert read(text).intent is intent


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("can we run booze ads", ["booze"]),
        ("alcohol-free beer ads", ["alcohol-free", "beer"]),
        ("e-cigarettes and vapes", ["e-cigarettes", "vapes"]),
        ("sportsbook client, allowed?", ["sportsbook"]),
        ("what is the age limit for wine", ["age limit", "wine"]),
        ("is before/after photos ok for weight loss", ["before/after", "photos", "weight loss"]),
        ("what's the policy?", []),
    ],
)
def test_content_words(text: str, words: list[str]) -> None:
    assert [term.text for term in read(text).terms] == words


def test_a_rule_on_the_wide_thing_covers_the_narrow_one_but_not_the_other_way_round() -> None:
    (beer,) = read("beer").terms
    (alcohol,) = read("alcohol").terms
    assert "alcohol" in beer.broader
    assert "beer" not in alcohol.wordings
    assert "wine" not in beer.wordings
