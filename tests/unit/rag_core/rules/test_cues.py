"""What the words of a rule say that it does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.rules.cues import Opinion, opinion_of
from rag_core.rules.reader import Effect, RuleText

PROHIBITS, LIMITS, REQUIRES, ALLOWS = Effect.PROHIBITS, Effect.LIMITS, Effect.REQUIRES, Effect.ALLOWS


def opinion(body: str, lead: str = "", heading: str = "Kites") -> Opinion:
    return opinion_of(RuleText(("Toys", heading), lead, body))


@pytest.mark.parametrize(
    ("body", "effect"),
    [
        ("Ads for kites are prohibited.", PROHIBITS),
        ("Ads for kites are not allowed.", PROHIBITS),
        ("Ads for kites may not run.", PROHIBITS),
        ("We do not accept ads for kites.", PROHIBITS),
        ("You can't advertise kites.", PROHIBITS),
        ("Kites cannot be advertised.", PROHIBITS),
        ("We cannot accept ads for kites.", PROHIBITS),
        ("Never advertise kites.", PROHIBITS),
        ("Don’t advertise kites.", PROHIBITS),
        ("Ads must not show kites.", PROHIBITS),
        ("No.", PROHIBITS),
        ("✗", PROHIBITS),
        ("Ads for kites are allowed.", ALLOWS),
        ("Ads for kites may run.", ALLOWS),
        ("Kites are not prohibited.", ALLOWS),
        ("We welcome ads for kites.", ALLOWS),
        ("Yes", ALLOWS),
        ("✓", ALLOWS),
        ("Ads for kites are allowed only with approval.", LIMITS),
        ("Ads for kites may run if the buyer is an adult.", LIMITS),
        ("Kites are prohibited unless we approve them.", LIMITS),
        ("Kites: accepted; whoever says that they fly by themselves is sent away", ALLOWS),
        ("Paper kites are allowed, fire kites are banned.", LIMITS),
        ("Ads for kites must show a price.", REQUIRES),
        ("The price of a kite is required.", REQUIRES),
        ("Kites fly.", None),
        ("A discount of 20%", None),
        ("", None),
    ],
)
def test_the_words_of_a_rule_say_what_it_does(body: str, effect: Effect | None) -> None:
    assert opinion(body).effect is effect
    assert opinion(body).certainty == (1.0 if effect else 0.0)


@pytest.mark.parametrize(
    ("body", "effect"),
    [
        ("Kites: n", PROHIBITS),
        ("Category: Kites; Status: Closed; Conditions: Pages that only link to shops are treated alike", PROHIBITS),
        ("Category: Kites; Status: Open; Since: 2024", ALLOWS),
        ("Kites, darts: Yes", ALLOWS),
        ("Category: Kites; Peru: Case by case", LIMITS),
    ],
)
def test_a_cell_that_is_nothing_but_a_verdict_is_surest(body: str, effect: Effect) -> None:
    assert opinion(body, "We accept:") == Opinion(effect, 4.0)


def test_cells_that_differ_say_nothing_together() -> None:
    assert opinion("Category: Kites; Peru: No; Chile: Yes").certainty < 4.0
    assert opinion("Category: Kites; Allowed?: Yes; Conditions: Registered makers") == Opinion(LIMITS, 1.0)
    assert opinion("Kites: No at fairs, Yes in shops") == Opinion(LIMITS, 1.0)


def test_a_rule_without_a_verb_has_that_of_its_lead_in_and_then_that_of_its_heading() -> None:
    assert opinion("kites of paper", "The following are prohibited:") == Opinion(PROHIBITS, 0.8)
    assert opinion("kites of paper", heading="Prohibited toys") == Opinion(PROHIBITS, 0.6)
    assert opinion("kites of paper", "Examples:", "Prohibited toys") == Opinion(PROHIBITS, 0.6)


def test_its_own_words_go_before_those_above_it() -> None:
    assert opinion("Kites are allowed.", "Prohibited:", "Prohibited toys") == Opinion(ALLOWS, 1.0)


def test_a_condition_below_a_permission_limits_it() -> None:
    assert opinion("kites, only for adults", "We allow:") == Opinion(LIMITS, 0.8)
    assert opinion("kites", "We allow:") == Opinion(ALLOWS, 0.8)


def test_a_long_rule_takes_no_verb_from_its_heading() -> None:
    assert opinion("kites " * 20, heading="Prohibited toys") == Opinion(None, 0.0)


_RULES = st.sampled_from(
    [
        "Ads for kites are allowed.",
        "Kites may not run!",
        "Kites must carry a price.",
        "Kites may run if they fly.",
        "Kites fly.",
    ]
)


@given(_RULES, st.sampled_from([str.upper, str.lower, str.title, lambda text: f" {text}  ", lambda text: f"“{text}”"]))
def test_case_and_quotation_marks_never_change_an_opinion(body: str, change: object) -> None:
    assert callable(change)
    assert opinion(change(body)) == opinion(body)


@given(_RULES, st.sampled_from("kites paper string tail colour board".split()))
def test_a_thing_that_is_named_beside_changes_no_opinion(body: str, thing: str) -> None:
    assert opinion(f"{thing}: {body}").effect is opinion(body).effect
