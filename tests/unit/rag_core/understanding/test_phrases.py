"""What a question is about, what narrows it, and what is only circumstance."""

import pytest

from rag_core.understanding.phrases import Role, asks_for_a_detail, asks_for_a_number, country_named, roles_of
from rag_core.understanding.terms import terms_of

THING, MODIFIER, FORM, CIRCUMSTANCE = Role.THING, Role.MODIFIER, Role.FORM, Role.CIRCUMSTANCE


def roles(text: str) -> dict[str, Role]:
    return {term.text: role for term, role in roles_of(text, terms_of(text)).items()}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("wooden weapons ok?", {"wooden": MODIFIER, "weapons": THING}),
        ("wine glasses", {"wine": THING, "glasses": THING}),
        ("pet insurance for horses", {"pet": THING, "insurance": THING, "horses": THING}),
        ("boat insurance", {"boat": MODIFIER, "insurance": THING}),
        ("boat brand insurance", {"boat": MODIFIER, "insurance": THING}),
        ("boat, insurance", {"boat": THING, "insurance": THING}),
        ("boat with insurance", {"boat": THING, "insurance": THING}),
        ("small vodka shop", {"small": CIRCUMSTANCE, "vodka": THING, "shop": CIRCUMSTANCE}),
        ("vodka for Norwegians", {"vodka": THING, "Norwegians": CIRCUMSTANCE}),
        ("small shop", {"small": THING, "shop": THING}),
        ("red kites", {"red": THING, "kites": THING}),
        ("sugar-free vodka", {"sugar-free": THING, "vodka": THING}),
        ("toy guns", {"toy": THING, "guns": THING}),
        ("nonlethal weapons", {"nonlethal": THING, "weapons": THING}),
        ("vodka gummies", {"vodka": THING, "gummies": FORM}),
        ("fancy oil", {"fancy": THING, "oil": THING}),
        ("licensed casino", {"licensed": MODIFIER, "casino": THING}),
        ("casino licence", {"casino": THING, "licence": THING}),
        ("may a casino target Danes", {"casino": THING, "target": CIRCUMSTANCE, "Danes": THING}),
        ("whom may we target", {"target": THING}),
        ("unlicensed casino", {"unlicensed": THING, "casino": THING}),
    ],
)
def test_what_stands_before_a_word_of_the_trade_narrows_it(text: str, found: dict[str, Role]) -> None:
    assert roles(text) == found


def test_a_word_that_is_not_in_the_text_is_a_thing() -> None:
    terms = terms_of("kites")
    assert roles_of("something else", terms) == {terms[0]: THING}


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("how long does approval take", True),
        ("max fee for loans", True),
        ("which licence for a casino", True),
        ("what licence do we need", True),
        ("list of approved symbols", True),
        ("can we advertise a casino", False),
        ("what about a casino?", False),
        ("what are the rules for casinos", False),
        ("what policies apply", False),
        ("casino ok?", False),
    ],
)
def test_a_detail_is_told_from_a_yes_or_no(text: str, asks: bool) -> None:
    assert asks_for_a_detail(text) is asks


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("how many ads may run", "how many"),
        ("max length of a video", "max"),
        ("between what hours may it run", "between what hours"),
        ("minimum age for wine", None),
        ("how do I apply", None),
        ("casino ok?", None),
    ],
)
def test_what_asks_for_a_number(text: str, words: str | None) -> None:
    assert asks_for_a_number(text) == words


def test_people_are_of_their_country() -> None:
    assert (country_named("Norwegians"), country_named("kites")) == ("no", None)
