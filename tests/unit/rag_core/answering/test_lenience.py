"""How much of a question a verdict may leave unsaid: on made-up policies, what is near and what is not."""

import pytest

from rag_core.answering.evidence import Evidence, judge
from rag_core.answering.verdicts import decide
from rag_core.answers import Verdict
from rag_core.documents import Passage
from rag_core.questions import Intent
from rag_core.retrieval.found import Found
from tests.fakes.rules import decision, evidence, passage, question

PROHIBITED, RESTRICTED, ALLOWED = Verdict.PROHIBITED, Verdict.RESTRICTED, Verdict.ALLOWED
INSURANCE = "Ads for insurance"
ALCOHOL = passage("Ads for alcohol are not allowed.", "Alcohol")
GAMBLING = passage("Ads for gambling are restricted.", "Gambling")
MEDICINE = passage("Ads for medicine are not allowed.", "Medicine")
DATING = passage("Ads for dating services are restricted.", "Dating")
POLICY = (ALCOHOL, GAMBLING, MEDICINE, DATING)


def judged(text: str, *passages: Passage, lenience: float) -> Evidence:
    return judge(question(text), None, [Found(each, 1.0) for each in passages], lenience)


@pytest.mark.parametrize(
    ("says", "verdict"),
    [("are not allowed.", PROHIBITED), ("are restricted.", RESTRICTED), ("are allowed.", None)],
)
def test_a_rule_on_the_wider_thing_bans_and_restricts_but_never_allows(says: str, verdict: Verdict | None) -> None:
    found = evidence("boat insurance", None, passage(f"{INSURANCE} {says}", "Insurance"))
    assert found.not_stated == ("boat",)
    assert decide(found).verdict is verdict


@pytest.mark.parametrize("shop", ["vodka shop", "small family-run vodka retailer", "premium vodka for tourists"])
def test_who_sells_how_well_and_to_whom_keeps_no_ban_from_holding(shop: str) -> None:
    assert decision(shop, None, ALCOHOL).verdict is PROHIBITED


def test_circumstances_keep_a_permission_from_being_a_plain_yes() -> None:
    assert decision("insurance broker", None, passage(f"{INSURANCE} are allowed.", "Insurance")).verdict is None


@pytest.mark.parametrize(
    "near_miss",
    [
        "wine glasses",
        "beer brand sponsoring a regatta",
        "vodka-free cooking sauce",
        "toy roulette wheel",
        "poker strategy course",
        "casino architecture magazine",
        "medicine cabinet furniture",
        "alcohol testing kit",
        "documentary about gambling",
        "museum of dating",
        "dating in a film",
        "beer yoga class",
        "whisky barrel tables",
        "horses in a casino",
        "lottery history exhibition",
    ],
)
def test_another_thing_that_only_has_the_word_in_it_gets_no_verdict(near_miss: str) -> None:
    assert decision(near_miss, None, *POLICY).verdict is None


@pytest.mark.parametrize(
    ("answerable", "verdict"),
    [
        ("organic vodka", PROHIBITED),
        ("locally brewed beer for adults", PROHIBITED),
        ("handmade gin", PROHIBITED),
        ("underwater casino", RESTRICTED),
        ("weekend poker", RESTRICTED),
        ("christian dating app for seniors", RESTRICTED),
        ("state lottery", RESTRICTED),
        ("cheap painkillers", PROHIBITED),
        ("prescription medicine provider", None),
    ],
)
def test_a_kind_of_a_thing_is_under_the_rule_of_the_thing(answerable: str, verdict: Verdict | None) -> None:
    assert decision(answerable, None, *POLICY).verdict is verdict


@pytest.mark.parametrize(
    "detail",
    ["which boat insurance may run", "max premium of boat insurance ads", "how long may boat insurance run"],
)
def test_who_asks_for_a_detail_is_told_of_every_word_that_is_not_stated(detail: str) -> None:
    banned = passage(f"{INSURANCE} are not allowed.", "Insurance")
    assert decision(detail, None, banned).verdict is None


def test_only_a_yes_or_no_may_leave_words_unsaid() -> None:
    banned = passage(f"{INSURANCE} are not allowed.", "Insurance")
    assert not evidence("boat insurance", None, banned, intent=Intent.REQUIREMENT).may_decide
    assert evidence("boat insurance", None, banned, intent=Intent.COMPARISON).may_decide


@pytest.mark.parametrize(("lenience", "decides"), [(0.0, False), (0.2, False), (0.6, True), (4.0, True)])
def test_the_setting_moves_how_much_may_be_unsaid(lenience: float, decides: bool) -> None:
    banned = passage(f"{INSURANCE} are not allowed.", "Insurance")
    assert judged("boat insurance", banned, lenience=lenience).may_decide is decides


def test_from_two_on_the_thing_itself_may_be_unsaid() -> None:
    assert not judged("wine glasses", ALCOHOL, lenience=0.6).may_decide
    assert judged("wine glasses", ALCOHOL, lenience=2.0).may_decide


def test_the_rule_that_names_the_narrower_thing_goes_before_the_wider_one() -> None:
    boats = passage(f"{INSURANCE} of boats are restricted.", "Boats", document_id="acme_boats")
    banned = passage(f"{INSURANCE} are not allowed.", "Insurance")
    assert decision("boat insurance", None, banned, boats).verdict is RESTRICTED


def test_the_people_of_the_place_asked_are_no_topic_of_their_own() -> None:
    allowed = passage("Ads for kites are allowed.", "Kites")
    assert decision("kites for norwegians", "no", allowed).verdict is ALLOWED
    assert decision("kites for norwegians", "se", allowed).verdict is None


def test_the_form_of_a_banned_thing_is_banned_and_that_of_a_restricted_one_is_not_said() -> None:
    assert decision("vodka gummies", None, ALCOHOL).verdict is PROHIBITED
    assert decision("vodka gummies", None, passage("Ads for alcohol are restricted.", "Alcohol")).verdict is None


def test_a_rule_that_names_the_form_goes_before_one_that_does_not() -> None:
    forms = passage("Ads for alcohol gummies are restricted.", "Alcohol", document_id="acme_forms")
    assert decision("vodka gummies", None, ALCOHOL, forms).verdict is RESTRICTED


def test_who_asks_for_a_number_is_told_where_no_rule_has_one() -> None:
    limit = passage("2.1 Ads for kites may show a limited count of kites.", "Kites")
    found = evidence("how many kites", None, limit, intent=Intent.REQUIREMENT)
    assert found.not_stated == ("how many",)
    assert not found.may_decide
    stated = passage("2.1 Ads for kites may show up to 3 kites.", "Kites")
    assert evidence("how many kites", None, stated, intent=Intent.REQUIREMENT).is_complete


def test_a_rule_for_another_case_decides_nothing_and_comes_later() -> None:
    plain = passage("Ads for kites must carry a warning.", "Kites", document_id="acme_plain")
    special = passage("For balloon shows:\n\n- Ads for kites must carry a lamp.", "Kites")
    found = evidence("kites", None, special, plain)
    assert [rule.narrowed for rule in found.rules] == [False, True]
    assert decide(evidence("kites", None, special)).verdict is None
    assert decide(evidence("kites for balloon shows", None, special)).verdict is RESTRICTED
    assert not evidence("kites", None, passage("For all advertisers:\n\n- Ads for kites may run.")).rules[0].narrowed
