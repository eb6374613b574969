"""What people see while an answer is made: a status, statements as they are verified, and nothing that stays."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from bot.questions.answerer import Asked
from bot.render.slack.message import EVENT_TYPE
from bot.wording.answers import READING
from ops.sandbox.slack.workspace import Message
from ops.sandbox.troubles import cut, rate_limited, refused, slow
from rag_core.errors import Unavailable
from rag_core.questions import Intent, Question
from tests.fakes.replies import scope, statement
from tests.fakes.service import until
from tests.fakes.slack_delivery import Process, World, delivery_world

FIRST, SECOND, THIRD = "Beer needs a <licence> & *care*.", "Wine does, too.", "Spirits never."
UNDERSTOOD = Question("", scope(), Intent.PERMISSION, ())


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with delivery_world(tmp_path) as made:
        yield made


async def in_thread(world: World, process: Process, end: str = "sent") -> Message:
    """The bot's message in a thread in which somebody asked."""
    asked = await world.slack.person().says("hello")
    await world.ask(process, world.question(thread=asked.ts, asked_in=asked.ts), end=end)
    return asked


def telling(world: World, *texts: str, failure: Exception | None = None) -> Callable[[Asked], Awaitable[None]]:
    """Tells of statements, each after the one before is to be seen in Slack."""

    async def before(asked: Asked) -> None:
        assert asked.watching is not None
        asked.watching.understood(UNDERSTOOD)
        for text in texts:
            asked.watching.stated(statement(text))
            await until(partial(_is_shown, world, text))
        if failure is not None:
            raise failure

    return before


async def _is_shown(world: World, text: str) -> bool:
    return any(_shown(text) in each.text for each in world.slack.messages)


def _shown(text: str) -> str:
    return text.split("<")[0].split("*")[0].rstrip(".")


def streamed(world: World) -> list[str]:
    return [each for each in world.slack.api_calls if "Stream" in each]


async def test_the_status_is_set_at_once_and_gone_with_the_answer(world: World) -> None:
    process, seen = world.process(), []
    asked = await world.slack.person().says("hello")

    async def before(_: Asked) -> None:
        async def shown() -> bool:
            return bool(world.slack.status("C1", asked.ts))

        await until(shown)
        seen.append(world.slack.status("C1", asked.ts))

    process.asking.before = before
    await world.ask(process, world.question(thread=asked.ts, asked_in=asked.ts))
    assert seen == [READING]
    assert world.slack.status("C1", asked.ts) == ""
    assert len(world.slack.calls_of("assistant.threads.setStatus")) == 1  # Slack takes it away with the answer


@pytest.mark.parametrize("error", ["is_archived", "not_in_channel"])
async def test_it_does_not_stay_when_the_answer_goes_elsewhere(world: World, error: str) -> None:
    world.slack.trouble("chat.postMessage", refused(error))
    asked = await in_thread(world, world.process())
    assert world.slack.status("C1", asked.ts) == ""


async def test_it_does_not_stay_when_nothing_can_be_sent(world: World) -> None:
    process = world.process()
    world.slack.trouble("chat.postMessage", refused("msg_too_short"))
    asked = await in_thread(world, process, end="failed")
    assert world.slack.status("C1", asked.ts) == ""


async def test_it_does_not_stay_while_a_question_is_put_off(world: World) -> None:
    process = world.process()
    process.asking.failures = [Unavailable("index_failed")] * 2
    asked = await world.slack.person().says("hello")
    async with process.working():
        await process.service.accept(world.question(thread=asked.ts, asked_in=asked.ts))

        async def put_off() -> bool:
            return bool(process.inbox.postponed) and not world.slack.status("C1", asked.ts)

        await until(put_off)
    assert [each.visible_to for each in world.slack.messages[1:]] == ["U1"]


async def test_a_status_that_comes_late_does_not_outlive_the_answer(world: World) -> None:
    world.slack.trouble("assistant.threads.setStatus", slow(0.2))
    process, asked = world.process(), await world.slack.person().says("hello")
    async with process.working():
        await process.service.accept(world.question(thread=asked.ts, asked_in=asked.ts))
        await world.ended("sent")
        await asyncio.sleep(0.4)
    assert world.slack.calls_of("assistant.threads.setStatus")
    assert world.slack.status("C1", asked.ts) == ""


async def test_a_status_that_cannot_be_set_holds_nothing_up(world: World) -> None:
    world.slack.trouble("assistant.threads.setStatus", refused("missing_scope"), times=3)
    await in_thread(world, world.process())
    assert len(world.slack.bot_messages("C1")) == 1


