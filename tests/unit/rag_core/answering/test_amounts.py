"""Percentages of a question against those of a rule."""

import pytest

from rag_core.answering.amounts import Fit, amount_in, fit, without_amount
from rag_core.answering.verdicts import decide
from rag_core.answers import Verdict
from rag_core.documents import Passage
from rag_core.understanding.terms import terms_of
from tests.fakes.rules import decision, evidence, passage

INSIDE, OUTSIDE = Fit.INSIDE, Fit.OUTSIDE


@pytest.mark.parametrize(
    ("rule", "question", "how"),
    [
        ("Drinks with 15% ABV and above are banned", "40% vodka", INSIDE),
        ("Drinks with 15% ABV and above are banned", "15% wine", INSIDE),
        ("Drinks with 15% ABV and above are banned", "4.5% abv lager", OUTSIDE),
        ("Drinks over 15% are banned", "15% wine", OUTSIDE),
        ("Drinks stronger than 15% are banned", "15.5% wine", INSIDE),
        ("Drinks of no more than 15% ABV", "15% wine", INSIDE),
        ("Drinks of no more than 15% ABV", "16% wine", OUTSIDE),
        ("Drinks below 15 percent", "15% wine", OUTSIDE),
        ("Drinks of 15% or less", "15% wine", INSIDE),
        ("Drinks from 5% and up to 15%", "16% wine", OUTSIDE),
        ("Drinks from 5% and up to 15%", "6% wine", INSIDE),
        ("At least 20% of the image must be free", "40% vodka", INSIDE),
        ("Loans with an APR of 36% or more", "loan at 40% apr", INSIDE),
        ("Loans with an APR of 36% or more", "vodka, 40% abv", None),
        ("Discounts of 15% are fine", "15% off", None),
        ("Drinks over 15% are banned", "vodka", None),
        ("Drinks over 15% are banned", "between 10% and 20%", None),
    ],
)
def test_bounds_hold_what_they_say(rule: str, question: str, how: Fit | None) -> None:
    amount = amount_in(question)
    assert (fit(rule, amount) if amount else None) is how


def test_what_only_says_the_amount_is_no_topic() -> None:
    text = "40% abv vodka in a 40% sale"
    assert amount_in(text) is None
    amount = amount_in("40% abv vodka")
    assert [each.text for each in without_amount(terms_of("40% abv vodka"), amount)] == ["vodka"]
    assert [each.text for each in without_amount(terms_of("40% abv"), amount)] == ["40", "abv"]


STRONG = passage("- Drinks of alcohol with 18% ABV and above.", "Alcohol", lead_in="We do not allow:")
GENERAL = passage("Ads for alcohol are restricted.", "Alcohol", document_id="acme_alcohol")


@pytest.mark.parametrize(
    ("question", "verdict"),
    [("40% vodka", Verdict.PROHIBITED), ("4% beer", Verdict.RESTRICTED)],
)
def test_a_rule_on_other_amounts_decides_nothing(question: str, verdict: Verdict) -> None:
    assert decision(question, None, STRONG, GENERAL).verdict is verdict


def test_an_amount_that_no_rule_names_never_ends_in_allowed() -> None:
    allowed = passage("Ads for beer are allowed.", "Beer")
    assert decision("beer", None, allowed).verdict is Verdict.ALLOWED
    assert decision("5% beer", None, allowed).verdict is None


def test_an_amount_that_no_rule_of_the_place_bounds_gets_no_verdict() -> None:
    finnish = passage("Ads for beer are restricted.", "Finland", ("fi",), document_id="acme_finland")
    assert decision("beer", "fi", finnish).verdict is Verdict.RESTRICTED
    assert decision("5% beer", "fi", finnish, STRONG).verdict is None


def _row(conditions: str) -> Passage:
    table = f"| Country | Allowed? | Conditions |\n|---|---|---|\n| Finland | Yes | {conditions} |"
    return passage(table, "Alcohol", document_id="acme_table")


