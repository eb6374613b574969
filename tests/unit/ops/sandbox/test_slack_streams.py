"""Messages that grow while they are read."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError

from ops.sandbox.slack.workspace import Message
from ops.sandbox.troubles import slow
from tests.fakes.slack_app import Met, code_of, met

METADATA = {"event_type": "question", "event_payload": {"id": "q-1"}}
FOR = {"recipient_team_id": "T1", "recipient_user_id": "U1"}


@pytest.fixture
async def slack() -> AsyncIterator[Met]:
    async with met() as made:
        yield made


async def refused(slack: Met, method: str, **arguments: object) -> str:
    with pytest.raises(SlackApiError) as found:
        await slack.api.api_call(method, json=arguments)
    return code_of(found.value)


async def started(slack: Met, text: str = "One.") -> str:
    parent = await slack.slack.person("U1").mentions("a question")
    answer = await slack.api.chat_startStream(
        channel="C1", thread_ts=parent.ts, markdown_text=text, recipient_team_id="T1", recipient_user_id="U1"
    )
    return str(answer["ts"])


def message(slack: Met, ts: str) -> Message:
    found = slack.slack.workspace.find("C1", ts)
    assert found is not None
    return found


async def test_a_stream_from_start_to_end(slack: Met) -> None:
    ts = await started(slack)
    assert message(slack, ts).is_streaming
    await slack.api.chat_appendStream(channel="C1", ts=ts, markdown_text=" Two.")
    await slack.api.chat_appendStream(channel="C1", ts=ts, markdown_text=" Three.")
    over = {"channel": "C1", "ts": ts, "markdown_text": "x" * 11_995}
    assert await refused(slack, "chat.appendStream", **over) == "msg_too_long"
    blocks = [{"type": "divider"}]
    await slack.api.chat_stopStream(channel="C1", ts=ts, markdown_text=" End.", blocks=blocks, metadata=METADATA)
    found = message(slack, ts)
    assert (found.text, found.is_streaming, found.metadata) == ("One. Two. Three. End.", False, METADATA)
    assert found.blocks == [{"type": "markdown", "text": "One. Two. Three. End."}, {"type": "divider"}]
    for method in ("chat.appendStream", "chat.stopStream"):
        assert await refused(slack, method, channel="C1", ts=ts, markdown_text="x") == "message_not_in_streaming_state"


async def test_a_stream_expires_and_is_mended_by_an_update(slack: Met) -> None:
    ts = await started(slack)
    assert await refused(slack, "chat.update", channel="C1", ts=ts, text="x") == "streaming_state_conflict"
    slack.clock.move(minutes=5)
    await slack.api.chat_appendStream(channel="C1", ts=ts, markdown_text=" Two.")
    slack.clock.move(seconds=1)
    append = {"channel": "C1", "ts": ts, "markdown_text": "x"}
    assert await refused(slack, "chat.appendStream", **append) == "message_not_in_streaming_state"
    assert await refused(slack, "chat.stopStream", **append) == "message_not_in_streaming_state"
    await slack.api.chat_update(channel="C1", ts=ts, text="All of it.", blocks=[])
    assert (message(slack, ts).text, message(slack, ts).is_streaming) == ("All of it.", False)


async def test_in_a_channel_slack_wants_to_know_for_whom(slack: Met) -> None:
    start = {"channel": "C1", "thread_ts": "1.2", "markdown_text": "x"}
    assert await refused(slack, "chat.startStream", **start) == "missing_recipient_team_id"
    assert await refused(slack, "chat.startStream", **start, recipient_team_id="T1") == "missing_recipient_user_id"
    unknown = {"recipient_team_id": "T1", "recipient_user_id": "U99"}
    assert await refused(slack, "chat.startStream", **start, **unknown) == "user_not_found"
    direct = slack.slack.person("U1").direct.channel_id
    await slack.api.chat_startStream(channel=direct, thread_ts="1.2", markdown_text="x")
    assert await refused(slack, "chat.startStream", channel=direct, markdown_text="x") == "invalid_arguments"


async def test_what_a_stream_refuses(slack: Met) -> None:
    ts = await started(slack)
    theirs = (await slack.slack.person("U1").says("mine")).ts
    append = {"channel": "C1", "ts": ts}
    assert await refused(slack, "chat.appendStream", **append) == "no_text"
    assert await refused(slack, "chat.appendStream", **append, markdown_text="x" * 12_001) == "msg_too_long"
    assert await refused(slack, "chat.appendStream", channel="C1", ts="1.2", markdown_text="x") == "message_not_found"
    wrong = {"channel": "C1", "ts": theirs, "markdown_text": "x"}
    assert await refused(slack, "chat.appendStream", **wrong) == "message_not_owned_by_app"
    assert await refused(slack, "chat.stopStream", **append, blocks=[{"type": "x"}]) == "invalid_blocks"
    assert message(slack, ts).is_streaming
    channels = slack.slack.workspace.channels
    channels["C1"] = replace(channels["C1"], is_archived=True)
    assert await refused(slack, "chat.appendStream", **append, markdown_text="x") == "is_archived"


async def test_two_writers_are_noticed(slack: Met) -> None:
    ts = await started(slack)
    for number in range(2):
        await slack.api.chat_appendStream(channel="C1", ts=ts, markdown_text=str(number))
    assert slack.slack.stream_overlaps == 0
    slack.slack.trouble("chat.appendStream", slow(0.05), times=2)
    await asyncio.gather(*(slack.api.chat_appendStream(channel="C1", ts=ts, markdown_text="x") for _ in range(2)))
    assert slack.slack.stream_overlaps == 1


async def test_a_status_ends_by_itself_or_with_the_answer(slack: Met) -> None:
    parent = await slack.slack.person("U1").mentions("a question")
    place: dict[str, Any] = {"channel_id": "C1", "thread_ts": parent.ts}
    await slack.api.assistant_threads_setStatus(**place, status="is reading ...", loading_messages=["a", "b"])
    assert slack.slack.status("C1", parent.ts) == "is reading ..."
    slack.clock.move(minutes=2)
    assert slack.slack.status("C1", parent.ts) == ""
    await slack.api.assistant_threads_setStatus(**place, status="is reading ...")
    await slack.slack.person("U2").says("wait", thread_ts=parent.ts)
    assert slack.slack.status("C1", parent.ts) == "is reading ..."
    await slack.api.chat_postMessage(channel="C1", thread_ts=parent.ts, text="answer")
    assert slack.slack.status("C1", parent.ts) == ""
    await slack.api.assistant_threads_setStatus(**place, status="is reading ...")
    await slack.api.assistant_threads_setStatus(**place, status="")
    assert slack.slack.status("C1", parent.ts) == ""
    many = [str(number) for number in range(11)]
    assert (
        await refused(slack, "assistant.threads.setStatus", **place, status="x", loading_messages=many)
        == "invalid_arguments"
    )
    assert await refused(slack, "assistant.threads.setStatus", channel_id="C1", status="x") == "invalid_arguments"
    assert await refused(slack, "assistant.threads.setStatus", **place) == "invalid_arguments"
    elsewhere = {"channel_id": "C2", "thread_ts": "1.2", "status": "x"}
    assert await refused(slack, "assistant.threads.setStatus", **elsewhere) == "not_in_channel"
