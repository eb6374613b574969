"""Follow-ups are completed from the question before them."""

from datetime import date
from typing import Any

import pytest

from rag_core.documents import PolicySource
from rag_core.questions import (
    AskRequest,
    Background,
    DeclaredLabel,
    Filters,
    Intent,
    NoteKind,
    Question,
    ScopeNote,
    Turn,
)
from rag_core.understanding import understand as understanding
from rag_core.understanding.reading import Reading, read
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


ALCOHOL = "can I advertise alcohol in the UK"


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("and in France?", "Can I advertise alcohol in France?"),
        ("what about Germany and Austria?", "Can I advertise alcohol in Germany and Austria?"),
        ("and in Munich?", "Can I advertise alcohol in Munich?"),
        ("and for German users?", "Can I advertise alcohol in Germany?"),
        ("the nordics?", "Can I advertise alcohol in the nordics?"),
        ("and on Brim?", "Can I advertise alcohol in the UK on Brim?"),
        ("what about video?", "Can I advertise alcohol in the UK in a video?"),
        ("what about landing pages", "Can I advertise alcohol in the UK on landing pages?"),
        ("same for wine", "Can I advertise wine in the UK?"),
        ("what about crypto in Spain?", "Can I advertise crypto in Spain?"),
        ("does that apply to beer as well?", "Can I advertise beer in the UK?"),
        ("what about as of March", "Can I advertise alcohol in the UK as of 2026-03-31?"),
        ("and as of May 2025?", "Can I advertise alcohol in the UK as of May 2025?"),
        ("yesterday?", "Can I advertise alcohol in the UK as of 2026-05-31?"),
        ("why?", "Can I advertise alcohol in the UK, and why?"),
        ("and the age limit there", "What is the age limit for alcohol in the UK?"),
        ("min age?", "What is the min age for alcohol in the UK?"),
        ("do I need a licence?", "Do I need a licence for alcohol in the UK?"),
        ("does it need a licence?", "Does alcohol need a licence in the UK?"),
        ("is that allowed on Brim?", "Is alcohol allowed on Brim in the UK?"),
        ("are these ads ok in Spain", "Are alcohol ads ok in Spain?"),
        ("with a disclaimer?", "Can I advertise alcohol in the UK with a disclaimer?"),
        ("gambling there?", "gambling in the UK?"),
        ("and can I advertise lotteries?", "Can I advertise lotteries in the UK?"),
    ],
)
def test_a_follow_up_is_the_sentence_that_it_stands_for(text: str, rewritten: str) -> None:
    found = follow(text, ALCOHOL)
    assert found.rewritten == rewritten
    assert found.text == text


@pytest.mark.parametrize(
    ("text", "earlier", "rewritten"),
    [
        ("and in france?", "booze ads for german users on Brim?", "booze ads for users on Brim in France?"),
        ("and in france?", "uk lottery ads?", "lottery ads in France?"),
        (
            "and Germany?",
            "compare beer rules in the UK and France",
            "Compare beer rules in the UK and France and Germany",
        ),
        ("and gambling?", "what is the age limit for alcohol on Acme?", "What is the age limit for gambling on Acme?"),
        ("what about images?", "how long can a video be", "How long can images be?"),
        ("on Brim?", "Acme's rules for kites?", "rules for kites on Brim?"),
        ("and in France?", "beer as of yesterday in Spain", "beer as of yesterday in France?"),
        (
            "and what about steroids",
            "supplement ads ok with before and after pics?",
            "steroids ads ok with before and after pics?",
        ),
        ("what about a token sale", "crypto exchange ads on Brim?", "token sale ads on Brim?"),
        (
            "and how long does checking a licence take?",
            "gambling ads?",
            "How long does checking a licence take for gambling?",
        ),
        (
            "what about a beer brand sponsoring a concert?",
            "can a cigarette brand advertise on Acme?",
            "a beer brand sponsoring a concert on Acme?",
        ),
        ("and Spain?", "beer in the UK and France", "beer in Spain?"),
        ("and on Acme?", "beer on Acme and Brim in Spain", "beer in Spain on Acme?"),
        ("and Italy?", "beer on Acme, and Brim in the UK, France and Peru", "beer on Acme, and Brim in Italy?"),
        ("images?", "can I advertise alcohol in Spain", "Can I advertise alcohol in Spain in images?"),
        ("what about an image?", "is a video of beer ok", "Is an image of beer ok?"),
        ("and in munich?", "beer in Spain on Brm", "beer in Munich on Brm?"),
        ("and that rule in Spain?", "beer on Brim", "beer rule in Spain on Brim?"),
        ("is it ok there now?", "beer in Spain on Brim", "Is beer ok in Spain now on Brim?"),
        ("and since May?", "what changed for kites since March", "What changed for kites since 2026-05-01?"),
    ],
)
def test_the_slot_that_changed_is_replaced(text: str, earlier: str, rewritten: str) -> None:
    assert follow(text, earlier).rewritten == rewritten


