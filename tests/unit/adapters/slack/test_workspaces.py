"""Groups of many workspaces: each by its own token, and nothing of one in another."""

from collections.abc import AsyncIterator

import pytest

from bot.model.messages import Actor, Conversation
from ops.sandbox.slack import NO_LIMITS, SlackStandIn, slack_stand_in
from ops.sandbox.slack.people import BOT, Channel, User
from tests.fakes.directories import slack_directory
from tests.fakes.slack import FakeClock
from tests.fakes.slack_tokens import FakeTokens

ONE, TWO = "slack:T1/usergroup/S1", "slack:T2/usergroup/S1"
MEMBERS = frozenset({ONE, TWO})
TOKENS = {"T1": "xoxb-sandbox", "T2": "xoxb-two"}


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    async with slack_stand_in(clock=FakeClock(), limits=NO_LIMITS) as stand_in:
        two = stand_in.add_workspace("T2", token="xoxb-two")
        stand_in.workspace.usergroups["S1"] = frozenset({"U1"})
        two.people["U7"] = User("U7")
        two.usergroups["S1"] = frozenset({"U7", "U1"})
        for space in (stand_in.workspace, two):
            space.channels["G1"] = Channel("G1", "g1", frozenset({"U1", BOT}), is_private=True)
        yield stand_in


async def test_each_workspace_is_asked_with_its_own_token(slack: SlackStandIn) -> None:
    async with slack_directory(slack.api_url, 60.0, FakeTokens(**TOKENS)) as directory:
        assert await directory.of_person(Actor("slack", "T1", "U1"), MEMBERS) == {ONE}
        assert await directory.of_person(Actor("slack", "T2", "U7"), MEMBERS) == {TWO}
        assert await directory.of_person(Actor("slack", "T1", "U7"), MEMBERS) == frozenset()
        for team, held in (("T1", ONE), ("T2", TWO)):
            readers = await directory.of_each_reader(Conversation("slack", team, "G1"), MEMBERS)
            assert readers == frozenset({frozenset({held})})


async def test_what_is_kept_of_one_workspace_says_nothing_in_another(slack: SlackStandIn) -> None:
    """The same ids of person, group and channel, asked one after the other within the cache's time."""
    slack.world.workspaces["T2"].usergroups["S1"] = frozenset({"U7"})
    async with slack_directory(slack.api_url, 60.0, FakeTokens(**TOKENS)) as directory:
        assert await directory.of_person(Actor("slack", "T1", "U1"), MEMBERS) == {ONE}
        assert await directory.of_person(Actor("slack", "T2", "U1"), MEMBERS) == frozenset()


async def test_a_workspace_without_the_app_has_no_members_and_closes_no_other(slack: SlackStandIn) -> None:
    async with slack_directory(slack.api_url, 0.0, FakeTokens(T1="xoxb-sandbox")) as directory:
        assert await directory.empty(MEMBERS) == {TWO}
        assert await directory.of_person(Actor("slack", "T1", "U1"), MEMBERS) == {ONE}


async def test_another_workspaces_token_opens_nothing(slack: SlackStandIn) -> None:
    async with slack_directory(slack.api_url, 0.0, FakeTokens(T1="xoxb-two", T2="xoxb-two")) as directory:
        assert await directory.of_person(Actor("slack", "T1", "U1"), MEMBERS) == frozenset()
        assert await directory.of_each_reader(Conversation("slack", "T1", "G1"), MEMBERS) is None


async def test_an_organisations_token_is_for_its_own_workspaces(slack: SlackStandIn) -> None:
    grid = slack.add_workspace("T3", enterprise="E1")
    grid.usergroups["S1"] = frozenset({"U1"})
    slack.install_organisation("E1", "xoxb-org")
    tokens = FakeTokens(T1="xoxb-org", T3="xoxb-org")
    members = frozenset({ONE, "slack:T3/usergroup/S1"})
    async with slack_directory(slack.api_url, 0.0, tokens) as directory:
        assert await directory.of_person(Actor("slack", "T3", "U1"), members) == {"slack:T3/usergroup/S1"}
        assert await directory.of_person(Actor("slack", "T1", "U1"), members) == frozenset()
