"""What Slack sends of a click, taken apart; whatever else comes is refused."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.actions.clicks import Click, click_behind, click_of
from bot.model.messages import Actor
from rag_core.errors import Rejected

BODY: dict[str, Any] = {
    "team": {"id": "T1"},
    "user": {"id": "U1", "team_id": "T1"},
    "container": {"channel_id": "C1", "message_ts": "1.2", "is_ephemeral": False},
    "actions": [{"value": "a1"}],
    "response_url": "https://hooks.slack.com/actions/x",
    "trigger_id": "1.2.3",
}


def changed(**changes: Any) -> dict[str, Any]:
    return {**BODY, **changes}


def test_a_reply_of_its_own_begins_the_thread() -> None:
    assert click_of(BODY).answer_thread == "1.2"
    in_thread = changed(container={**BODY["container"], "thread_ts": "1.0"})
    assert click_of(in_thread).answer_thread == "1.0"
    assert click_of(changed(container={**BODY["container"], "is_ephemeral": True})).answer_thread == ""


@pytest.mark.parametrize(
    ("changes", "actor"),
    [
        ({}, Actor("slack", "T1", "U1")),
        ({"user": {"id": "U1", "team_id": "T9"}}, Actor("slack", "T9", "U1")),  # another company's, in a shared channel
        ({"user": {"id": "U1", "team_id": "T9"}, "enterprise": {"id": "E1"}}, Actor("slack", "T1", "U1")),
        ({"team": None}, Actor("slack", "T1", "U1")),  # installed for an organisation
    ],
)
def test_who_clicked_is_somebody_of_a_workspace(changes: dict[str, Any], actor: Actor) -> None:
    assert click_of(changed(**changes)).actor == actor


def test_the_option_of_a_menu_is_a_value() -> None:
    assert click_of(changed(actions=[{"selected_option": {"value": "a1/7"}}])).value == "a1/7"


@pytest.mark.parametrize(
    "changes", [{"user": {}}, {"container": {}}, {"team": None, "user": {"id": "U1"}}, {"user": "U1"}]
)
def test_without_who_and_where_it_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(Rejected, match="slack_field_missing"):
        click_of(changed(**changes))


def test_a_modal_brings_back_where_and_who_is_who_submits_it() -> None:
    metadata = click_of(BODY).as_metadata("a1")
    assert len(metadata) <= 3_000
    assert "1.2.3" not in metadata  # a trigger is used once
    body = {"team": {"id": "T1"}, "user": {"id": "U2", "team_id": "T1"}, "view": {"private_metadata": metadata}}
    click = click_behind(body)
    assert (click.user, click.channel, click.value) == ("U2", "C1", "a1")


def test_metadata_of_the_longest_fields_fit() -> None:
    longest = Click(*("x" * 500 for _ in range(11)))
    fields = {"team", "user", "channel", "user_team", "enterprise", "message", "thread", "ephemeral"}
    short = dict.fromkeys(fields, "x" * 30)
    assert len(Click(**short, response_url="x" * 500).as_metadata("x" * 100)) <= 3_000
    assert longest.value == "x" * 500


@pytest.mark.parametrize("metadata", ["", "[]", "{", json.dumps({"channel": 1}), json.dumps({"user": "U9"})])
def test_metadata_that_say_no_place_are_refused(metadata: str) -> None:
    with pytest.raises(Rejected, match="slack_field_missing"):
        click_behind({"team": {"id": "T1"}, "user": {"id": "U1"}, "view": {"private_metadata": metadata}})


def test_metadata_cannot_name_another_person() -> None:
    metadata = json.dumps({"channel": "C1", "user": "U9", "team": "T9", "enterprise": "E9"})
    body = {"team": {"id": "T1"}, "user": {"id": "U1", "team_id": "T1"}, "view": {"private_metadata": metadata}}
    click = click_behind(body)
    assert (click.team, click.user, click.enterprise) == ("T1", "U1", "")


_NAMES = st.sampled_from([*BODY, "id", "value"])
shapes = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*BODY, "view", "message", "channel"]), shapes))
def test_whatever_comes_is_a_click_or_refused(body: dict[str, Any]) -> None:
    for read in (click_of, click_behind):
        with contextlib.suppress(Rejected):
            assert read(body).channel
