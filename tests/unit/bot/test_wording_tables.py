"""Sentences of what stands side by side."""

from dataclasses import replace
from datetime import date

import pytest

from bot import wording
from rag_core.answers import ChangedRule, Changes, DocumentList, ListedDocument, Verdict
from rag_core.policy_changes import Direction, RuleChangeKind
from tests.fakes import replies

NAMES = {"sample": "Sample Ads"}
MARCH, MAY = date(2026, 3, 1), date(2026, 5, 4)
RULE = replies.changed_rule()
NEW = replies.changed_rule(kind=RuleChangeKind.ADDED, whole_document=True)

GONE = replace(NEW, kind=RuleChangeKind.REMOVED)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (Changes(MARCH, MAY), "No change on record from 1 March 2026 to 4 May 2026"),
        (Changes(MARCH, MARCH, (RULE,)), "1 rule changed on 1 March 2026"),
        (Changes(MARCH, MAY, (RULE, NEW), 3), "5 rules changed from 1 March 2026 to 4 May 2026"),
        (Changes(MARCH, MAY, (NEW, NEW)), "No rule changed; 2 documents came on file from 1 March 2026 to 4 May 2026"),
        (Changes(MARCH, MARCH, (GONE, NEW)), "2 documents came or went on 1 March 2026"),
        (Changes(None, MAY, (NEW,)), "No change on record since the first version on file"),
        (Changes(None, MAY, (RULE,)), "1 rule changed on 15 January 2026, the latest change"),
        (Changes(None, MAY, (RULE, replace(RULE, changed_on=MARCH))), "2 rules changed until 4 May 2026"),
        # Those that are left out may be of earlier days: nothing is said of when they changed.
        (Changes(None, MAY, (RULE,), 69), "70 rules changed up to 15 January 2026, the latest change"),
        (Changes(MARCH, MAY, (), 1), "1 rule changed from 1 March 2026 to 4 May 2026"),
    ],
)
def test_headline_of_changes(changes: Changes, said: str) -> None:
    assert wording.headline(replies.changed(changes=changes)) == said


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (RULE, "15 January 2026 · changed, stricter · Sample Ads"),
        (replace(RULE, direction=Direction.LOOSER), "15 January 2026 · changed, less strict · Sample Ads"),
        (replace(RULE, direction=None), "15 January 2026 · changed · Sample Ads"),
        (
            replace(RULE, kind=RuleChangeKind.MOVED, moved_from="Alcohol > Beer", direction=None),
            "15 January 2026 · moved from “Beer” · Sample Ads",
        ),
        (NEW, "15 January 2026 · first version on file · Sample Ads"),
        (replace(NEW, kind=RuleChangeKind.REMOVED), "15 January 2026 · no longer in force · Sample Ads"),
    ],
)
def test_facts_of_a_change(rule: ChangedRule, said: str) -> None:
    assert wording.change_facts(rule, NAMES) == said


def test_what_was_not_there_is_said() -> None:
    assert wording.before_text(replace(RULE, before="")) == "Not in the version before"
    assert wording.before_text(replace(NEW, before="")) == "Not on file"
    assert wording.after_text(replace(RULE, after="")) == "No longer there"
    assert wording.change_lead_in(replace(RULE, lead_in="")) == ""


def test_nothing_changed_names_what_was_looked_at() -> None:
    scope = replies.scope(policy_sources=("sample",))
    found = Changes(MARCH, MAY, last_before=date(2026, 1, 15), looked_for=("beer", "wine"))
    assert wording.nothing_changed(found, scope, NAMES) == (
        "In the versions of Sample Ads on file no rule on “beer” and “wine” for ads in the United Kingdom changed "
        "from 1 March 2026 to 4 May 2026. The last change before that was on 15 January 2026."
    )
    plain = wording.nothing_changed(Changes(MARCH, MAY), replies.scope(regions=()), NAMES)
    assert plain == "In the versions on file no rule changed from 1 March 2026 to 4 May 2026."


def test_a_row_without_a_verdict_says_why() -> None:
    row = replies.comparison_row(verdict=None, conditions=())
    assert wording.row_gap(replace(row, citations=())) == "No rule found; that is not a permission"
    assert wording.row_gap(replace(row, not_stated=("beer", "wine"))) == "No verdict: “beer” or “wine” is not stated"
    assert wording.row_gap(row) == "No verdict: the rules are quoted below"
    assert wording.row_place(replace(row, region=None)) == "No place named"
    assert wording.row_platform(replace(row, policy_source=None), NAMES) == "Any platform"


def test_one_and_several() -> None:
    assert "one more place or platform" in wording.comparison_left_out(1)
    assert "2 more pairs" in wording.comparison_left_out(2)
    assert wording.changes_left_out(1).startswith("1 more change is")
    assert wording.documents_left_out(1).startswith("1 more document is")
    assert wording.documents_headline(DocumentList((), 1)) == "1 document on file"


def test_the_versions_of_a_document() -> None:
    answer = replies.documents()
    assert answer.documents is not None
    first, second = answer.documents.documents
    assert isinstance(first, ListedDocument)
    assert wording.document_versions(first) == "in force since 15 January 2026; version of 1 March 2025"
    assert wording.document_versions(second) == "in force since 15 January 2026; 7 older"


def test_a_comparison_keeps_the_headline_of_its_verdicts() -> None:
    assert wording.headline(replies.comparison()) == "Restricted in the United Kingdom"
    differing = (replies.place_verdict(Verdict.PROHIBITED, "de"), replies.place_verdict(Verdict.ALLOWED, "fr"))
    assert wording.headline(replies.comparison(verdicts=differing)) == "The verdict differs by place"
