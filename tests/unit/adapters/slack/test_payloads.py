"""Whose an event, a click or a form is: the workspace where the app is installed, wherever it happened."""

from typing import Any

import pytest

from adapters.slack.access import said_outside
from adapters.slack.actions.clicks import click_of
from adapters.slack.messages import SlackMessage, happened
from adapters.slack.payloads import actor_of, departure, installed_in
from adapters.slack.shortcuts import sender
from bot.model.messages import Actor

OURS = {"enterprise_id": None, "team_id": "T1", "user_id": "UBOT", "is_bot": True, "is_enterprise_install": False}
THEIRS = {"team_id": "T5", "enterprise_id": "E5", "is_ext_shared_channel": True}
"""An event in a channel of several companies, which happened in the other one."""


@pytest.mark.parametrize(
    ("body", "team", "enterprise"),
    [
        ({"team_id": "T1"}, "T1", ""),
        ({"team_id": "T1", "enterprise_id": "E1"}, "T1", "E1"),
        ({**THEIRS, "authorizations": [OURS]}, "T1", ""),
        ({**THEIRS, "authorizations": [{**OURS, "enterprise_id": "E1"}]}, "T1", "E1"),
        ({"team_id": "T1", "authorizations": []}, "T1", ""),
        ({"team_id": "T1", "authorizations": "odd"}, "T1", ""),
        ({"team": {"id": "T1"}, "user": {"id": "U1", "team_id": "T5"}}, "T1", ""),
        ({"team": {"id": "T7", "enterprise_id": "E1"}, "user": {"team_id": "T8"}}, "T7", "E1"),
        (
            {"team": None, "enterprise": {"id": "E1"}, "is_enterprise_install": True, "user": {"team_id": "T8"}},
            "T8",
            "E1",
        ),
        ({"team": None, "user": {"id": "U1"}, "view": {"team_id": "T1"}}, "T1", ""),
        ({"team": {"id": "T5"}, "enterprise": {"id": "E5"}, "view": {"app_installed_team_id": "T1"}}, "T1", ""),
        ({"team": {"id": "T1"}, "enterprise": {"id": "E1"}, "view": {"app_installed_team_id": "T1"}}, "T1", "E1"),
        ({"team": {"id": "T7"}, "enterprise": None, "view": {"app_installed_team_id": "E1"}}, "T7", "E1"),
        ({"team": ["odd"], "user": "odd", "view": 7}, "", ""),
    ],
)
def test_the_workspace_is_that_of_the_installation(body: dict[str, Any], team: str, enterprise: str) -> None:
    assert installed_in(body)[:2] == (team, enterprise)


def test_every_kind_of_payload_is_read_by_it() -> None:
    event = {"type": "message", "channel": "C1", "user": "U5", "ts": "1.1", "text": "Beer?", "user_team": "T5"}
    message = happened({**THEIRS, "authorizations": [OURS], "event": event})
    assert isinstance(message, SlackMessage)
    assert (message.team, message.enterprise, message.outside) == ("T1", "", "channel")
    gone = departure({**THEIRS, "authorizations": [OURS], "event": {"type": "app_uninstalled"}})
    assert gone is not None
    assert (gone.team, gone.enterprise) == ("T1", "")
    view = {"app_installed_team_id": "T1"}
    by = {"team": {"id": "T5"}, "user": {"id": "U5", "team_id": "T5"}, "trigger_id": "1", "view": view}
    assert (sender(by).team, sender(by).outside) == ("T1", "person")
    click = click_of({**by, "channel": {"id": "C1"}, "actions": [{"value": "a1"}]})
    assert (click.team, click.outside) == ("T1", "person")


def test_an_edit_says_whose_its_writer_is() -> None:
    written = {"user": "U5", "ts": "1.1", "text": "Beer?", "user_team": "T5"}
    event = {
        "type": "message", "subtype": "message_changed", "channel": "C1",
        "message": {**written, "text": "Wine?"}, "previous_message": written,
    }  # fmt: skip
    found = happened({"team_id": "T1", "authorizations": [OURS], "event": event})
    assert found is not None
    assert not isinstance(found, SlackMessage)
    assert found.old.outside == "person"


@pytest.mark.parametrize(
    ("body", "outside"),
    [
        ({"team": {"id": "T1"}, "user": {"id": "U1", "team_id": "T1"}}, ""),
        ({"team": {"id": "T1"}, "user": {"id": "U5", "team_id": "T5"}}, "person"),
        ({"team": {"id": "T7"}, "enterprise": {"id": "E1"}, "user": {"id": "U8", "team_id": "T8"}}, ""),
        ({"team_id": "T7", "enterprise_id": "E1", "event": {"user_team": "E1", "team": "T7"}}, ""),
        ({"team_id": "T7", "enterprise_id": "E1", "event": {"user_team": "E5"}}, "person"),
    ],
)
def test_what_a_click_says_of_who_clicked(body: dict[str, Any], outside: str) -> None:
    assert said_outside(body, installed_in(body)[0]) == outside


def test_who_clicks_is_of_the_organisation_or_of_another_company() -> None:
    user = {"id": "U8", "team_id": "T8"}
    assert actor_of({"team": {"id": "T7"}, "enterprise": {"id": "E1"}, "user": user}) == Actor("slack", "T7", "U8")
    assert actor_of({"team": {"id": "T7"}, "user": user}) == Actor("slack", "T8", "U8")
    assert actor_of({"team": {"id": "T7"}, "user": {"id": "U7"}}) == Actor("slack", "T7", "U7")