@pytest.mark.parametrize(
    ("asked", "place", "verdict"),
    [
        ("4% beer", "fi", Verdict.RESTRICTED),
        ("40% vodka", "fi", Verdict.PROHIBITED),
        ("40% vodka", "de", Verdict.RESTRICTED),
    ],
)
def test_a_row_that_permits_up_to_an_amount_permits_no_more(asked: str, place: str, verdict: Verdict) -> None:
    """The general rule, which restricts all alcohol, made "restricted" of what the country's row rules out."""
    assert decision(asked, place, _row("drinks up to 17% ABV"), GENERAL).verdict is verdict


def test_a_permission_for_other_amounts_in_the_place_keeps_a_wider_rule_from_deciding() -> None:
    finnish = passage("In Finland, ads for alcohol of up to 15% ABV are restricted.", "Alcohol", ("fi",))
    assert decision("4% beer", "fi", finnish, GENERAL).verdict is Verdict.RESTRICTED
    assert decision("40% vodka", "fi", finnish, GENERAL).verdict is None


def test_only_up_to_an_amount_is_a_no_to_more() -> None:
    only = passage("Only ads for alcohol of up to 15% ABV are allowed in Finland.", "Alcohol", ("fi",))
    assert decision("40% vodka", "fi", only, GENERAL).verdict is Verdict.PROHIBITED


@pytest.mark.parametrize(("asked", "verdict"), [("40% vodka", Verdict.PROHIBITED), ("10% wine", Verdict.RESTRICTED)])
def test_what_is_stronger_than_the_bound_before_is_beyond_it(asked: str, verdict: Verdict) -> None:
    note = passage("Only drinks up to 22% ABV. Ads for stronger drinks are not allowed in Finland.", "Alcohol", ("fi",))
    assert decision(asked, "fi", GENERAL, note).verdict is verdict


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("Ads for alcohol are not allowed.", Verdict.PROHIBITED),
        ("Ads for alcohol are restricted.", Verdict.RESTRICTED),
        ("Ads for alcohol are allowed.", None),
    ],
)
def test_an_amount_that_no_rule_bounds_is_still_the_thing(rule: str, verdict: Verdict | None) -> None:
    """40% vodka is vodka: what bans all of it bans this; what allows it, nobody knows for this strength."""
    found = evidence("40% vodka", None, passage(rule, "Alcohol"))
    assert decide(found).verdict is verdict
    assert found.not_stated == ("40%",)


@pytest.mark.parametrize(
    ("rule", "asked", "verdict"),
    [
        ("Ads for drinks with an ABV above 2.5% are not allowed in Finland.", "vodka", Verdict.PROHIBITED),
        ("Ads for drinks with an ABV above 2.5% are not allowed in Finland.", "wine", Verdict.PROHIBITED),
        ("Ads for drinks with an ABV above 2.5% are not allowed in Finland.", "beer", None),
        ("Ads for drinks with an ABV above 2.5% are not allowed in Finland.", "alcohol-free wine", None),
        ("Ads for drinks with an ABV above 12% are not allowed in Finland.", "wine", None),
        ("Only drinks up to 22% ABV. Ads for stronger drinks are not allowed in Finland.", "rum", Verdict.PROHIBITED),
        ("Only drinks up to 22% ABV. Ads for stronger drinks are not allowed in Finland.", "ale", None),
    ],
)
def test_how_strong_a_drink_is_is_known_of_some(rule: str, asked: str, verdict: Verdict | None) -> None:
    assert decision(asked, "fi", GENERAL, passage(rule, "Alcohol", ("fi",))).verdict is verdict


def test_what_is_only_known_makes_nothing_laxer() -> None:
    weak = passage("Ads for alcohol below 15% ABV are not allowed.", "Alcohol")
    assert decision("vodka", None, weak, GENERAL).verdict is decision("booze", None, weak, GENERAL).verdict
    assert decision("vodka", "fi", _row("drinks up to 17% ABV"), GENERAL).verdict is Verdict.PROHIBITED
    assert decision("wine", "fi", _row("drinks up to 17% ABV"), GENERAL).verdict is Verdict.RESTRICTED
