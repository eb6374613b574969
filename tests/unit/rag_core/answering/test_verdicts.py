"""Rules into the verdict for one place on one platform."""

from dataclasses import replace

import pytest

from rag_core.answers import Verdict
from rag_core.documents import Passage
from tests.fakes.rules import decision, passage

PROHIBITED, RESTRICTED, ALLOWED = Verdict.PROHIBITED, Verdict.RESTRICTED, Verdict.ALLOWED
YES, NO, MAYBE = "Ads for kites are allowed.", "Ads for kites are not allowed.", "Ads for kites are restricted."


def kites(
    body: str, *regions: str, document_id: str = "acme_kites", heading: str = "Kites", title: str = "Toys"
) -> Passage:
    return passage(body, heading, regions or ("global",), document_id=document_id, title=title)


@pytest.mark.parametrize(
    ("bodies", "verdict"),
    [
        ([YES], ALLOWED),
        ([NO], PROHIBITED),
        ([MAYBE], RESTRICTED),
        ([YES, MAYBE], RESTRICTED),
        ([MAYBE, NO], PROHIBITED),
        ([YES, NO], PROHIBITED),
        ([YES, "Ads for kites must carry a warning."], RESTRICTED),
        ([YES, "Ads for razor kites are not allowed."], RESTRICTED),
        (["Ads for kites must carry a warning."], RESTRICTED),
        (["Ads for kites must not show children."], None),
        (["Kites are toys that fly."], None),
        (["Ads for razor kites are not allowed."], None),
    ],
)
def test_the_strictest_of_equals_decides(bodies: list[str], verdict: Verdict | None) -> None:
    assert decision("kites", None, *(kites(each) for each in bodies)).verdict is verdict
    assert decision("kites", None, *(kites(each) for each in reversed(bodies))).verdict is verdict


@pytest.mark.parametrize(
    ("general", "local", "verdict"),
    [(NO, YES, ALLOWED), (YES, NO, PROHIBITED), (NO, MAYBE, RESTRICTED), (MAYBE, YES, RESTRICTED)],
)
def test_the_specific_rule_stands_before_the_general_one(general: str, local: str, verdict: Verdict) -> None:
    found = decision("kites", "uk", kites(general), kites(local, "uk", document_id="acme_uk"))
    assert found.verdict is verdict
    assert {rule.reading.place.specificity for rule in found.deciding} == {2}


def test_a_state_stands_before_its_country_and_a_member_before_its_union() -> None:
    texan = decision("kites", "us-tx", kites(NO, "us"), kites(YES, "us-tx", document_id="acme_tx"))
    assert texan.verdict is ALLOWED
    belgian = decision("kites", "be", kites(YES, "eu"), kites(NO, "be"))
    assert belgian.verdict is PROHIBITED


def test_the_exact_thing_stands_before_the_wider_one() -> None:
    wide, exact = passage("Ads for alcohol are not allowed.", "Alcohol"), passage("Ads for beer are allowed.", "Beer")
    assert decision("beer", None, wide, exact).verdict is ALLOWED
    assert decision("wine", None, wide, exact).verdict is PROHIBITED


@pytest.mark.parametrize("heading", ["Restricted toys: kites", "Prohibited kites", "Kites with conditions"])
def test_what_stands_under_a_limiting_heading_is_not_simply_allowed(heading: str) -> None:
    assert decision("kites", None, kites(YES, heading=heading)).verdict is RESTRICTED


@pytest.mark.parametrize(
    ("general", "local", "verdict", "differing"),
    [(YES, NO, RESTRICTED, ("be",)), (YES, YES, ALLOWED, ()), (NO, YES, PROHIBITED, ("be",)), (NO, NO, PROHIBITED, ())],
)
def test_without_a_place_it_is_never_allowed_while_a_place_differs(
    general: str, local: str, verdict: Verdict, differing: tuple[str, ...]
) -> None:
    found = decision("kites", None, kites(general), kites(local, "be"))
    assert (found.verdict, found.differing) == (verdict, differing)