async def test_without_a_model_it_is_one_message(world: World) -> None:
    process = world.process()

    async def before(asked: Asked) -> None:
        assert asked.watching is not None
        asked.watching.stated(statement(FIRST))

    process.asking.before = before
    await in_thread(world, process)
    assert streamed(world) == []
    assert len(world.slack.bot_messages("C1")) == 1


async def test_statements_are_streamed_and_the_whole_answer_takes_their_place(world: World) -> None:
    process = world.process(streams=True)
    process.asking.before = telling(world, FIRST, SECOND, THIRD)
    asked = await in_thread(world, process)
    [message] = world.slack.bot_messages("C1")
    assert message.thread_ts == asked.ts
    assert not message.is_streaming
    assert message.metadata == {"event_type": EVENT_TYPE, "event_payload": {"answer_id": "q1"}}
    assert FIRST not in str(message.blocks)
    assert streamed(world) == ["chat.startStream", *["chat.appendStream"] * 2, "chat.stopStream"]
    assert world.slack.stream_overlaps == 0
    assert [each.place.message for each in await world.kept()] == [message.ts]
    assert process.told.lines == ["delivered stream"]
    assert "chat.postMessage" not in world.slack.api_calls
    assert world.slack.status("C1", asked.ts) == ""


async def test_what_is_streamed_is_escaped(world: World) -> None:
    process, seen = world.process(streams=True), []

    async def before(asked: Asked) -> None:
        assert asked.watching is not None
        asked.watching.stated(statement("Ask <!channel> or <@U2> at <http://a.example|here>."))
        await world.slack.until(lambda: bool(world.slack.bot_messages("C1")))
        seen.extend(world.slack.bot_messages("C1"))

    process.asking.before = before
    await in_thread(world, process)
    assert seen[0].text
    assert seen[0].notifies == set()
    assert "<http" not in seen[0].text


async def test_many_statements_at_once_are_written_one_after_the_other(world: World) -> None:
    process = world.process(streams=True)

    async def before(asked: Asked) -> None:
        assert asked.watching is not None
        for number in range(30):
            asked.watching.stated(statement(f"Rule {number}."))
            await asyncio.sleep(0.002)
        await world.slack.until(lambda: any("Rule 29" in each.text for each in world.slack.messages))

    process.asking.before = before
    await in_thread(world, process)
    assert world.slack.stream_overlaps == 0
    assert len(streamed(world)) < 15
    assert len(world.slack.bot_messages("C1")) == 1


@pytest.mark.parametrize("streaming", [False, True])
async def test_without_a_thread_and_for_the_asker_alone_nothing_is_streamed(world: World, streaming: bool) -> None:
    process = world.process(streams=True)

    async def before(asked: Asked) -> None:
        assert asked.watching is not None
        asked.watching.stated(statement(FIRST))

    process.asking.before = before
    await world.ask(process, world.question(to_asker=streaming))
    assert streamed(world) == []
    assert len(world.slack.messages) == 1


async def test_a_stream_that_ran_out_is_replaced_by_the_whole_answer(world: World) -> None:
    process = world.process(streams=True)
    told = telling(world, FIRST)

    async def before(asked: Asked) -> None:
        await told(asked)
        world.clock.move(minutes=6)
        assert asked.watching is not None
        asked.watching.stated(statement(SECOND))

    process.asking.before = before
    await in_thread(world, process)
    [message] = world.slack.bot_messages("C1")
    assert message.via == "chat.startStream"  # the same message
    assert message.metadata["event_type"] == EVENT_TYPE


async def test_an_answer_that_fails_in_the_middle_leaves_only_the_last_word(world: World) -> None:
    process = world.process(streams=True)
    process.asking.before = telling(world, FIRST, failure=ZeroDivisionError())
    await in_thread(world, process)
    [message] = world.slack.bot_messages("C1")
    assert _shown(FIRST) not in message.text + str(message.blocks)
    assert "q1" in message.text
    assert message.metadata["event_type"] == EVENT_TYPE


async def test_asked_once_more_the_statements_are_not_told_twice(world: World) -> None:
    process, seen = world.process(streams=True), []
    told = telling(world, FIRST)

    async def before(asked: Asked) -> None:
        if len(process.asking.asked) == 1:
            await told(asked)
            raise Unavailable("model_down")
        assert asked.watching is not None
        asked.watching.understood(UNDERSTOOD)
        asked.watching.stated(statement(FIRST))
        await asyncio.sleep(0.1)
        seen.append(world.slack.bot_messages("C1")[0].text)

    process.asking.before = before
    await in_thread(world, process)
    assert seen[0].count(_shown(FIRST)) == 1
    assert len(world.slack.bot_messages("C1")) == 1


