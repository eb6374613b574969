"""Channels, people and groups, as the bot may read them."""

import base64
from collections.abc import AsyncIterator

import pytest
from slack_sdk.errors import SlackApiError

from ops.sandbox.slack.people import BOT, Channel, User
from tests.fakes.slack_app import Met, code_of, met


@pytest.fixture
async def slack() -> AsyncIterator[Met]:
    async with met() as made:
        yield made


async def refused(slack: Met, method: str, **arguments: object) -> str:
    with pytest.raises(SlackApiError) as found:
        await slack.api.api_call(method, json=arguments)
    return code_of(found.value)


async def test_kinds_of_channels(slack: Met) -> None:
    person, workspace = slack.slack.person("U1"), slack.slack.workspace
    group = workspace.conversation(frozenset({BOT, "U1", "U2"})).channel_id
    shown = {}
    for channel in ("C1", "C3", "C4", person.direct.channel_id, group):
        found = (await slack.api.conversations_info(channel=channel))["channel"]
        flags = ("is_channel", "is_im", "is_mpim", "is_private", "is_archived", "is_ext_shared", "is_member")
        shown[channel] = {name for name in flags if found.get(name)}
    assert list(shown.values()) == [
        {"is_channel", "is_member"},
        {"is_channel", "is_archived", "is_member"},
        {"is_channel", "is_ext_shared", "is_member"},
        {"is_im"},
        {"is_mpim", "is_private", "is_member"},
    ]
    for method in ("conversations.info", "conversations.members", "conversations.history"):
        assert await refused(slack, method, channel="G1") == "channel_not_found"
    workspace.join("G1", BOT)
    assert (await slack.api.conversations_info(channel="G1"))["channel"]["is_private"] is True
    assert "num_members" not in (await slack.api.conversations_info(channel="C1"))["channel"]
    assert (await slack.api.conversations_info(channel="C1", include_num_members=True))["channel"]["num_members"] == 4


async def test_members_come_in_pages(slack: Met) -> None:
    members = frozenset({f"U{number:04d}" for number in range(250)} | {BOT})
    slack.slack.workspace.channels["C9"] = Channel("C9", "many", members)
    found: list[str] = []
    cursor = ""
    for expected in (100, 100, 51):
        page = await slack.api.conversations_members(channel="C9", cursor=cursor, limit=100)
        assert len(page["members"]) == expected
        found += page["members"]
        cursor = page["response_metadata"]["next_cursor"]
    assert (sorted(found), cursor) == (sorted(members), "")
    assert await refused(slack, "conversations.members", channel="C9", cursor="nonsense!") == "invalid_cursor"
    beyond = base64.b64encode(b"next:9999").decode()
    assert await refused(slack, "conversations.members", channel="C9", cursor=beyond) == "invalid_cursor"
    assert await refused(slack, "conversations.members", channel="C9", limit="many") == "invalid_limit"


async def test_history_and_threads(slack: Met) -> None:
    person = slack.slack.person("U1")
    first = await person.says("first")
    reply = await person.says("reply", thread_ts=first.ts)
    loud = await person.says("loud reply", thread_ts=first.ts, broadcast=True)
    last = await person.says("last")
    slack.slack.workspace.post("C1", BOT, "response_url", {"text": "only U1"}, visible_to="U1")
    history = (await slack.api.conversations_history(channel="C1"))["messages"]
    assert [each["ts"] for each in history] == [last.ts, loud.ts, first.ts]
    assert (history[2]["reply_count"], history[2]["latest_reply"]) == (2, loud.ts)
    assert history[1]["subtype"] == "thread_broadcast"
    for asked in (first.ts, reply.ts):
        thread = (await slack.api.conversations_replies(channel="C1", ts=asked))["messages"]
        assert [each["text"] for each in thread] == ["first", "reply", "loud reply"]
    page = await slack.api.conversations_replies(channel="C1", ts=first.ts, limit=2)
    assert (len(page["messages"]), page["has_more"]) == (2, True)
    after = await slack.api.conversations_history(channel="C1", oldest=first.ts)
    assert [each["ts"] for each in after["messages"]] == [last.ts, loud.ts]
    with_it = await slack.api.conversations_history(channel="C1", oldest=first.ts, inclusive=True)
    assert len(with_it["messages"]) == 3
    assert await refused(slack, "conversations.replies", channel="C1", ts="1.2") == "thread_not_found"
    assert await refused(slack, "conversations.history", channel="C1", oldest="soon") == "invalid_ts_oldest"
    assert await refused(slack, "conversations.history", channel="C2") == "not_in_channel"


