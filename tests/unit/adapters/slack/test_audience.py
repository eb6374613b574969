"""Guests, strangers and shared channels: not answered, or from public documents only, also while Slack is down."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from adapters.slack.access import SlackAdmission, said_outside
from adapters.slack.addresses import SlackAddress
from adapters.slack.client import SlackClients
from adapters.slack.directory import SlackWorkspaces
from bot.model.messages import Actor, Conversation, ReplyAddress
from bot.model.outcomes import Admitted
from ops.sandbox.slack import NO_LIMITS, SlackStandIn, slack_stand_in
from ops.sandbox.slack.people import BOT, Channel, User
from ops.sandbox.troubles import Trouble
from tests.fakes.questions import make_question
from tests.fakes.slack import FakeClock, client
from tests.fakes.slack_tokens import FakeTokens

DOWN = ("auth.test", "users.info", "conversations.info")


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    async with slack_stand_in(clock=FakeClock(), limits=NO_LIMITS) as stand_in:
        yield stand_in


@asynccontextmanager
async def ruled(slack: SlackStandIn, **settings: Any) -> AsyncIterator[SlackAdmission]:
    async with client() as session:
        tokens = FakeTokens(T1="xoxb-sandbox", T9="xoxb-sandbox", E1="xoxb-org")
        workspaces = SlackWorkspaces(SlackClients(session, tokens, slack.api_url))
        yield SlackAdmission(workspaces.of, **settings)
        await workspaces.aclose()


def shared(slack: SlackStandIn, **facts: object) -> str:
    channel = "C7"
    slack.workspace.channels[channel] = Channel(channel, channel.lower(), frozenset({"U1", BOT}), sharing=facts)
    return channel


async def test_who_has_little_time_gets_the_rule_for_what_is_not_known(slack: SlackStandIn) -> None:
    async with ruled(slack) as rule:
        assert await rule("T1", "C1", "U4") is Admitted.NOT_TO_GUESTS
        for method in DOWN:
            slack.trouble(method, Trouble(delay=10), times=5)
        begun = time.monotonic()
        assert await rule("T1", "C1", "U1", seconds=0.05) is Admitted.PUBLIC_ONLY
        assert await rule("T1", "C1", "U4", seconds=0.05) is Admitted.NOT_TO_GUESTS  # he was known to be one
        assert time.monotonic() - begun < 5


async def test_a_member_in_a_channel_of_the_workspace_is_answered(slack: SlackStandIn) -> None:
    async with ruled(slack) as rule:
        assert await rule("T1", "C1", "U1") is Admitted.ALLOWED
        assert await rule("T1", "", "U1") is Admitted.ALLOWED


@pytest.mark.parametrize(
    "facts",
    [
        {"is_shared": True, "is_ext_shared": True},
        {"is_pending_ext_shared": True},
        {"pending_shared": ["T5"]},
        {"pending_connected_team_ids": ["T5"]},
        {"is_shared": True},
        {"is_global_shared": True},
    ],
)
async def test_a_channel_that_others_read_or_soon_could_is_not(slack: SlackStandIn, facts: dict[str, object]) -> None:
    channel = shared(slack, **facts)
    async with ruled(slack) as rule:
        assert await rule("T1", channel, "U1") is Admitted.NOT_HERE
    async with ruled(slack, external=True) as rule:
        assert await rule("T1", channel, "U1") is Admitted.PUBLIC_ONLY


async def test_a_channel_shared_within_ones_own_organisation_is(slack: SlackStandIn) -> None:
    channel = shared(slack, is_shared=True, is_org_shared=True)
    async with ruled(slack) as rule:
        assert await rule("T1", channel, "U1") is Admitted.ALLOWED


@pytest.mark.parametrize("user", ["U4", "U6", "U5", "U404"])
async def test_guests_strangers_and_those_slack_does_not_know_are_not(slack: SlackStandIn, user: str) -> None:
    async with ruled(slack) as rule:
        assert await rule("T1", "C1", user) is Admitted.NOT_TO_GUESTS
    async with ruled(slack, external=True) as rule:
        assert await rule("T1", "C1", user) is Admitted.PUBLIC_ONLY


async def test_a_token_of_another_workspace_makes_nobody_a_member(slack: SlackStandIn) -> None:
    async with ruled(slack) as rule:
        assert await rule("T9", "C1", "U1") is Admitted.NOT_TO_GUESTS


async def test_a_channel_that_the_bot_does_not_see_is_answered(slack: SlackStandIn) -> None:
    """Directories say for themselves that it is not known who reads it: there is nothing but public documents."""
    slack.workspace.channels["G8"] = Channel("G8", "g8", frozenset({"U1"}), is_private=True)
    async with ruled(slack) as rule:
        assert await rule("T1", "G8", "U1") is Admitted.ALLOWED


@pytest.mark.parametrize("external", [True, False])
async def test_while_slack_is_down_members_get_what_is_public(slack: SlackStandIn, external: bool) -> None:
    for method in DOWN:
        slack.trouble(method, Trouble(500), times=50)
    async with ruled(slack, external=external) as rule:
        assert await rule("T1", "C1", "U1") is Admitted.PUBLIC_ONLY


async def test_one_of_the_answers_missing_is_enough_for_public_only(slack: SlackStandIn) -> None:
    for method in ("users.info", "conversations.info"):
        slack.trouble(method, Trouble(500), times=1)
        async with ruled(slack) as rule:
            assert await rule("T1", "C1", "U1") is Admitted.PUBLIC_ONLY


async def test_who_was_outside_stays_so_while_slack_is_down(slack: SlackStandIn) -> None:
    channel = shared(slack, is_ext_shared=True)
    async with ruled(slack) as rule:
        assert await rule("T1", "C1", "U4") is Admitted.NOT_TO_GUESTS
        assert await rule("T1", channel, "U1") is Admitted.NOT_HERE
        for method in DOWN:
            slack.trouble(method, Trouble(500), times=50)
        assert await rule("T1", "C1", "U4") is Admitted.NOT_TO_GUESTS
        assert await rule("T1", channel, "U1") is Admitted.NOT_HERE


async def test_who_became_a_member_is_answered(slack: SlackStandIn) -> None:
    async with ruled(slack) as rule:
        assert await rule("T1", "C1", "U4") is Admitted.NOT_TO_GUESTS
        slack.workspace.people["U4"] = User("U4")
        assert await rule("T1", "C1", "U4") is Admitted.ALLOWED


@pytest.mark.parametrize(
    ("body", "outside"),
    [
        ({"is_ext_shared_channel": True, "event": {"user": "U1"}}, "channel"),
        ({"is_ext_shared_channel": False, "event": {"user": "U1", "user_team": "T1", "team": "T1"}}, ""),
        ({"event": {"user": "U1", "user_team": "T5"}}, "person"),
        ({"event": {"user": "U1", "source_team": "T5", "user_team": "T5"}}, "person"),
        ({"event": "no object"}, ""),
        ({}, ""),
    ],
)
def test_what_an_event_says_for_itself(body: dict[str, object], outside: str) -> None:
    assert said_outside(body, "T1") == outside


async def test_what_the_event_said_counts_without_slack_and_comes_with_the_question(slack: SlackStandIn) -> None:
    async with ruled(slack) as rule:
        for outside, expected in (("channel", Admitted.NOT_HERE), ("", Admitted.ALLOWED)):
            address = SlackAddress("T1", "C1", "U1", outside=outside).as_reply_address()
            assert await rule.of(_question(address)) is expected
        assert await rule("T1", "C1", "U2", outside="person") is Admitted.ALLOWED  # Slack says that he is one of ours
        slack.trouble("users.info", Trouble(500), times=2)
        assert await rule("T1", "C1", "U1", outside="person") is Admitted.NOT_TO_GUESTS
        assert await rule.of(_question(ReplyAddress("slack.response_url", {"team": "T1"}))) is Admitted.NOT_TO_GUESTS


async def test_the_organisation_of_the_address_finds_its_token(slack: SlackStandIn) -> None:
    grid = slack.add_workspace("T3", enterprise="E1")
    slack.install_organisation("E1", "xoxb-org")
    channel = next(iter(grid.channels))
    address = SlackAddress("T3", channel, "U1", enterprise="E1").as_reply_address()
    async with ruled(slack) as rule:
        question = make_question(
            actor=Actor("slack", "T3", "U1"), conversation=Conversation("slack", "T3", channel), reply_address=address
        )
        assert await rule.of(question) is Admitted.ALLOWED


def _question(address: ReplyAddress) -> Any:
    made: Callable[..., Any] = make_question
    return made(actor=Actor("slack", "T1", "U1"), conversation=Conversation("slack", "T1", "C1"), reply_address=address)
