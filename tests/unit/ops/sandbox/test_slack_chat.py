"""chat.*: what is posted, changed and removed, and what is refused."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from slack_sdk.errors import SlackApiError

from ops.sandbox.slack import EVERY_SCOPE, Limits
from ops.sandbox.slack.grants import Grant
from ops.sandbox.slack.people import BOT
from tests.fakes.slack_app import ALL, Met, code_of, met

pytestmark = pytest.mark.filterwarnings("ignore:.*text.* argument is missing:UserWarning")
METADATA = {"event_type": "question", "event_payload": {"id": "q-1"}}
DIVIDER = [{"type": "divider"}]


@pytest.fixture
async def slack() -> AsyncIterator[Met]:
    async with met() as made:
        yield made


async def refused(slack: Met, method: str, **arguments: object) -> str:
    with pytest.raises(SlackApiError) as found:
        await slack.api.api_call(method, json=arguments)
    return code_of(found.value)


async def posted(slack: Met, **arguments: object) -> str:
    answer = await slack.api.api_call("chat.postMessage", json={"channel": "C1", "text": "hi", **arguments})
    return str(answer["ts"])


async def test_metadata_comes_back_where_it_is_asked_for(slack: Met) -> None:
    ts = await posted(slack, metadata=json.dumps(METADATA))
    for asked, expected in ((True, METADATA), (False, None)):
        [found] = (await slack.api.conversations_history(channel="C1", include_all_metadata=asked))["messages"]
        assert (found["ts"], found.get("metadata")) == (ts, expected)


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        ("text", "invalid_metadata_format"),
        ({"event_type": "x"}, "invalid_metadata_schema"),
        ({"event_payload": {}}, "invalid_metadata_schema"),
        ({"event_type": "x", "event_payload": {"a": "x" * 9000}}, "metadata_too_large"),
    ],
)
async def test_metadata_that_is_none(slack: Met, metadata: object, code: str) -> None:
    assert await refused(slack, "chat.postMessage", channel="C1", text="hi", metadata=metadata) == code


async def test_blocks_are_refused_with_their_places(slack: Met) -> None:
    wrong = [{"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}]
    with pytest.raises(SlackApiError) as found:
        await slack.api.chat_postMessage(channel="C1", text="hi", blocks=wrong)
    answer = found.value.response
    assert answer["error"] == "invalid_blocks"
    assert answer["response_metadata"]["messages"] == [
        "[ERROR] must be less than 151 characters [json-pointer:/blocks/0/text/text]"
    ]


async def test_a_channel_may_be_named_or_be_a_person(slack: Met) -> None:
    assert (await slack.api.chat_postMessage(channel="#ads-policy", text="x"))["channel"] == "C1"
    direct = (await slack.api.chat_postMessage(channel="U1", text="x"))["channel"]
    assert direct == slack.slack.person("U1").direct.channel_id
    assert slack.slack.person("U2").sees(direct) == []
    assert await refused(slack, "chat.postMessage", channel="U5", text="to the deleted") == "channel_not_found"
    assert await refused(slack, "chat.postMessage", text="to nobody") == "invalid_arguments"


async def test_posting_where_one_is_not_needs_a_scope_of_its_own(slack: Met) -> None:
    slack.slack.world.grants.add(Grant("xoxb-public", "T1", EVERY_SCOPE | {"chat:write.public"}))
    assert await refused(slack, "chat.postMessage", channel="C2", text="x") == "not_in_channel"
    await slack.client_of("xoxb-public").chat_postMessage(channel="C2", text="x")
    with pytest.raises(SlackApiError, match="channel_not_found"):
        await slack.client_of("xoxb-public").chat_postMessage(channel="G1", text="x")


async def test_no_message_reaches_a_closed_messages_tab() -> None:
    async with met(replace(ALL, has_messages_tab=False)) as slack:
        assert await refused(slack, "chat.postMessage", channel="U1", text="x") == "messages_tab_disabled"


async def test_markdown_text_stands_alone(slack: Met) -> None:
    ts = await posted(slack, text=None, markdown_text="**bold**")
    message = slack.slack.workspace.find("C1", ts)
    assert message is not None
    assert message.blocks == [{"type": "markdown", "text": "**bold**"}]
    both = {"channel": "C1", "text": "x", "markdown_text": "y"}
    assert await refused(slack, "chat.postMessage", **both) == "markdown_text_conflict"
    assert await refused(slack, "chat.postMessage", channel="C1", markdown_text="x" * 12_001) == "msg_too_long"


async def test_an_ephemeral_message_is_for_one_who_is_there(slack: Met) -> None:
    answer = await slack.api.chat_postEphemeral(channel="C1", user="U1", text="only you")
    assert [each.text for each in slack.slack.person("U1").ephemeral()] == ["only you"]
    assert slack.slack.person("U2").sees() == []
    ts = answer["message_ts"]
    assert await refused(slack, "chat.update", channel="C1", ts=ts, text="x") == "message_not_found"
    assert await refused(slack, "chat.postMessage", channel="C1", text="x", thread_ts=ts) == "cannot_reply_to_message"
    assert await refused(slack, "chat.postEphemeral", channel="C1", user="U4", text="x") == "user_not_in_channel"
    assert await refused(slack, "chat.postEphemeral", channel="C2", user="U1", text="x") == "not_in_channel"
    assert await refused(slack, "chat.postEphemeral", channel="C1", user="U1") == "no_text"


async def test_an_update_keeps_what_it_does_not_mention(slack: Met) -> None:
    ts = await posted(slack, blocks=DIVIDER, metadata=METADATA)
    await slack.api.chat_update(channel="C1", ts=ts, text="new")
    message = slack.slack.workspace.find("C1", ts)
    assert message is not None
    assert (message.text, message.blocks, message.metadata) == ("new", DIVIDER, METADATA)
    assert message.edited is not None
    assert message.edited[0] == BOT
    await slack.api.chat_update(channel="C1", ts=ts, text="new", blocks=[])
    message = slack.slack.workspace.find("C1", ts)
    assert message is not None
    assert message.blocks == []


async def test_what_an_update_refuses(slack: Met) -> None:
    ts = await posted(slack)
    theirs = (await slack.slack.person("U1").says("mine")).ts
    update = {"channel": "C1", "ts": ts}
    assert await refused(slack, "chat.update", **update) == "no_text"
    assert await refused(slack, "chat.update", **update, text="x" * 4001) == "msg_too_long"
    assert await refused(slack, "chat.update", channel="C1", ts=theirs, text="x") == "cant_update_message"
    assert await refused(slack, "chat.update", channel="C1", ts="1.2", text="x") == "message_not_found"
    assert await refused(slack, "chat.update", **update, text="x", blocks=[{"type": "x"}]) == "invalid_blocks"
    channels = slack.slack.workspace.channels
    channels["C1"] = replace(channels["C1"], is_archived=True)
    assert await refused(slack, "chat.update", **update, text="x") == "is_inactive"


async def test_a_reply_may_be_shown_to_the_channel_as_well(slack: Met) -> None:
    parent = await posted(slack)
    quiet, loud = await posted(slack, thread_ts=parent), await posted(slack, thread_ts=parent, reply_broadcast=True)
    history = (await slack.api.conversations_history(channel="C1"))["messages"]
    assert [each["ts"] for each in history] == [loud, parent]
    assert [each.ts for each in slack.slack.messages_in("C1", parent)] == [parent, quiet, loud]


async def test_one_message_a_second_a_channel() -> None:
    seconds = [0.0]
    async with met(limits=Limits(), monotonic=lambda: seconds[0]) as slack:
        await posted(slack)
        with pytest.raises(SlackApiError) as found:
            await posted(slack)
        assert (found.value.response.status_code, found.value.response.headers["Retry-After"]) == (429, "1")
        await posted(slack, channel="C4")
        seconds[0] = 1.0
        await posted(slack)
        assert len(slack.slack.messages) == 3


async def test_a_burst_may_be_allowed() -> None:
    async with met(limits=replace(Limits(), post_burst=3), monotonic=lambda: 0.0) as slack:
        for _ in range(3):
            await posted(slack)
        assert await refused(slack, "chat.postMessage", channel="C1", text="x") == "ratelimited"


async def test_methods_have_tiers() -> None:
    seconds = [0.0]
    async with met(limits=Limits().but(chat_update=2), monotonic=lambda: seconds[0]) as slack:
        ts = await posted(slack)
        for _ in range(2):
            await slack.api.chat_update(channel="C1", ts=ts, text="x")
        seconds[0] = 20.0
        with pytest.raises(SlackApiError) as found:
            await slack.api.chat_update(channel="C1", ts=ts, text="x")
        assert found.value.response.headers["Retry-After"] == "40"
        seconds[0] = 60.0
        await slack.api.chat_update(channel="C1", ts=ts, text="x")
        for _ in range(20):
            await slack.api.usergroups_list()
        with pytest.raises(SlackApiError, match="ratelimited"):
            await slack.api.usergroups_list()
