"""Alerts, escalations and people's answers as cards: what Slack's messages say, within Teams' limits, whatever is in
them."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from adapters.local.signing import CardSigning
from adapters.teams.delivery.signed_cards import signed_card
from bot.commands.settings import SettingsOffer, places, read_places, written
from bot.model.channels import ChannelPreferences
from bot.people.escalations import ActKind, AskedPlace, EscalationState, EscalationView
from bot.render.slack import escalation as slack_escalation
from bot.render.slack.alert import slack_alert
from bot.render.teams import escalation as teams_escalation
from bot.render.teams.alert import teams_alert
from bot.render.teams.elements import card
from bot.render.teams.people import PERSON, answer_form, ask_form, curated_form
from bot.render.teams.settings import TeamsSettingsForm, settings_form, settings_to_look_at
from ops.sandbox.teams.cards import check_card
from ops.sandbox.teams.checks import check_message
from ops.sandbox.teams.world import PlaceKind
from rag_core.policy_changes import Direction, RuleChange, RuleChangeKind, SectionChange
from tests.fakes.curated import curated
from tests.fakes.hostile import ATTACKS
from tests.fakes.teams_readable import weight, words_in_slack, words_in_teams
from tests.unit.bot.test_render_slack_alert import GONE, LINKS, NEW, TODAY, change, told
from tests.unit.bot.test_render_slack_escalation import ASKED, ENDLESS, REPLY, VIEW

KEY = "k" * 43 + "="
MOST = 80_000
PLACE = AskedPlace("teams", "T", "C", "00000001-0000-0000-0000-000000000000", people_in="D")
CHANNEL = "33333333-3333-3333-3333-333333333333/19:ads@thread.tacv2"
HERE = replace(ASKED, place=PLACE)


def checked(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """As Teams takes it, with what is signed."""
    found = signed_card(message, CardSigning([KEY]), "19:ads@thread.tacv2")
    check_message(found, PlaceKind.CHANNEL)
    assert weight(found) < MOST
    return found


@pytest.mark.parametrize(
    "what",
    [
        told(change()),
        told(NEW),
        told(GONE),
        told(change(), NEW, GONE, rhythm="weekly"),
        told(change(), NEW, left_out=40),
    ],
    ids=["changed", "new", "gone", "digest", "together"],
)
def test_an_alert_says_in_teams_what_it_says_in_slack(what: Any) -> None:
    slack = words_in_slack(slack_alert(what, LINKS, TODAY, "/adpolicy"))
    there = replace(what, subscriptions=tuple(replace(each, channel=CHANNEL) for each in what.subscriptions))
    teams = words_in_teams(checked(teams_alert(there, LINKS, TODAY)))
    assert slack - teams == set()
    assert teams - slack == set()


def test_removed_and_added_words_are_marked_by_words_and_looks() -> None:
    card_ = str(checked(teams_alert(told(change()), LINKS, TODAY)))
    assert "'text': '18.', 'strikethrough': True" in card_
    assert "'text': '21.', 'weight': 'Bolder'" in card_
    assert "Before (struck out: removed)" in card_
    assert "Now (bold: added)" in card_


def test_what_does_not_fit_is_counted_and_the_card_stays_small() -> None:
    rules = tuple(RuleChange(RuleChangeKind.REMOVED, f"Rule {n}: " + "ne\U0001f600er " * 300, "") for n in range(60))
    found = checked(teams_alert(told(change((SectionChange(("Kites",), rules),))), LINKS, TODAY))
    assert "more changed rules: open the document" in str(found)
    many = told(*(change(title="Long " * 200) for _ in range(60)), rhythm="daily")
    assert "35 more changes are not shown here" in str(checked(teams_alert(many, LINKS, TODAY)))


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_of_a_document_or_a_person_does_anything(attack: str) -> None:
    rule = RuleChange(
        RuleChangeKind.CHANGED, f"{attack} a", f"{attack} b", direction=Direction.STRICTER, lead_in=attack
    )
    alert = checked(teams_alert(told(change((SectionChange((attack,), (rule,)),), title=attack)), LINKS, TODAY))
    view = replace(VIEW, question=attack, statements=(attack,))
    asked = checked(teams_escalation.escalation_message(replace(HERE, note=attack), view, {}))
    answer = checked(teams_escalation.persons_answer_message(HERE, replace(REPLY, text=attack), attack))
    for message in (alert, asked, answer):
        for text in _markdown(message):
            assert not re.search(r"\]\(https?://evil|<(?:at|https?|!)|(?<!\u2060)https?://evil", text), text


def _markdown(message: Mapping[str, Any]) -> list[str]:
    """Texts that are read as Markdown."""
    found: list[str] = []

    def walk(value: object) -> None:
        if isinstance(value, Mapping):
            if value.get("type") == "TextBlock":
                found.append(str(value["text"]))
            for each in value.values():
                walk(each)
        elif isinstance(value, list):
            for each in value:
                walk(each)

    walk(message)
    return found


def test_an_escalation_says_in_teams_what_it_says_in_slack() -> None:
    """Beside how it is answered, which is not the same."""
    for state in (EscalationState.CLAIMED, EscalationState.ANSWERED):
        found = replace(ASKED, state=state, acts=(replace(REPLY, kind=ActKind(state.value)),))
        slack = words_in_slack(slack_escalation.escalation_message(found, VIEW, {"acme": "Acme Ads"}))
        teams_message = teams_escalation.escalation_message(replace(found, place=PLACE), VIEW, {"acme": "Acme Ads"})
        teams = words_in_teams(checked(without_people(teams_message)))
        assert slack - teams <= {"replies", "of", "this", "person", "in", "the", "thread", "go", "back", "to"}
        assert teams - slack <= {"answer", "what", "answers", "goes", "subteam"}


def without_people(message: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PERSON.sub("", json.dumps(message, ensure_ascii=False)))
    return found


def test_a_persons_answer_says_in_teams_what_it_says_in_slack() -> None:
    for question in ("", "Can I advertise wine?"):
        slack = words_in_slack(slack_escalation.persons_answer_message(ASKED, REPLY, question))
        teams = words_in_teams(checked(without_people(teams_escalation.persons_answer_message(HERE, REPLY, question))))
        assert slack - teams == set()
        # "channel" is a call in Slack; what is saved in Teams is a draft, and its button says so
        assert teams - slack <= {"channel", "draft", "of", "an"}
    slack = words_in_slack(slack_escalation.suspended_message(curated()))
    assert words_in_teams(checked(teams_escalation.suspended_message(curated()))) == slack


def test_who_may_still_do_something_has_a_button_for_it() -> None:
    def titles(message: Mapping[str, Any]) -> list[str]:
        return [each["title"] for each in message["attachments"][0]["content"].get("actions", ())]

    assert titles(teams_escalation.escalation_message(HERE, VIEW, {})) == ["I answer this", "Answer"]
    claimed = replace(HERE, state=EscalationState.CLAIMED)
    assert titles(teams_escalation.escalation_message(claimed, VIEW, {})) == ["Answer"]
    assert titles(teams_escalation.persons_answer_message(HERE, REPLY)) == ["Save as draft of an approved answer"]
    addition = replace(HERE, acts=(replace(REPLY, act_id="m0"), REPLY))
    assert titles(teams_escalation.persons_answer_message(addition, REPLY)) == []


def test_no_escalation_is_too_big() -> None:
    huge = replace(HERE, note="\U0001f600 " * 5_000)
    checked(teams_escalation.escalation_message(huge, ENDLESS, {}))
    checked(teams_escalation.persons_answer_message(huge, replace(REPLY, text="x\n" * 1_500), "y" * 9_000))
    gone = checked(teams_escalation.escalation_message(HERE, EscalationView(""), {}))
    assert "not kept any more" in str(gone)


def test_names_are_marked_where_nothing_that_others_wrote_can_be() -> None:
    forged = "\ue00000000009-0000-0000-0000-000000000000\ue001C\ue002"
    message = teams_escalation.escalation_message(replace(HERE, note=forged), replace(VIEW, question=forged), {})
    assert {each[1] for each in PERSON.finditer(str(message).encode().decode())} <= {PLACE.person}
    assert "00000009-0000-0000-0000-000000000000\ue001" not in repr(message).encode().decode("unicode_escape")


def test_forms_are_cards_as_the_schema_has_them_and_keep_what_was_typed() -> None:
    typed = {"note": "N", "reply": "R", "questions": "Q", "sources": "1", "verdict": "allowed"}
    for form in (
        ask_form("a1", "17"),
        ask_form("a1", "17", typed, "Not kept."),
        answer_form("e1", "f1", "Why?", typed, "Not kept."),
        curated_form("e1", VIEW, REPLY),
        curated_form("e1", ENDLESS, REPLY, typed, "Pick a source."),
    ):
        check_card(form)
        assert weight(form) < MOST
    assert "**Question:** Why?" in str(answer_form("e1", "f1", "Why?"))  # not "your question": it is the asker's
    again = str(curated_form("e1", VIEW, REPLY, typed, "Pick a source."))
    assert "Pick a source." in again
    assert "'value': 'allowed'" in again
    check_card(card([]))


def test_settings_are_a_form_or_are_looked_at() -> None:
    offer = SettingsOffer(ChannelPreferences(("uk", "us-tx"), ("acme",)), {"acme": "Acme Ads", "b": "B"})
    form = TeamsSettingsForm(offer, people=[("p1", "Person 1")], errors={"places": "Not known."}, asked="Desk")
    for made in (settings_form(form), settings_to_look_at(form), settings_form(replace(form, people=None))):
        check_card(made)
    assert "⚠ Not known." in str(settings_form(form)).replace("\u2060", "")
    look = str(settings_to_look_at(form))
    for part in ("United Kingdom", "Texas", "Acme Ads", "Desk", "Owners of the team can change them"):
        assert part in look, part
    assert "Action.Submit" not in look


def test_every_place_that_is_shown_can_be_typed_again() -> None:
    for each in places():
        assert read_places(written([each])) == ([each], "")
    assert read_places("UK, germany; us-tx\nGB") == (["uk", "de", "us-tx"], "")
    assert read_places("uk, Atlantis") == (["uk"], "Atlantis")
