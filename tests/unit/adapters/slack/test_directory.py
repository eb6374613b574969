"""Groups out of a pretended workspace that pages, asks for scopes and slows down as Slack does."""

from collections.abc import AsyncIterator

import pytest

from adapters.slack.directory import MOST_BOTS, MOST_READERS, SlackDirectory
from bot.model.messages import Actor, Conversation
from ops.sandbox.slack import SlackStandIn
from ops.sandbox.slack.people import BOT, Channel, User
from ops.sandbox.troubles import Trouble, rate_limited
from rag_core.errors import Unavailable
from tests.fakes.directories import slack_directory
from tests.fakes.slack import SIGNING_SECRET, FakeClock

GROUP, CHANNEL, USER = "slack:T1/usergroup/S1", "slack:T1/channel/G2", "slack:T1/user/U9"
MEMBERS = frozenset({GROUP, CHANNEL, USER, "slack:T2/usergroup/S1"})


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    stand_in = SlackStandIn("http://127.0.0.1:1", SIGNING_SECRET, clock=FakeClock())
    await stand_in.start()
    space = stand_in.workspace
    space.people |= {user: User(user) for user in ("U3", "U9")}
    space.usergroups["S1"] = frozenset({"U1", "U3"})
    add(stand_in, "G2", "U1", "U2", BOT)
    yield stand_in
    await stand_in.stop()


@pytest.fixture
async def directory(slack: SlackStandIn) -> AsyncIterator[SlackDirectory]:
    async with slack_directory(slack.api_url) as made:
        yield made


def add(slack: SlackStandIn, channel: str, *members: str, **facts: object) -> None:
    is_im = bool(facts.pop("is_im", False))
    is_private = bool(facts.pop("is_private", not is_im))
    slack.workspace.channels[channel] = Channel(
        channel, channel.lower(), frozenset(members), is_private=is_private, is_im=is_im, sharing=facts
    )


def known_as(slack: SlackStandIn, user: str, **facts: object) -> None:
    slack.workspace.people[user] = User(user, facts)


async def held_by(directory: SlackDirectory, user: str, team: str = "T1") -> frozenset[str]:
    return await directory.of_person(Actor("slack", team, user), MEMBERS)


async def held_in(directory: SlackDirectory, channel: str, team: str = "T1") -> set[frozenset[str]] | None:
    readers = await directory.of_each_reader(Conversation("slack", team, channel), MEMBERS)
    return None if readers is None else set(readers)


async def test_a_person_belongs_by_user_group_channel_or_himself(directory: SlackDirectory) -> None:
    assert await held_by(directory, "U1") == {GROUP, CHANNEL}
    assert await held_by(directory, "U2") == {CHANNEL}
    assert await held_by(directory, "U9") == {USER}
    assert await held_by(directory, "U404") == frozenset()


@pytest.mark.parametrize(
    "facts",
    [
        {"is_restricted": True},
        {"is_ultra_restricted": True},
        {"is_stranger": True},
        {"team_id": "T2"},
        {"deleted": True},
        {"is_bot": True},
    ],
)
async def test_guests_strangers_bots_and_those_who_left_belong_to_nothing(
    slack: SlackStandIn, directory: SlackDirectory, facts: dict[str, object]
) -> None:
    assert await held_by(directory, "U1") != frozenset()
    known_as(slack, "U1", **facts)
    assert await held_by(directory, "U1") == frozenset()


async def test_who_is_of_several_workspaces_of_a_grid_is_of_this_one(
    slack: SlackStandIn, directory: SlackDirectory
) -> None:
    known_as(slack, "U1", team_id="E1", enterprise_user={"teams": ["T7", "T1"]})
    assert await held_by(directory, "U1") == {GROUP, CHANNEL}
    known_as(slack, "U1", team_id="E1", enterprise_user={"teams": ["T7"]})
    assert await held_by(directory, "U1") == frozenset()


async def test_people_of_another_team_belong_to_nothing_of_this_one(directory: SlackDirectory) -> None:
    assert await held_by(directory, "U1", team="T2") == frozenset()
    assert await held_in(directory, "G2", team="T2") is None


async def test_members_of_a_workspace_that_the_token_does_not_belong_to_are_nobody(
    slack: SlackStandIn, directory: SlackDirectory
) -> None:
    slack.workspace.team = "T5"
    assert await held_by(directory, "U1") == frozenset()
    assert await held_in(directory, "G2") is None


async def test_long_lists_are_read_to_their_end(slack: SlackStandIn, directory: SlackDirectory) -> None:
    slack.lookups.page = 2
    add(slack, "G2", *(f"U{n}" for n in range(20, 29)), "U9", BOT)
    assert await held_by(directory, "U9") == {CHANNEL, USER}
    assert slack.api_calls.count("conversations.members") == 6


async def test_readers_of_a_private_channel_are_its_people(slack: SlackStandIn, directory: SlackDirectory) -> None:
    add(slack, "G5", "U1", "U3", BOT)
    assert await held_in(directory, "G5") == {frozenset({GROUP, CHANNEL}), frozenset({GROUP})}
    add(slack, "G5", "U1", "U3", "U9", BOT)
    assert await held_in(directory, "G5") == {frozenset({GROUP, CHANNEL}), frozenset({GROUP}), frozenset({USER})}