@pytest.mark.parametrize(
    "text",
    [
        "can I advertise darts?",
        "weed in canada?",
        "is it ok to run wine ads?",
        "are there any rules for darts",
        "how long can a video be?",
        "thanks a lot!",
        "help",
        "which policies do you have?",
        "rule 4.2",
        "did the lottery change before it was sold",
    ],
)
def test_what_stands_alone_inherits_nothing(text: str) -> None:
    found = follow(text, "can I advertise alcohol on Acme in the UK as of March 2025")
    assert (found.rewritten, found.scope.policy_sources) == (None, ())
    assert "uk" not in found.scope.regions
    assert found.scope.as_of == TODAY


def test_what_was_carried_over_is_noted() -> None:
    notes = follow("and in France?", "kites on Acme as of March 2025").scope.notes
    assert notes == (ScopeNote(NoteKind.CARRIED, "", ("policy_sources", "as_of")),)


def test_why_is_asked_once_and_forgotten() -> None:
    why = str(follow("why?", ALCOHOL).rewritten)
    assert follow("why?", why).rewritten == why
    assert follow("and in France?", why).rewritten == "Can I advertise alcohol in France?"


def test_a_chain_of_raw_follow_ups_is_completed_from_its_beginning() -> None:
    found = follow("and the age limit there?", "otc meds on Acme in Spain", "and in France?", "what about Brim?")
    assert found.rewritten == "What is the age limit for otc meds in France on Brim?"


@pytest.mark.parametrize(
    ("stored", "rewritten"),
    [
        ("alcohol ads in Spain (and in France?)", "alcohol ads in France on Brim?"),
        ("alcohol ads in Spain (and in France?) (and Italy?)", "alcohol ads in Italy on Brim?"),
    ],
)
def test_follow_ups_as_they_were_stored_before_are_understood(stored: str, rewritten: str) -> None:
    assert follow("on Brim?", stored).rewritten == rewritten


def test_history_never_keeps_anybody_from_asking() -> None:
    for bad in ("beer as of whenever", "?!", "\u202e"):
        assert follow("and in France?", ALCOHOL, bad).rewritten == "Can I advertise alcohol in France?"
    assert follow("and in France?", ALCOHOL, "x" * 9_000).rewritten is None


def test_a_long_thread_is_read_no_further_than_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def reads(turns: int) -> int:
        count = 0

        def counted(*args: Any) -> Reading:
            nonlocal count
            count += 1
            return read(*args)

        monkeypatch.setattr(understanding, "read", counted)
        follow("and in France?", *(["and in Spain?"] * turns))
        return count

    assert reads(200) == reads(10) <= 2 * understanding.MOST_LOOKED_BACK


def test_what_is_too_long_ago_is_known_condensed() -> None:
    background = Background(topics=("alcohol", "kites"), regions=("uk",), policy_sources=("acme",))
    request = AskRequest("and in France?", TODAY, history=(Turn("user", "and there?"),), background=background)
    found = understand(request, SOURCES)
    assert found.rewritten == "alcohol in France on acme?"
    assert (found.scope.regions, found.scope.policy_sources) == (("fr",), ("acme",))
    alone = understand(AskRequest("darts?", TODAY, background=background), SOURCES)
    assert alone.rewritten is None


VARIANT = DeclaredLabel("variant", {"indoor": ("indoor",), "outdoor": ("outdoor",)})


@pytest.mark.parametrize(
    ("text", "earlier", "value"),
    [
        ("and in France?", "beer indoor in Spain", "indoor"),
        ("and outdoor?", "beer indoor in Spain", "outdoor"),
        ("and outdoor?", "beer in Spain", "outdoor"),
        ("is a licence needed for that?", "beer indoor in Spain", "indoor"),
    ],
)
def test_a_declared_label_is_carried_on_until_another_value_is_named(text: str, earlier: str, value: str) -> None:
    request = AskRequest(text, TODAY, history=(Turn("user", earlier),))
    scope = understand(request, SOURCES, (VARIANT,)).scope
    assert scope.labels == {"variant": (value,)}
    assert len(scope.regions) == 1


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("and teens?", "Can I advertise kites on Acme for teens?"),
        ("same for minors?", "Can I advertise kites on Acme for minors?"),
        ("what about children in France?", "Can I advertise kites on Acme in France for children?"),
    ],
)
def test_people_are_asked_about_beside_the_topic(text: str, rewritten: str) -> None:
    assert follow(text, "can I advertise kites on Acme").rewritten == rewritten


def test_a_condition_is_added() -> None:
    found = follow("what if it's free to play", "can I advertise kites on Acme")
    assert topic(found)[0] == "kites"
    assert "free" in topic(found)


@pytest.mark.parametrize("between", ["thanks!", "help"])
def test_nothing_is_completed_from_what_asks_no_rule(between: str) -> None:
    found = follow("and in France?", "can I advertise kites in Spain", between)
    assert found.rewritten == "Can I advertise kites in France?"
    assert found.scope.regions == ("fr",)
