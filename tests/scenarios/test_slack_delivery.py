"""How replies get to Slack: which road, once, in time, and what becomes of them when something is in the way."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.model.posted import Subject
from bot.render.slack.message import EVENT_TYPE
from ops.sandbox.slack.limits import Limits
from ops.sandbox.troubles import Trouble, cut, rate_limited, refused
from rag_core.errors import Unavailable
from tests.fakes.delivery import PACE, PSEUDONYMS
from tests.fakes.slack_delivery import World, delivery_world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with delivery_world(tmp_path) as made:
        yield made


async def test_a_command_is_answered_by_a_message_that_can_be_threaded(world: World) -> None:
    await world.ask(world.process(), world.question(response_url=world.response_url()))
    [message] = world.slack.bot_messages("C1")
    assert (message.via, message.thread_ts) == ("chat.postMessage", None)
    assert message.metadata == {"event_type": EVENT_TYPE, "event_payload": {"answer_id": "q1"}}
    assert not message.unfurls
    [kept] = await world.kept()
    assert (kept.place.message, kept.place.thread, kept.asked_in) == (message.ts, message.ts, "")
    assert kept.person == PSEUDONYMS.of(world.question().actor)
    assert kept.subject is Subject.ANSWER


async def test_in_a_thread_it_is_a_reply_there(world: World) -> None:
    asked = await world.slack.person().says("hello")
    await world.ask(world.process(), world.question(thread=asked.ts, asked_in=asked.ts))
    [message] = world.slack.bot_messages("C1")
    assert message.thread_ts == asked.ts
    assert [(each.place.thread, each.asked_in) for each in await world.kept()] == [(asked.ts, asked.ts)]
    assert [each.with_question for each in world.views] == [False]


@pytest.mark.parametrize("error", ["not_in_channel", "channel_not_found"])
async def test_where_the_bot_is_not_it_answers_by_response_url(world: World, error: str) -> None:
    channel = {"not_in_channel": "C2", "channel_not_found": "G1"}[error]
    url = world.response_url(channel)
    process = world.process()
    await world.ask(process, world.question(channel=channel, response_url=url))
    [message] = world.slack.bot_messages(channel)
    assert (message.via, message.visible_to) == ("response_url", None)
    assert world.views[-1].is_threaded is False
    assert await world.kept() == []
    assert process.told.lines == ["fell back slack_not_in_channel response_url"]


async def test_without_a_response_url_the_asker_is_written_to(world: World) -> None:
    await world.ask(world.process(), world.question(channel="C2"))
    [message] = world.slack.bot_messages(world.slack.person().direct.channel_id)
    assert message.via == "chat.postMessage"
    assert [each.place.channel for each in await world.kept()] == [message.channel]


@pytest.mark.parametrize("error", ["is_archived", "restricted_action_read_only_channel", "token_revoked"])
async def test_where_nobody_may_post_only_the_asker_sees_it(world: World, error: str) -> None:
    world.slack.trouble("chat.postMessage", refused(error))
    await world.ask(world.process(), world.question(response_url=world.response_url()))
    [message] = world.slack.messages
    assert (message.via, message.visible_to) == ("response_url", "U1")


async def test_after_30_minutes_or_five_uses_the_response_url_is_not_tried(world: World) -> None:
    world.slack.trouble("chat.postMessage", refused("is_archived"))
    old = replace(world.question(response_url=world.response_url()), received_at=world.clock())
    world.clock.move(minutes=29, seconds=30)
    await world.ask(world.process(), old)
    [message] = world.slack.messages
    assert (message.via, message.channel) == ("chat.postMessage", world.slack.person().direct.channel_id)


async def test_five_uses_are_the_most(world: World) -> None:
    process, url = world.process(), world.response_url()
    questions = [world.question(response_url=url, to_asker=True, channel="C1") for _ in range(6)]
    await world.ask(process, *questions)
    roads = [each.via for each in world.slack.messages]
    assert sorted(roads) == ["chat.postEphemeral"] + ["response_url"] * 5
    assert world.slack.messages[-1].visible_to == "U1"


async def test_with_nobody_left_to_reach_the_question_ends(world: World) -> None:
    world.slack.revoke_token()
    process = world.process()
    await world.ask(process, world.question(), end="failed")
    assert process.log.lines == ["unreachable q1 slack_not_installed"]


async def test_what_only_the_asker_may_see_goes_to_the_asker(world: World) -> None:
    await world.ask(world.process(), world.question(to_asker=True))
    [message] = world.slack.messages
    assert (message.via, message.visible_to) == ("chat.postEphemeral", "U1")
    assert world.views[-1].is_private


async def test_outside_of_the_channel_the_asker_gets_a_direct_message(world: World) -> None:
    await world.ask(world.process(), world.question(channel="C2", to_asker=True))
    [message] = world.slack.messages
    assert message.channel == world.slack.person().direct.channel_id


@pytest.mark.parametrize("error", ["invalid_blocks", "msg_blocks_too_long"])
async def test_blocks_that_slack_refuses_are_left_out_once(
    world: World, error: str, caplog: pytest.LogCaptureFixture
) -> None:
    world.slack.trouble("chat.postMessage", refused(error))
    await world.ask(world.process(), world.question())
    [message] = world.slack.bot_messages("C1")
    assert message.text
    assert message.blocks == []
    assert f"error={error}" in caplog.text


async def test_a_short_retry_after_is_waited_for(world: World) -> None:
    world.slack.trouble("chat.postMessage", rate_limited(4))
    process = world.process()
    await world.ask(process, world.question())
    assert 4.0 in process.slept
    assert process.told.lines == ["retried slack_rate_limited", "delivered channel"]
    assert len(world.slack.bot_messages("C1")) == 1


async def test_a_long_retry_after_goes_back_to_the_inbox_and_nobody_hears_of_it(world: World) -> None:
    world.slack.trouble("chat.postMessage", rate_limited(90), times=7)
    process = world.process()
    async with process.working():
        await process.service.accept(world.question())
        for count in range(1, 8):  # more often than a question is tried
            async with asyncio.timeout(5):
                while len(process.inbox.postponed) < count:  # noqa: ASYNC110 - there is no event to wait for
                    await asyncio.sleep(0.005)
            assert world.slack.messages == []
            world.clock.move(seconds=91)
        await world.ended("sent")
    assert process.inbox.postponed == [90.0] * 7
    assert [each.counted for each in process.asking.asked] == [True] + [False] * 7
    # Slack has said each time that it has nothing: nobody has to look
    assert "conversations.history" not in world.slack.api_calls


async def test_a_retry_after_beyond_measure_is_asked_about_sooner(world: World) -> None:
    world.slack.trouble("chat.postMessage", rate_limited(100_000))
    process = world.process()
    async with process.working():
        await process.service.accept(world.question())
        async with asyncio.timeout(5):
            while not process.inbox.postponed:  # noqa: ASYNC110 - there is no event to wait for
                await asyncio.sleep(0.005)
        world.clock.move(seconds=PACE.longest_wait)
        await world.ended("sent")
    assert process.inbox.postponed == [PACE.longest_wait]


@pytest.mark.parametrize("after_doing", [True, False])
async def test_a_lost_answer_of_slack_is_looked_for(world: World, after_doing: bool) -> None:
    world.slack.trouble("chat.postMessage", cut(after_doing=after_doing))
    process = world.process()
    await world.ask(process, world.question())
    [message] = world.slack.bot_messages("C1")
    assert f"reconciled {after_doing}" in process.told.lines
    assert [each.place.message for each in await world.kept()] == [message.ts]


async def test_in_a_thread_it_is_looked_for_there(world: World) -> None:
    asked = await world.slack.person().says("hello")
    world.slack.trouble("chat.postMessage", Trouble(500, after_doing=True))
    await world.ask(world.process(), world.question(thread=asked.ts, asked_in=asked.ts))
    assert len(world.slack.bot_messages("C1")) == 1
    assert "conversations.replies" in world.slack.api_calls


async def test_who_may_not_look_yet_waits_instead_of_posting_again(world: World) -> None:
    world.slack.trouble("chat.postMessage", cut(after_doing=True))
    world.slack.trouble("conversations.history", rate_limited(60))
    process = world.process()
    async with process.working():
        await process.service.accept(world.question())
        async with asyncio.timeout(5):
            while not process.inbox.postponed:  # noqa: ASYNC110 - there is no event to wait for
                await asyncio.sleep(0.005)
        world.clock.move(seconds=61)
        await world.ended("sent")
    assert process.inbox.postponed == [60.0]
    assert len(world.slack.bot_messages("C1")) == 1


@pytest.mark.parametrize("step", ["asking", "answered", "sending written", "rendering", "posted", "saved"])
async def test_killed_at_any_step_there_is_one_message(world: World, step: str) -> None:
    first = world.process(dies_at=step)
    await first.service.accept(world.question())
    await first.die()
    world.clock.move(seconds=61)
    await world.ask(world.process())
    [message] = world.slack.bot_messages("C1")
    assert [each.place.message for each in await world.kept()] == [message.ts]


@pytest.mark.parametrize("step", ["asking", "rendering", "posted", "saved"])
async def test_in_a_thread_as_well(world: World, step: str) -> None:
    asked = await world.slack.person().says("hello")
    first = world.process(dies_at=step)
    await first.service.accept(world.question(thread=asked.ts, asked_in=asked.ts))
    await first.die()
    world.clock.move(seconds=61)
    await world.ask(world.process())
    assert len(world.slack.bot_messages("C1")) == 1


async def test_while_the_store_is_down_where_it_was_posted_is_kept_later(world: World) -> None:
    process = world.process()
    process.posted.failures = [Unavailable("store_down")] * 4
    await world.ask(process, world.question())
    assert [each.place.channel for each in await world.kept()] == ["C1"]
    assert len(world.slack.bot_messages("C1")) == 1


async def test_one_message_a_second_in_a_channel_and_others_are_not_held_up(tmp_path: Path) -> None:
    async with delivery_world(tmp_path, limits=Limits(tiers={}, a_minute={})) as world:
        world.slack.workspace.join("C2", "UBOT")
        process = world.process()
        real_sleep, turns = process.sleep, itertools.count(1)

        async def sleep(seconds: float) -> None:
            """Time does not pass while the message of the turn before is on its way."""
            turn = next(turns)
            await world.slack.until(lambda: len(world.slack.bot_messages("C1")) >= turn)
            await real_sleep(seconds)

        process.sink.poster._sleep = sleep
        questions = [world.question(thread="", channel="C1") for _ in range(3)]
        # each of another thread: the inbox hands them all out
        spread = [replace(each, conversation=replace(each.conversation, thread=each.question_id)) for each in questions]
        await world.ask(process, *spread, world.question(channel="C2"))
        assert len(world.slack.bot_messages("C1")) == 3
        assert len(world.slack.bot_messages("C2")) == 1
        assert not any("retried" in line for line in process.told.lines)
        assert any(seconds > 0.9 for seconds in process.slept)


async def test_a_channel_that_is_full_sends_its_questions_back(world: World) -> None:
    for _ in range(12):
        await world.pace.turn("slack:T1:C1", 1.0, 100.0)
    process = world.process()
    async with process.working():
        await process.service.accept(world.question())
        async with asyncio.timeout(5):
            while not process.inbox.postponed:  # noqa: ASYNC110 - there is no event to wait for
                await asyncio.sleep(0.005)
        assert world.slack.messages == []
        world.clock.move(seconds=20)
        await world.ended("sent")
    assert "conversations.history" not in world.slack.api_calls


async def test_a_question_that_waits_for_its_channel_holds_up_no_worker(world: World) -> None:
    process = world.process(pace=replace(PACE, workers=1))
    world.slack.workspace.join("C2", "UBOT")
    stuck, real_sleep = asyncio.Event(), process.sleep
    await world.pace.turn("slack:T1:C1", 5.0, 100.0)

    async def sleep(seconds: float) -> None:
        await stuck.wait()
        await real_sleep(seconds)

    process.sink.poster._sleep = sleep
    async with process.working():
        await process.service.accept(world.question())
        await process.service.accept(world.question(channel="C2"))
        await world.slack.until(lambda: len(world.slack.bot_messages("C2")) == 1)
        assert world.slack.bot_messages("C1") == []
        stuck.set()
        await world.ended("sent")
    assert len(world.slack.bot_messages("C1")) == 1


async def test_that_the_answer_is_to_come_only_the_asker_sees_and_then_the_answer_comes(world: World) -> None:
    process = world.process()
    process.asking.failures = [Unavailable("index_failed")] * 2
    async with process.working():
        await process.service.accept(world.question())
        await world.slack.until(lambda: len(world.slack.messages) == 1)
        assert world.slack.messages[0].visible_to == "U1"
        async with asyncio.timeout(5):
            while not process.inbox.postponed:  # noqa: ASYNC110 - there is no event to wait for
                await asyncio.sleep(0.005)
        world.clock.move(seconds=10)
        await world.ended("sent")
    assert [each.visible_to for each in world.slack.messages] == ["U1", None]
