"""Is what was found enough to answer?"""

import pytest

from rag_core.answering.evidence import Evidence, judge
from rag_core.questions import Intent
from rag_core.retrieval.found import Found
from tests.fakes.rules import evidence, passage, question

KITES = passage("Ads for kites may run.", "Kites")
DARTS = passage("Ads for darts may not run.", "Darts")


def bodies(found: Evidence) -> list[str]:
    return [rule.unit.body[0].text for rule in found.rules]


def test_rules_that_cover_the_question_are_evidence() -> None:
    found = evidence("kites", None, KITES, DARTS)
    assert bodies(found) == ["Ads for kites may run."]
    assert found.is_complete


def test_headings_cover_too_and_own_words_are_told_apart() -> None:
    found = evidence("kites", None, passage("Ads must carry a warning.", "Kites"))
    assert found.is_complete
    assert (found.rules[0].coverage, found.rules[0].own_coverage) == (1.0, 0.0)


def test_a_passage_without_a_rule_is_no_evidence() -> None:
    assert not evidence("kites", None, passage("### Kites", "Kites")).rules


def test_nothing_that_covers_half_of_the_question_is_no_evidence() -> None:
    found = evidence("zeppelin kites", None, KITES)
    assert (found.rules, found.not_stated) == ((), ("zeppelin", "kites"))
    assert not found.is_complete


def test_the_nearest_rules_say_what_they_do_not_state() -> None:
    found = evidence("red kites", None, KITES, passage("Balloons are red.", "Balloons"))
    assert found.not_stated == ("red",)
    assert "Ads for kites may run." in bodies(found)
    assert not found.is_complete


def test_a_word_that_no_passage_has_weighs_more_than_one_that_some_have() -> None:
    assert evidence("red kites", None, KITES, passage("Balloons are red.")).rules
    assert not evidence("red kites", None, KITES).rules


def test_a_word_of_the_trade_weighs_more_than_another() -> None:
    alcohol = passage("Ads for alcohol may run.", "Alcohol")
    assert evidence("alcohol umbrella", None, alcohol).not_stated == ("umbrella",)
    assert evidence("alcohol umbrella", None, alcohol).rules


def test_a_question_without_a_topic_has_no_evidence() -> None:
    assert not evidence("", None, KITES).rules
    assert not Evidence((), (), ()).is_complete


def test_without_a_place_the_rules_of_single_places_stand_apart() -> None:
    belgian = passage("Ads for kites are banned.", "Kites", ("be",))
    found = evidence("kites", None, KITES, belgian)
    assert bodies(found) == ["Ads for kites may run."]
    assert [rule.reading.place.places for rule in found.elsewhere] == [{"be"}]


def test_only_rules_of_single_places_is_evidence_too() -> None:
    found = evidence("kites", None, passage("Ads for kites are banned.", "Kites", ("be",)))
    assert found.rules == ()
    assert found.is_complete


def test_another_places_rule_is_no_evidence_for_the_place_asked() -> None:
    found = evidence("kites", "uk", passage("In Belgium ads for kites are banned.", "Toys"))
    assert (found.rules, found.elsewhere, found.not_stated) == ((), (), ("kites",))


def test_a_list_of_other_countries_beside_a_rule_is_left_away() -> None:
    found = evidence("kites", "uk", KITES, passage("In Belgium ads for kites are banned.", "Kites"))
    assert bodies(found) == ["Ads for kites may run."]
    assert found.elsewhere == ()


def test_allowed_only_where_listed_is_a_no_where_no_list_has_the_place() -> None:
    only = passage("Ads for kites are allowed only in the countries of the table.", "Kites")
    table = passage("| Place | May run |\n| --- | --- |\n| France | yes |", "Kites")
    assert evidence("kites", "uk", only, table).rules[0].reading.effect == "prohibits"
    french = evidence("kites", "fr", only, table)
    assert "prohibits" not in {rule.reading.effect for rule in french.rules}


