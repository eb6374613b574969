"""Alerts in Slack: what they say, and that no document whatever can break a limit, a link or a mention."""

import json
from dataclasses import replace
from datetime import date
from typing import Any, cast

import pytest

from bot.alerts.changes import Told, ToldChange
from bot.model.links import Links
from bot.model.subscriptions import Rhythm, Subscription
from bot.render.slack.alert import slack_alert
from ops.sandbox.slack.block_kit import check_message
from rag_core.changes import diff
from rag_core.policy_changes import ChangeKind, Direction, PolicyChange, RuleChange, RuleChangeKind, SectionChange
from rag_core.questions import Filters
from tests.fakes import hostile, slack_limits
from tests.fakes.golden import golden_json
from tests.fakes.questions import NOON

LINKS = Links("https://bot.example", {"acme": "Acme Ads", "other": "Other Ads"})
TODAY = date(2026, 3, 2)
LINK = "https://ads.example/kites"
BEFORE = "## Kites\n\nAds for kites are allowed for people over 18.\n\n- Kites with blades\n\nKites need a licence."
AFTER = "## Kites\n\nAds for kites are allowed for people over 21.\n\n- Kites with lights\n\nKites need no licence."


def subscription(number: int = 1, **filters: tuple[str, ...]) -> Subscription:
    wanted = Filters(**filters)  # type: ignore[arg-type]
    return Subscription(f"s{number}", "slack", "T1", "C1", Rhythm.AT_ONCE, "", NOON, 0, wanted)


def change(sections: tuple[SectionChange, ...] | None = None, **facts: Any) -> PolicyChange:
    values: dict[str, Any] = {
        "kind": ChangeKind.CHANGED,
        "document_id": "acme_kites",
        "policy_source": "acme",
        "doc_id": "acme_kites_2026-03-01",
        "previous_doc_id": "acme_kites_2026-01-01",
        "changed_on": date(2026, 3, 1),
        "sections": diff(BEFORE, AFTER) if sections is None else sections,
        "title": "Kites and balloons",
        "change_id": 7,
    }
    return PolicyChange(**(values | facts))


def told_change(made: PolicyChange, regions: tuple[str, ...] = ("uk", "de")) -> ToldChange:
    return ToldChange(made, regions, LINK, tuple(LINK for _ in made.sections))


def told(*changes: PolicyChange, rhythm: str = "", left_out: int = 0) -> Told:
    return Told(tuple(map(told_change, changes)), (subscription(regions=("uk",)),), rhythm, left_out)


def message(what: Told) -> dict[str, Any]:
    found = cast(dict[str, Any], slack_alert(what, LINKS, TODAY, "/adpolicy"))
    for text in slack_limits.mrkdwn_texts(found):
        assert all(line.count("~") % 2 == 0 for line in text.splitlines()), "struck out by us, from end to end"
    assert slack_limits.violations(json.loads(json.dumps(found).replace("~", "")), (LINK,)) == []
    return found


def shown(found: dict[str, Any]) -> str:
    headers = [block["text"]["text"] for block in found["blocks"] if block["type"] == "header"]
    return "\n".join([*headers, *slack_limits.mrkdwn_texts(found)])


GONE = change((), kind=ChangeKind.REMOVED, changed_on=date(2026, 4, 1), previous_doc_id=None)
NEW = change((), kind=ChangeKind.ADDED, previous_doc_id=None, policy_source="other")


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("alert", told(change())),
        ("alert_new", told(NEW)),
        ("alert_gone", told(GONE)),
        ("digest", told(change(), NEW, GONE, rhythm="weekly")),
        ("together", told(change(), NEW, left_out=40)),
    ],
)
def test_what_was_agreed_on(name: str, what: Told) -> None:
    found = message(what)
    assert found == golden_json(f"slack/{name}", found)
    assert check_message(found) is None


def test_removed_and_added_words_are_marked_by_words_and_signs() -> None:
    said = shown(message(told(change())))
    assert "Before (struck out: removed): Ads for kites are allowed for people over ~18.~" in said
    assert "Now (bold: added): Ads for kites are allowed for people over *21.*" in said


@pytest.mark.parametrize(
    ("direction", "words"),
    [(Direction.STRICTER, "stricter"), (Direction.LOOSER, "looser"), (None, "stricter or looser: unclear")],
)
def test_the_direction_is_said_in_words_and_never_guessed(direction: Direction | None, words: str) -> None:
    rule = RuleChange(RuleChangeKind.ADDED, "", "Ask the desk.", direction=direction)
    found = message(told(change((SectionChange(("Kites",), (rule,), 0, "s"),))))
    assert words in shown(found)
    assert words in found["text"]
    if direction is None:
        assert "▲" not in shown(found)


def test_rules_of_both_directions_are_said_to_be_partly_so() -> None:
    rules = tuple(
        RuleChange(RuleChangeKind.ADDED, "", f"Rule {n}.", direction=each)
        for n, each in enumerate((Direction.STRICTER, Direction.LOOSER, None))
    )
    said = shown(message(told(change((SectionChange((), rules),)))))
    assert "partly ▲ stricter and ▽ looser, partly unclear" in said


def test_what_does_not_fit_is_counted() -> None:
    rules = tuple(RuleChange(RuleChangeKind.REMOVED, f"Rule {n}: " + "never say so. " * 80, "") for n in range(60))
    found = message(told(change((SectionChange(("Kites",), rules),))))
    assert "more changed rules: open the document" in shown(found)


def test_a_digest_of_hundreds_keeps_the_limits_and_counts_the_rest() -> None:
    many = [replace(change(), title=f"Document {n} " + "x" * 200, change_id=n) for n in range(60)]
    found = message(told(*many, rhythm="daily", left_out=400))
    assert "Today's digest: 460 policy changes" in shown(found)
    assert "more changes are not shown here" in shown(found)


@pytest.mark.parametrize("text", [*hostile.ATTACKS, "&" * 3000, "*" * 2000, "~x~ " * 200])
def test_nothing_in_a_document_reaches_anybody_or_formats_anything(text: str) -> None:
    rules = (
        RuleChange(RuleChangeKind.CHANGED, f"{text} one", f"{text} two", (), f"{text}:"),
        RuleChange(RuleChangeKind.MOVED, text, text, moved_from=(text,)),
        RuleChange(RuleChangeKind.ADDED, "", text),
        RuleChange(RuleChangeKind.REMOVED, text, ""),
    )
    made = change((SectionChange((text,), rules, 0, text),), title=text)
    for what in (told(made), told(made, made, rhythm="daily")):
        assert check_message(message(what)) is None


def test_the_button_ends_the_subscriptions_that_it_was_told_for() -> None:
    what = replace(told(change()), subscriptions=(subscription(1), subscription(2)))
    [actions] = [block for block in message(what)["blocks"] if block["type"] == "actions"]
    assert actions["elements"][0]["value"] == "s1,s2"
    assert "confirm" in actions["elements"][0]