async def test_one_guest_or_one_unknown_reader_belongs_to_nothing(
    slack: SlackStandIn, directory: SlackDirectory
) -> None:
    add(slack, "G5", "U1", "U3", BOT)
    known_as(slack, "U3", is_ultra_restricted=True)  # though he is in the user group
    assert frozenset() in (await held_in(directory, "G5") or ())
    add(slack, "G5", "U1", "U77", BOT)
    assert frozenset() in (await held_in(directory, "G5") or ())


async def test_bots_do_not_count_as_readers(slack: SlackStandIn, directory: SlackDirectory) -> None:
    known_as(slack, "UAPP", is_bot=True)
    add(slack, "G5", "U1", "UAPP", BOT)
    assert await held_in(directory, "G5") == {frozenset({GROUP, CHANNEL})}


@pytest.mark.parametrize(
    "sharing",
    [
        {"is_private": False},
        {"is_ext_shared": True},
        {"is_org_shared": True},
        {"is_shared": True},
        {"is_pending_ext_shared": True},
        {"pending_shared": ["T2"]},
        {"pending_connected_team_ids": ["T2"]},
        {"shared_team_ids": ["T1", "T2"]},
        {"connected_team_ids": ["T2"]},
    ],
)
async def test_where_others_can_read_nobody_knows_who_does(
    slack: SlackStandIn, directory: SlackDirectory, sharing: dict[str, object]
) -> None:
    add(slack, "G5", "U1", BOT)
    assert await held_in(directory, "G5") is not None
    add(slack, "G5", "U1", BOT, **sharing)
    assert await held_in(directory, "G5") is None


async def test_a_direct_message_is_read_by_the_two_if_one_is_the_bot(
    slack: SlackStandIn, directory: SlackDirectory
) -> None:
    add(slack, "D1", "U1", BOT, is_im=True)
    add(slack, "D2", "U1", "U9", is_im=True)
    assert await held_in(directory, "D1") == {frozenset({GROUP, CHANNEL})}
    assert await held_in(directory, "D2") is None
    assert await held_in(directory, "G404") is None


async def test_too_many_readers_are_not_looked_at(slack: SlackStandIn, directory: SlackDirectory) -> None:
    crowd = [f"UX{n}" for n in range(MOST_READERS)]
    slack.workspace.usergroups["S1"] = frozenset(crowd) | {"U1"}
    add(slack, "G5", *crowd, "U1")
    assert await held_in(directory, "G5") is None
    add(slack, "G5", *crowd[: MOST_BOTS + 2], "U1", BOT)
    slack.workspace.usergroups["S1"] = frozenset({"U1"})
    slack.api_calls.clear()
    assert await held_in(directory, "G5") == {frozenset()}
    assert "users.info" not in slack.api_calls


async def test_slack_asking_for_a_moment_gets_it(slack: SlackStandIn, directory: SlackDirectory) -> None:
    slack.trouble("usergroups.users.list", rate_limited(0))
    assert await held_by(directory, "U1") == {GROUP, CHANNEL}
    slack.trouble("usergroups.users.list", rate_limited(60))
    with pytest.raises(Unavailable, match="directory_slow_down") as raised:
        await held_by(directory, "U1")
    assert raised.value.details["retry_after"] == 60.0


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        (Trouble(500), "directory_unreachable"),
        (Trouble(200, "internal_error"), "directory_refused"),
        (Trouble(200, "token_revoked"), "directory_refused"),
        (Trouble(200, "not_in_channel"), "directory_refused"),
        (Trouble(200, "fetch_members_failed"), "directory_refused"),
    ],
)
async def test_what_is_not_plainly_nobody_is_no_answer(
    slack: SlackStandIn, directory: SlackDirectory, trouble: Trouble, code: str
) -> None:
    slack.trouble("conversations.members", trouble, times=5)
    with pytest.raises(Unavailable, match=code):
        await held_by(directory, "U1")


async def test_a_missing_scope_is_named(slack: SlackStandIn, directory: SlackDirectory) -> None:
    slack.lookups.scopes.discard("usergroups:read")
    with pytest.raises(Unavailable, match="directory_refused") as raised:
        await held_by(directory, "U1")
    assert raised.value.details["error"] == "missing_scope"


async def test_a_user_group_or_channel_that_is_not_there_has_nobody(
    slack: SlackStandIn, directory: SlackDirectory
) -> None:
    del slack.workspace.usergroups["S1"]
    add(slack, "G2", "U1", "U2")  # and the bot is not in it any more
    assert await held_by(directory, "U1") == frozenset()
    assert await directory.empty(MEMBERS) == MEMBERS - {USER}


async def test_nobody_answering_is_no_answer() -> None:
    async with slack_directory("http://127.0.0.1:9/api/") as directory:
        with pytest.raises(Unavailable, match="directory_unreachable"):
            await held_by(directory, "U1")


async def test_lists_are_read_once_for_everybody_while_they_are_kept(slack: SlackStandIn) -> None:
    async with slack_directory(slack.api_url, keep_seconds=60) as directory:
        for user in ("U1", "U2", "U3", "U9"):
            await held_by(directory, user)
    assert slack.api_calls.count("usergroups.users.list") == slack.api_calls.count("conversations.members") == 1
    assert slack.api_calls.count("auth.test") == 1