def test_rules_of_single_places_alone_decide_nothing_for_all() -> None:
    found = decision("kites", None, kites(NO, "be"), kites(YES, "fr"))
    assert found.verdict is None
    assert found.differing == ("be", "fr")


def test_two_documents_that_contradict_each_other_are_a_conflict_and_the_stricter_holds() -> None:
    found = decision("kites", None, kites(YES), kites(NO, document_id="acme_other"))
    assert found.verdict is PROHIBITED
    assert [rule.unit.passage.version.document_id for rule in found.conflicts] == ["acme_kites"]


@pytest.mark.parametrize(
    "other", [kites(YES), kites(NO, document_id="acme_other"), kites(YES, "fr", document_id="acme_other")]
)
def test_what_is_no_conflict(other: Passage) -> None:
    assert decision("kites", "uk", kites(NO), other).conflicts == ()


def test_allowed_and_restricted_by_two_documents_do_not_contradict() -> None:
    assert decision("kites", None, kites(YES), kites(MAYBE, document_id="acme_other")).conflicts == ()


def test_a_local_ban_that_only_a_general_rule_would_lift_gives_no_verdict() -> None:
    local = kites("Ads for razor kites are not allowed.", "uk")
    found = decision("kites", "uk", kites(YES), local)
    assert found.verdict is None
    assert local in [rule.unit.passage for rule in found.conditions]


def test_a_local_ban_on_a_part_beside_a_general_ban_is_safe() -> None:
    found = decision("kites", "uk", kites(NO), kites("Ads for razor kites are not allowed.", "uk"))
    assert found.verdict is PROHIBITED


def test_a_word_that_is_not_covered_gives_no_verdict() -> None:
    found = decision("red kites", None, kites(YES), passage("Balloons are red.", "Balloons"))
    assert (found.verdict, found.deciding) == (None, ())


def test_left_out_of_a_closed_list_is_prohibited() -> None:
    only = kites("Ads for kites may run only in France and Spain.")
    assert decision("kites", "uk", only).verdict is PROHIBITED
    assert decision("kites", "fr", only).verdict is RESTRICTED


@pytest.mark.parametrize(
    ("heading", "verdict"), [("Kites", RESTRICTED), ("Kites > Strings", RESTRICTED), ("Kitesurfing", ALLOWED)]
)
def test_what_stands_in_the_same_section_or_below_speaks_against_a_plain_yes(heading: str, verdict: Verdict) -> None:
    beside = kites("These ads must not show children with razor blades.", heading=heading)
    assert decision("kites", "uk", kites(YES), replace(beside, version=kites(YES).version)).verdict is verdict


def test_a_demand_of_listed_places_conditions_nothing_elsewhere() -> None:
    demand = kites("Ads for kites must show the price only in France and Spain.", document_id="acme_price")
    assert decision("kites", "uk", kites(YES), demand).verdict is ALLOWED
    assert decision("kites", "fr", kites(YES), demand).verdict is RESTRICTED


def test_another_places_rule_conditions_nothing_here() -> None:
    demand = kites("In Belgium ads for kites must carry a warning.")
    assert decision("kites", "uk", kites(YES), demand).verdict is ALLOWED


@pytest.mark.parametrize(
    ("ban", "verdict"),
    [
        ("Ads for vodka are not allowed in any country.", Verdict.PROHIBITED),
        ("Ads for vodka are not allowed, except in some places.", Verdict.RESTRICTED),
        ("Ads for gin are not allowed in any country.", Verdict.RESTRICTED),
    ],
)
def test_a_places_rule_on_something_wider_lifts_no_ban_on_the_very_thing(ban: str, verdict: Verdict) -> None:
    wide = passage("Ads for alcohol may run in Peru if the buyer is an adult.", "Peru", ("pe",), document_id="acme_pe")
    assert decision("vodka", "pe", passage(ban, "Drinks"), wide).verdict is verdict
