"""What a conversation is called, as far as an activity says."""

from typing import Any

import pytest

from adapters.teams.addresses import TeamsPlace
from adapters.teams.conversations import known_of
from tests.fakes.teams import CHANNEL, GROUP_CHAT, TEAM, TEAM_THREAD, TENANT, activity
from tests.fakes.teams_answers import NOON

TWO_PEOPLE = "19:one_two@unq.gbl.spaces"


def in_channel(team: dict[str, Any], channel: dict[str, Any]) -> dict[str, Any]:
    of_team = {"id": TEAM_THREAD, "aadGroupId": TEAM, **team}
    return {"channelData": {"tenant": {"id": TENANT}, "team": of_team, "channel": channel}}


@pytest.mark.parametrize(
    ("where", "more", "name"),
    [
        (CHANNEL, in_channel({"name": "Ads"}, {"id": CHANNEL, "name": "Launch"}), "Ads › Launch"),
        (CHANNEL, in_channel({"name": "Ads"}, {"id": CHANNEL}), "Ads"),
        (CHANNEL, in_channel({"name": "Ads"}, {"id": "19:other", "name": "Other"}), "Ads"),
        (CHANNEL, in_channel({}, {"id": CHANNEL, "name": "Launch"}), "Launch"),
        (CHANNEL, in_channel({"name": 7}, {"id": CHANNEL, "name": None}), ""),
        (CHANNEL, in_channel({"name": "A\nd\u202es " + "x" * 300}, {"id": CHANNEL}), "A ds"),
        (GROUP_CHAT, {"conversation": {"id": GROUP_CHAT, "conversationType": "groupChat", "name": "Talk"}}, "Talk"),
        (GROUP_CHAT, {}, ""),
        ("", {"conversation": {"id": "a:1", "conversationType": "personal", "name": "Somebody"}}, ""),
    ],
)
def test_it_is_named_as_people_know_it(where: str, more: dict[str, Any], name: str) -> None:
    found = known_of(activity("hello", where=where, **more), NOON).name
    assert found.startswith(name) if name else found == ""
    assert len(found) <= 121


def test_a_chat_of_two_people_is_nobodys_chat_with_the_bot() -> None:
    two = {"conversation": {"id": TWO_PEOPLE, "conversationType": "personal"}}
    assert activity("x", where=TWO_PEOPLE, **two).place is TeamsPlace.GROUP
    assert activity("x").place is TeamsPlace.PERSONAL
