"""General and specific rules that differ, and documents that contradict each other: both are shown, and it is said."""

import pytest

from rag_core.answering.compose import compose
from rag_core.answers import Answer, Notice, Verdict, WarningCode
from rag_core.documents import Passage
from tests.fakes.rules import decision, passage, question, target

YES, NO = "Ads for kites are allowed.", "Ads for kites are not allowed."
BRITISH_NO = "Ads for kites are not allowed in the United Kingdom."
BRITISH_YES = "Ads for kites are allowed in the United Kingdom."


def general(body: str) -> Passage:
    return passage(body, "Kites", document_id="acme_general")


def british(body: str) -> Passage:
    return passage(body, "Kites", ("uk",), document_id="acme_uk")


def composed(*passages: Passage, text: str = "kites") -> Answer:
    # six targets leave two statements for each
    targets = [target(text, "uk", *passages, policy_source=f"p{number}") for number in range(6)]
    found = compose(question(text, "uk"), targets, ()).answer
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("wide", "narrow", "verdict"), [(YES, BRITISH_NO, Verdict.PROHIBITED), (NO, BRITISH_YES, Verdict.ALLOWED)]
)
def test_the_specific_rule_wins_and_both_are_shown(wide: str, narrow: str, verdict: Verdict) -> None:
    answer = composed(general(wide), british(narrow))
    assert {each.verdict for each in answer.verdicts} == {verdict}
    assert {each.text for each in answer.statements} == {wide, narrow}
    assert Notice(WarningCode.SPECIFIC_FIRST, ("uk",)) in answer.warnings


def test_rules_that_agree_override_nothing() -> None:
    assert decision("kites", "uk", general(NO), british(BRITISH_NO)).overridden == ()
    assert Notice(WarningCode.SPECIFIC_FIRST, ("uk",)) not in composed(general(NO), british(BRITISH_NO)).warnings


@pytest.mark.parametrize(
    "wide",
    [
        "Unless a country is listed below, ads for kites are not allowed.",
        "Ads for kites are allowed, except in some places.",
    ],
)
def test_a_general_rule_that_leaves_room_does_not_differ(wide: str) -> None:
    narrow = BRITISH_YES if "Unless" in wide else BRITISH_NO
    assert decision("kites", "uk", general(wide), british(narrow)).overridden == ()


def test_the_general_rule_comes_after_the_conditions() -> None:
    demands = [british(f"Ads for kites must show the {what}.") for what in ("price", "string", "tail", "wind", "sky")]
    single = target("kites", "uk", general(NO), british(BRITISH_YES), *demands)
    found = compose(question("kites", "uk"), [single], ()).answer
    assert found is not None
    said = [each.text for each in found.statements]
    assert (len(said), said[0], said[-1]) == (5, BRITISH_YES, NO)


def test_a_rule_on_the_very_thing_wins_over_one_on_something_wider() -> None:
    wide, narrow = "Ads for alcohol are not allowed.", "Ads for beer are allowed."
    found = decision("beer", None, passage(wide, "Drinks"), passage(narrow, "Drinks", document_id="acme_beer"))
    assert [rule.unit.text for rule in found.deciding] == [narrow]
    assert [rule.unit.text for rule in found.overridden] == [wide]


def test_documents_that_contradict_each_other_are_both_quoted_with_their_days() -> None:
    many = [passage(f"Ads for kites are not allowed in the {where}.", "Kites") for where in ("park", "city", "sea")]
    other = passage(YES, "Kites", document_id="acme_other", title="Toys")
    answer = composed(*many, other)
    assert YES in {each.text for each in answer.statements}
    (notice,) = (each for each in answer.warnings if each.code is WarningCode.CONFLICT)
    assert notice.subjects == ("Advertising", "2026-01-01", "Toys", "2026-01-01")