async def test_opening_direct_messages(slack: Met) -> None:
    one = (await slack.api.conversations_open(users="U1"))["channel"]["id"]
    assert (await slack.api.conversations_open(users=["U1"]))["already_open"] is True
    assert one == slack.slack.person("U1").direct.channel_id
    assert (await slack.api.conversations_open(channel=one))["channel"]["id"] == one
    several = (await slack.api.conversations_open(users="U1,U2", return_im=True))["channel"]
    assert several["is_mpim"] is True
    for users, code in (
        ("", "users_list_not_supplied"),
        ("U99", "user_not_found"),
        ("U5", "user_disabled"),
        (BOT, "cannot_dm_bot"),
        (",".join(f"U{number}" for number in range(10)), "too_many_users"),
    ):
        assert await refused(slack, "conversations.open", users=users) == code


async def test_joining_tells_those_who_listen(slack: Met) -> None:
    await slack.slack.person("U1").invites_bot("C2")
    event = slack.app.last("member_joined_channel").event
    assert (event["user"], event["channel"], event["channel_type"]) == (BOT, "C2", "C")
    await slack.slack.person("U3").joins("C2")
    assert slack.app.last("member_joined_channel").event["user"] == "U3"


async def test_people(slack: Met) -> None:
    slack.slack.workspace.people["U7"] = User("U7", {"color": "red"}, is_ultra_restricted=True, team="T9")
    admin, guest, single, gone = [(await slack.api.users_info(user=each))["user"] for each in ("U3", "U4", "U7", "U5")]
    assert (admin["is_admin"], admin["is_owner"]) == (True, False)
    assert (guest["is_restricted"], guest["is_ultra_restricted"]) == (True, False)
    assert (single["is_restricted"], single["is_ultra_restricted"], single["is_stranger"]) == (True, True, True)
    assert single["color"] == "red"
    assert (gone["deleted"], "is_admin" in gone) == (True, False)
    assert (await slack.api.users_info(user=BOT))["user"]["is_bot"] is True
    assert await refused(slack, "users.info", user="U99") == "user_not_found"


async def test_groups(slack: Met) -> None:
    groups = slack.slack.workspace.usergroups
    groups["S2"] = frozenset({"U1"})
    slack.slack.workspace.disabled_usergroups.add("S2")
    found = (await slack.api.usergroups_list(include_users=True))["usergroups"]
    assert [(each["id"], each["users"]) for each in found] == [("S1", ["U2"])]
    assert len((await slack.api.usergroups_list(include_disabled=True))["usergroups"]) == 2
    assert (await slack.api.usergroups_users_list(usergroup="S1"))["users"] == ["U2"]
    groups["S1"] = frozenset({"U1", "U2"})
    assert (await slack.api.usergroups_users_list(usergroup="S1"))["users"] == ["U1", "U2"]
    assert await refused(slack, "usergroups.users.list", usergroup="S9") == "no_such_subteam"
    assert await refused(slack, "usergroups.users.list", usergroup="S2") == "subteam_disabled"


async def test_whose_token_it_is(slack: Met) -> None:
    found = await slack.api.auth_test()
    assert (found["user_id"], found["bot_id"]) == (BOT, "BBOT")


async def test_calls_are_kept_without_secrets(slack: Met) -> None:
    await slack.api.chat_postMessage(channel="C1", text="hi", token="xoxb-sandbox")
    await refused(slack, "chat.postMessage", channel="C9", text="hi")
    first, second = slack.slack.calls_of("chat.postMessage")
    assert (first.channel, first.error, first.at, first.team) == ("C1", "", slack.clock(), "T1")
    assert second.error == "channel_not_found"
    assert "xoxb" not in str(slack.slack.calls)