def test_the_list_of_another_document_does_not_open_a_closed_one() -> None:
    only = passage("Ads for kites are allowed only in the countries of the table.", "Kites")
    other = passage("| Place | May run |\n| --- | --- |\n| France | yes |", "Kites", document_id="acme_other")
    first = next(r for r in evidence("kites", "fr", only, other).rules if r.unit.passage == only)
    assert first.reading.effect == "prohibits"


def test_a_bare_item_without_its_lead_in_is_no_rule() -> None:
    assert not evidence("kites", None, passage("- kites\n- darts", "Toys")).rules
    assert evidence("kites", None, passage("- ads for kites are banned", "Toys")).rules


@pytest.mark.parametrize(
    ("regions", "cosine", "speaks"),
    [(("uk",), 0.9, True), (("uk",), None, True), (("uk",), 0.1, False), (("global",), 0.9, False)],
)
def test_a_place_speaks_by_rules_of_its_own_that_are_near(
    regions: tuple[str, ...], cosine: float | None, speaks: bool
) -> None:
    results = [Found(passage("Ads for kites may run.", "Kites", regions), 1.0, cosine)]
    assert judge(question("kites", "uk"), "uk", results).place_speaks is speaks


@pytest.mark.parametrize(
    ("intent", "first"),
    [
        (Intent.PERMISSION, "Ads for kites are allowed."),
        (Intent.REQUIREMENT, "Ads for kites must carry a warning."),
        (Intent.DEFINITION, "A kite is a toy that flies."),
    ],
)
def test_the_kind_of_question_decides_which_rule_comes_first(intent: Intent, first: str) -> None:
    body = "Kites sell well. A kite is a toy that flies. Ads for kites must carry a warning. Ads for kites are allowed."
    assert bodies(evidence("kites", None, passage(body, "Kites"), intent=intent))[0] == first


def test_a_question_for_information_leaves_the_order_to_the_search() -> None:
    found = evidence("kites", None, DARTS, passage("Kites fly."), KITES, intent=Intent.INFORMATION)
    assert bodies(found) == ["Kites fly.", "Ads for kites may run."]


def test_the_rule_of_the_place_comes_before_the_general_one() -> None:
    found = evidence("kites", "uk", KITES, passage("Ads for kites may run.", "Kites", ("uk",)))
    assert [rule.reading.place.specificity for rule in found.rules] == [2, 0]


@pytest.mark.parametrize(
    ("text", "intent", "is_shown"),
    [
        ("which makers are on the Zorbul list", Intent.INFORMATION, False),
        ("which makers are on the zorbul list", Intent.INFORMATION, True),
        ("which makers have a ZRB rating", Intent.INFORMATION, True),
        ("may Zorbul kites be advertised", Intent.PERMISSION, True),
        ("which makers are on the Darts list", Intent.INFORMATION, True),
    ],
)
def test_no_rule_tells_a_detail_of_a_name_that_nothing_has(text: str, intent: Intent, is_shown: bool) -> None:
    results = [Found(passage("Ads for kites may run. See the list of darts.", "Kites"), 1.0, 0.4)]
    assert bool(judge(question(text, intent=intent), None, results).rules) is is_shown


@pytest.mark.parametrize(
    ("words", "regions", "is_shown"),
    [
        ("sofas", ("ie",), False),
        ("sofas", ("global",), True),
        ("velvet sofas, beds or kites", ("ie",), True),  # it says something of what is asked
    ],
)
def test_what_has_the_place_alone_in_common_is_not_shown(words: str, regions: tuple[str, ...], is_shown: bool) -> None:
    """A "yes" for kites in Ireland would be read as one for sofas there."""
    results = [Found(passage("Ads for kites may run.", "Rules", regions), 1.0, 0.4)]
    assert bool(judge(question(words), "ie", results).rules) is is_shown
