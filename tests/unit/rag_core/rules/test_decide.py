"""Judged rules into the verdict for one place on one platform."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.answers import Verdict
from rag_core.rules.decide import STRICTNESS, Decision, decide
from rag_core.rules.judging import JudgedRule
from rag_core.rules.places import PlaceReading, Standing, read_place
from rag_core.rules.reader import Effect
from tests.fakes.judged import LIMITS, effects, rule

BANS, BOUNDS, DEMANDS, ALLOWS, INFORMS = (
    Effect.PROHIBITS,
    Effect.LIMITS,
    Effect.REQUIRES,
    Effect.ALLOWS,
    Effect.INFORMS,
)
PROHIBITED, RESTRICTED, ALLOWED = Verdict.PROHIBITED, Verdict.RESTRICTED, Verdict.ALLOWED


def decided(*rules: JudgedRule, place: str | None = None, asks_permission: bool = True) -> Decision:
    return decide(rules, place, asks_permission=asks_permission, limits=LIMITS)


# 1. Only rules that hold in the place count; a closed list bans the places that it leaves out.


def test_nothing_decides_nothing() -> None:
    assert decided() == Decision(None)
    assert not decided().answers


def test_a_rule_of_another_place_decides_nothing() -> None:
    assert decided(rule(BANS, 0.9, "be", asked="uk"), place="uk") == Decision(None)
    assert decided(rule(BANS, 0.9, says="In Belgium, ads for kites", asked="uk"), place="uk").verdict is None


def test_a_closed_list_bans_the_place_that_it_leaves_out() -> None:
    only = "Ads for kites may run only in France."
    left_out = rule(BANS, says=only, asked="uk")
    assert left_out.place.standing is Standing.LEFT_OUT
    found = decided(rule(ALLOWS, asked="uk"), left_out, place="uk")
    assert (found.verdict, found.deciding) == (PROHIBITED, (left_out,))
    assert decided(rule(BOUNDS, says=only, asked="fr"), place="fr").verdict is RESTRICTED


# 2. What decides is likely enough; the place's own rules go before general ones.


@pytest.mark.parametrize(("decides", "verdict"), [(LIMITS.decides + 0.01, PROHIBITED), (LIMITS.decides - 0.01, None)])
def test_a_rule_decides_from_a_probability_on(decides: float, verdict: Verdict | None) -> None:
    assert decided(rule(BANS, decides)).verdict is verdict


@pytest.mark.parametrize(("own", "verdict"), [(ALLOWS, ALLOWED), (BOUNDS, RESTRICTED), (DEMANDS, RESTRICTED)])
def test_the_places_own_rule_goes_before_the_general_one(own: Effect, verdict: Verdict) -> None:
    general, special = rule(BANS, 0.95, asked="uk"), rule(own, 0.6, "uk", asked="uk")
    found = decided(general, special, place="uk")
    assert (found.verdict, found.deciding, found.overridden) == (verdict, (special,), (general,))


def test_a_states_rule_goes_before_its_countrys_and_that_before_the_unions() -> None:
    american = [
        rule(BANS, asked="us-tx"),
        rule(BOUNDS, 0.9, "us", asked="us-tx"),
        rule(ALLOWS, 0.9, "us-tx", asked="us-tx"),
    ]
    assert decided(*american, place="us-tx").verdict is ALLOWED
    european = [rule(ALLOWS, asked="fr"), rule(BANS, 0.9, "eu", asked="fr"), rule(BOUNDS, 0.9, "fr", asked="fr")]
    assert decided(*european, place="fr").verdict is RESTRICTED
    assert decided(*european[:2], place="fr").verdict is PROHIBITED


# 3. Prohibited before restricted before allowed; "allowed" needs most, and falls where a condition is likely.


@pytest.mark.parametrize(
    ("told", "verdict"),
    [
        ((BANS, BOUNDS, ALLOWS), PROHIBITED),
        ((BANS, ALLOWS), PROHIBITED),
        ((BOUNDS, ALLOWS), RESTRICTED),
        ((DEMANDS, ALLOWS), RESTRICTED),
        ((ALLOWS,), ALLOWED),
        ((INFORMS,), None),
        ((INFORMS, ALLOWS), ALLOWED),
    ],
)
def test_the_strictest_goes_first(told: tuple[Effect, ...], verdict: Verdict | None) -> None:
    for order in (told, told[::-1]):
        assert decided(*(rule(each) for each in order)).verdict is verdict


def test_allowed_needs_more_than_the_others() -> None:
    share = (LIMITS.allowed + LIMITS.prohibited) / 2
    for effect, verdict in ((ALLOWS, None), (BANS, PROHIBITED), (BOUNDS, RESTRICTED)):
        told = {each: share / 0.9 if each is effect else 0.0 for each in Effect} | {INFORMS: 1 - share / 0.9}
        assert decided(rule(told)).verdict is verdict


def test_what_is_far_less_likely_than_the_best_is_no_verdict_by_being_stricter() -> None:
    assert decided(rule(ALLOWS, 0.95), rule(BANS, 0.5)).verdict is ALLOWED


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        (rule(DEMANDS, 0.1, conditions=0.8), RESTRICTED),
        (rule(BANS, 0.1, conditions=0.8), RESTRICTED),
        (rule(ALLOWS, 0.1, conditions=0.8), ALLOWED),
        (rule(DEMANDS, 0.1, conditions=0.2), ALLOWED),
        (rule(DEMANDS, 0.1, "be", conditions=0.8), ALLOWED),
    ],
)
def test_allowed_falls_where_a_condition_is_likely(condition: JudgedRule, verdict: Verdict) -> None:
    allows = rule(ALLOWS)
    found = decided(allows, condition)
    assert (found.verdict, found.deciding) == (verdict, (allows,))
    assert (condition in found.conditions) is (
        condition.conditions > 0.5 and condition.place.standing is Standing.HOLDS
    )


def test_conditions_stay_with_a_ban_and_do_not_loosen_it() -> None:
    assert decided(rule(BANS), rule(ALLOWS, 0.1, conditions=0.9)).verdict is PROHIBITED


def test_allowed_falls_where_a_rule_leaves_the_asked_place_out() -> None:
    but = rule(BOUNDS, says="Ads for kites are allowed except in France.", asked="fr")
    assert but.place.standing is Standing.EXCEPTED
    found = decided(rule(ALLOWS, asked="fr"), but, place="fr")
    assert (found.verdict, found.conditions) == (RESTRICTED, (but,))


@pytest.mark.parametrize(
    ("says", "verdict"),
    [
        ("Kites are accepted; claims that they fly alone get the spot pulled.", RESTRICTED),
        ("Kites are accepted; darts are allowed.", ALLOWED),
        ("Kites are accepted.", ALLOWED),
    ],
)
def test_what_is_allowed_with_a_clause_more_is_restricted(says: str, verdict: Verdict) -> None:
    assert decided(rule(ALLOWS, says=says)).verdict is verdict


# 4. A rule that names the asked place and bans the thing forbids anything looser.


def test_a_ban_that_names_the_place_forbids_anything_looser_and_is_what_is_shown() -> None:
    named = rule(BANS, 0.9, says="In the European Union, ads for kites", asked="fr")
    found = decided(rule(ALLOWS, 0.95, "fr", asked="fr"), named, place="fr")
    assert (found.verdict, found.deciding) == (PROHIBITED, (named,))


def test_a_general_ban_that_names_no_place_gives_way() -> None:
    assert decided(rule(ALLOWS, 0.9, "fr", asked="fr"), rule(BANS, asked="fr"), place="fr").verdict is ALLOWED


@pytest.mark.parametrize(("ban", "verdict"), [(0.2, None), (0.1, ALLOWED)])
def test_beside_allowed_an_unlikely_ban_already_leaves_no_verdict(ban: float, verdict: Verdict | None) -> None:
    limits = replace(LIMITS, decides=0.05, forbids=0.15)
    shares = effects(BANS, 1.0)
    found = decide([rule(ALLOWS), rule(shares, ban)], None, asks_permission=True, limits=limits)
    assert found.verdict is verdict
    bounded = decide([rule(BOUNDS), rule(shares, ban)], None, asks_permission=True, limits=limits)
    assert bounded.verdict is RESTRICTED


# 5. Without a place asked the general rules decide, and never "allowed" while a place's own rule says otherwise.


@pytest.mark.parametrize("own", [BANS, BOUNDS, DEMANDS])
def test_without_a_place_allowed_falls_where_a_place_differs(own: Effect) -> None:
    found = decided(rule(ALLOWS), rule(own, 0.9, "be"), rule(own, 0.9, says="In Peru, ads for kites"))
    assert (found.verdict, found.differing) == (RESTRICTED, ("be", "pe"))


def test_without_a_place_one_that_agrees_or_hardly_decides_changes_nothing() -> None:
    for other in (rule(ALLOWS, 0.9, "be"), rule(BANS, 0.2, "be"), rule(INFORMS, 0.9, "be")):
        assert decided(rule(ALLOWS), other) == decided(rule(ALLOWS))


def test_without_a_place_a_general_ban_stays_and_a_looser_place_is_named() -> None:
    found = decided(rule(BANS), rule(ALLOWS, 0.9, "be"))
    assert (found.verdict, found.differing) == (PROHIBITED, ("be",))


def test_without_a_place_rules_of_single_places_decide_nothing_and_are_named() -> None:
    assert decided(rule(BANS, 0.9, "be")) == Decision(None, differing=("be",))


# Beside the verdict.


def test_who_asks_for_no_permission_gets_what_is_stated_and_no_verdict() -> None:
    states, place = rule(DEMANDS), rule(BANS, 0.9, "be")
    assert decided(states, place, asks_permission=False) == Decision(None, (states,), differing=("be",))
    assert not decided(rule(DEMANDS, 0.2), asks_permission=False).answers


def test_what_the_place_itself_states_goes_before_what_is_stated_everywhere() -> None:
    general, special = rule(DEMANDS, 0.95, asked="uk"), rule(DEMANDS, 0.6, "uk", asked="uk")
    assert decided(general, special, place="uk", asks_permission=False).deciding == (special, general)


def test_a_document_that_says_the_opposite_is_a_conflict_and_the_same_one_is_not() -> None:
    bans, allows = rule(BANS), rule(ALLOWS, document="acme_other")
    assert decided(bans, allows).conflicts == (allows,)
    assert decided(bans, rule(ALLOWS)).conflicts == ()
    assert decided(bans, rule(BANS, document="acme_other")).conflicts == ()


# Invariants.

_EFFECTS = st.lists(st.floats(0.01, 1), min_size=len(Effect), max_size=len(Effect)).map(
    lambda shares: {each: share / sum(shares) for each, share in zip(Effect, shares, strict=True)}
)
_REGIONS = st.sampled_from([(), ("us",), ("us-tx",), ("us-ca",), ("eu",), ("fr",), ("be",)])
_SAYS = st.sampled_from(
    [
        "Ads for kites",
        "In the United States, ads for kites",
        "In Texas, ads for kites",
        "In France, ads for kites",
        "Ads for kites may run only in France.",
        "Ads for kites may run everywhere except in the United States.",
    ]
)
_RULES = st.lists(
    st.builds(
        lambda shares, decides, regions, says, document, conditions: rule(
            shares, decides, *regions, says=says, document=document, conditions=conditions
        ),
        _EFFECTS,
        st.floats(0, 1),
        _REGIONS,
        _SAYS,
        st.sampled_from(["acme_toys", "acme_other"]),
        st.floats(0, 1),
    ),
    max_size=6,
)
_PLACES = st.sampled_from([None, "us", "us-tx", "us-ca", "eu", "fr", "be", "pe"])


def asked(rules: Sequence[JudgedRule], place: str | None) -> list[JudgedRule]:
    """The same rules, judged for `place`; what a closed list leaves out it bans."""
    made = []
    for each in rules:
        reading = read_place(each.rule, place)
        counts = reading.standing in (Standing.HOLDS, Standing.LEFT_OUT)
        told = effects(BANS, 1.0) if reading.standing is Standing.LEFT_OUT else each.effects
        made.append(replace(each, place=reading, decides=each.elsewhere if counts else 0.0, effects=told))
    return made


@given(_RULES, _PLACES, _EFFECTS, _REGIONS, _SAYS, st.booleans(), st.data())
def test_a_rule_that_hardly_decides_never_changes_the_verdict(
    rules: list[JudgedRule],
    place: str | None,
    shares: dict[Effect, float],
    regions: tuple[str, ...],
    says: str,
    asks_permission: bool,
    data: st.DataObject,
) -> None:
    irrelevant = rule(shares, 0.02, *regions, says=says, document="acme_beside", conditions=0.05)
    at = data.draw(st.integers(0, len(rules)))
    before = decided(*asked(rules, place), place=place, asks_permission=asks_permission)
    after = decided(*asked([*rules[:at], irrelevant, *rules[at:]], place), place=place, asks_permission=asks_permission)
    assert after == before


@given(_RULES, st.sampled_from([("us", "us-tx"), ("us", "us-ca"), ("eu", "fr"), ("eu", "be")]))
def test_a_narrower_place_never_loosens_a_ban_that_names_the_wider_one(
    rules: list[JudgedRule], places: tuple[str, str]
) -> None:
    wide, narrow = places
    bans = rule(BANS, 0.9, says={"us": "In the United States, kites", "eu": "In the European Union, kites"}[wide])
    assert decided(*asked([*rules, bans], wide), place=wide).verdict in (PROHIBITED, None)
    found = decided(*asked([*rules, bans], narrow), place=narrow)
    assert found.verdict in (PROHIBITED, None)


@given(_RULES, st.sampled_from([("us", "us-tx"), ("us", "us-ca"), ("eu", "fr"), ("eu", "be"), (None, "pe")]))
def test_a_narrower_place_without_a_rule_of_its_own_is_never_looser(
    rules: list[JudgedRule], places: tuple[str | None, str]
) -> None:
    wide, narrow = places
    pairs = [
        (there, here)
        for there, here in zip(asked(rules, wide), asked(rules, narrow), strict=True)
        if there.place.standing is here.place.standing is Standing.HOLDS
        and there.place.specificity == here.place.specificity
    ]
    before = decided(*(there for there, _ in pairs), place=wide)
    after = decided(*(here for _, here in pairs), place=narrow)
    assert before.verdict is None or STRICTNESS[after.verdict or ALLOWED] >= STRICTNESS[before.verdict]


@given(_RULES, _PLACES)
def test_a_verdict_is_read_from_rules_that_hold_in_the_place_and_speak_for_it(
    rules: list[JudgedRule], place: str | None
) -> None:
    found = decided(*asked(rules, place), place=place)
    assert (found.verdict is not None) == bool(found.deciding)
    for each in found.deciding:
        assert each.place.standing in (Standing.HOLDS, Standing.LEFT_OUT)
        assert each.decides >= LIMITS.decides
    if found.verdict is ALLOWED:
        assert any(each.support(ALLOWS) >= LIMITS.allowed for each in found.deciding)
    if found.verdict is PROHIBITED:
        assert any(each.support(BANS) >= LIMITS.prohibited for each in found.deciding)
    shown = (*found.deciding, *found.conditions, *found.conflicts, *found.overridden)
    assert len(found.deciding) + len(found.conflicts) + len(found.overridden) <= len(rules)
    assert all(any(each is other or each == other for other in asked(rules, place)) for each in shown)


@given(_RULES, _PLACES)
def test_the_order_of_rules_never_changes_the_verdict(rules: list[JudgedRule], place: str | None) -> None:
    there = asked(rules, place)
    assert decided(*there, place=place).verdict is decided(*there[::-1], place=place).verdict


@given(_RULES, _PLACES)
def test_a_further_ban_on_the_thing_never_loosens(rules: list[JudgedRule], place: str | None) -> None:
    there = asked(rules, place)
    before = decided(*there, place=place).verdict
    level = max((each.place.specificity for each in there if each.decides >= LIMITS.decides), default=0)
    ban = rule(BANS, 1.0, place=PlaceReading(Standing.HOLDS, level, frozenset()))
    after = decided(*there, ban, place=place).verdict
    assert after is PROHIBITED
    assert before is None or STRICTNESS[after] >= STRICTNESS[before]