async def test_put_off_in_the_middle_the_message_says_so_and_becomes_the_answer_later(world: World) -> None:
    process = world.process(streams=True)
    told = telling(world, FIRST)

    async def before(asked: Asked) -> None:
        if len(process.asking.asked) < 3:
            if len(process.asking.asked) == 1:
                await told(asked)
            raise Unavailable("index_failed")

    process.asking.before = before
    asked = await world.slack.person().says("hello")
    async with process.working():
        await process.service.accept(world.question(thread=asked.ts, asked_in=asked.ts))

        async def put_off() -> bool:
            return bool(process.inbox.postponed)

        await until(put_off)
        [message] = world.slack.bot_messages("C1")
        assert _shown(FIRST) not in message.text + str(message.blocks)
        assert message.metadata["event_type"] != EVENT_TYPE
        world.clock.move(seconds=10)
        await world.ended("sent")
    [message] = world.slack.bot_messages("C1")
    assert message.metadata["event_type"] == EVENT_TYPE


@pytest.mark.parametrize("step", ["posted", "saved", "asking"])
async def test_killed_while_it_streams_the_next_worker_makes_the_whole_of_it(world: World, step: str) -> None:
    first = world.process(streams=True, dies_at=step)

    async def before(asked: Asked) -> None:
        assert asked.watching is not None
        asked.watching.stated(statement(FIRST))
        await world.slack.until(lambda: bool(world.slack.bot_messages("C1")))
        if step != "asking":
            await first.steps.reached.wait()
            await asyncio.Event().wait()

    first.asking.before = before
    asked = await world.slack.person().says("hello")
    await first.service.accept(world.question(thread=asked.ts, asked_in=asked.ts))
    await first.die()
    assert world.slack.bot_messages("C1")[0].is_streaming
    world.clock.move(seconds=61)
    second = world.process(streams=True)
    second.asking.before = _states_first
    await world.ask(second)
    [message] = world.slack.bot_messages("C1")
    assert not message.is_streaming
    assert message.metadata == {"event_type": EVENT_TYPE, "event_payload": {"answer_id": "q1"}}
    assert streamed(world).count("chat.startStream") == 1


async def _states_first(asked: Asked) -> None:
    assert asked.watching is not None
    asked.watching.stated(statement(FIRST))


async def test_whose_lease_is_lost_begins_no_stream(world: World) -> None:
    process = world.process(streams=True)

    async def before(asked: Asked) -> None:
        world.clock.move(seconds=61)
        other = await process.inbox._inbox.take("other", 60)
        assert other is not None
        await _states_first(asked)
        await asyncio.sleep(0.1)

    process.asking.before = before
    asked = await world.slack.person().says("hello")
    async with process.working():
        await process.service.accept(world.question(thread=asked.ts, asked_in=asked.ts))
        await asyncio.sleep(0.4)
    assert streamed(world) == []
    assert world.slack.bot_messages("C1") == []


@pytest.mark.parametrize("after_doing", [True, False])
async def test_a_lost_answer_to_the_start_of_a_stream_doubles_nothing(world: World, after_doing: bool) -> None:
    world.slack.trouble("chat.startStream", cut(after_doing=after_doing))
    process = world.process(streams=True)

    async def before(asked: Asked) -> None:
        await _states_first(asked)
        await asyncio.sleep(0.1)

    process.asking.before = before
    await in_thread(world, process)
    [message] = world.slack.bot_messages("C1")
    assert message.metadata["event_type"] == EVENT_TYPE


async def test_a_stream_that_slack_does_not_begin_is_one_message(world: World) -> None:
    world.slack.trouble("chat.startStream", rate_limited(30))
    process = world.process(streams=True)
    process.asking.before = _states_first
    await in_thread(world, process)
    [message] = world.slack.bot_messages("C1")
    assert message.via == "chat.postMessage"


async def test_a_channel_that_is_archived_in_the_middle_is_answered_elsewhere(world: World) -> None:
    process = world.process(streams=True)
    process.asking.before = telling(world, FIRST)
    world.slack.trouble("chat.stopStream", refused("is_archived"))
    await in_thread(world, process)
    assert len(world.slack.bot_messages(world.slack.person().direct.channel_id)) == 1
    assert process.told.lines == ["delivered direct", "fell back slack_channel_closed direct"]


async def test_in_a_direct_message_as_well(world: World) -> None:
    """There Slack streams in threads only, and only there shows a status."""
    process = world.process(streams=True)
    process.asking.before = telling(world, FIRST, SECOND)
    asked = await world.slack.person().writes_to_bot("can I advertise beer?")
    await world.ask(process, world.question(channel=asked.channel, thread=asked.ts, asked_in=asked.ts))
    [message] = world.slack.bot_messages(asked.channel)
    assert (message.thread_ts, message.is_streaming) == (asked.ts, False)
    assert world.slack.status(asked.channel, asked.ts) == ""
