"""Streams in Teams that do not come to their end: stopped, too long, refused, failed, killed. One answer, always."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.questions.answerer import Asked
from rag_core.errors import Rejected, Unavailable
from tests.fakes.replies import statement
from tests.fakes.service import until
from tests.fakes.teams_delivery import SOON, World, delivery_world
from tests.fakes.teams_streaming import FIRST, SECOND, UNDERSTOOD, called, info_of, only_answer, streaming, telling


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with delivery_world(tmp_path) as made:
        yield made


@pytest.mark.parametrize("says_why", [True, False])
async def test_who_presses_stop_still_gets_the_answer_as_a_message(world: World, says_why: bool) -> None:
    world.teams.says_why = says_why
    process = world.process(streams=True)
    told = telling(world, FIRST)

    async def before(asked: Asked) -> None:
        await told(asked)
        world.teams.stop()
        assert asked.watching is not None
        asked.watching.stated(statement(SECOND))
        await called(world, "streaming", 2)

    process.asking.before = before
    await world.ask(process, world.question())
    await only_answer(world)
    assert world.teams.calls[-2:] == ["send", "delete"]  # what was stopped goes when the answer is there
    assert "fell back teams_stream_over message" in process.told.lines


async def test_stopped_just_before_its_end_as_well(world: World) -> None:
    process = world.process(streams=True)
    told = telling(world, FIRST)

    async def before(asked: Asked) -> None:
        await told(asked)
        world.teams.stop()

    process.asking.before = before
    await world.ask(process, world.question())
    await only_answer(world)
    assert "send" in world.teams.calls


async def test_when_two_minutes_are_over_no_text_is_lost(world: World) -> None:
    process = world.process(streams=True)
    told = telling(world, FIRST)

    async def before(asked: Asked) -> None:
        await told(asked)
        world.teams.stop("time")

    process.asking.before = before
    await world.ask(process, world.question())
    await only_answer(world)


async def test_after_its_time_a_stream_gets_no_part_and_no_end(world: World) -> None:
    process = world.process(streams=True)
    process.progress._pace = replace(SOON, longest=0.0)

    async def before(asked: Asked) -> None:
        await called(world, "informative")
        assert asked.watching is not None
        asked.watching.stated(statement(FIRST))
        await asyncio.sleep(0.06)
        world.teams.stop("time")

    process.asking.before = before
    await world.ask(process, world.question())
    assert [info_of(each)["streamType"] for each in world.teams.parts] == ["informative"]
    await only_answer(world)


async def test_where_the_place_cannot_be_taken_the_answer_comes_below(world: World) -> None:
    process = world.process(streams=True)
    told = telling(world, FIRST)

    async def before(asked: Asked) -> None:
        await told(asked)
        world.teams.stop("time")
        world.teams.troubles["update"].append((Rejected("teams_message_gone"), False))

    process.asking.before = before
    await world.ask(process, world.question())
    await only_answer(world)
    assert "send" in world.teams.calls


@pytest.mark.parametrize(
    "error", [Rejected("teams_stream_over"), Rejected("teams_refused"), Unavailable("teams_error")]
)
async def test_where_no_stream_may_begin_it_is_one_message(world: World, error: Rejected) -> None:
    world.teams.troubles["informative"].append((error, False))
    process = world.process(streams=True)

    async def before(_: Asked) -> None:
        await called(world, "informative")

    process.asking.before = before
    await world.ask(process, world.question())
    await only_answer(world)


async def test_an_error_in_the_middle_ends_in_an_apology_and_not_in_thinking(world: World) -> None:
    await world.ask(streaming(world, FIRST, failure=ZeroDivisionError()), world.question())
    [message] = world.messages
    assert (message.text, message.is_open) == ("failure q1", False)


@pytest.mark.parametrize("part", ["informative", "streaming"])
async def test_an_error_of_ours_in_a_part_loses_no_answer(world: World, part: str) -> None:
    world.teams.troubles[part].append((ZeroDivisionError(), False))
    process = world.process(streams=True)

    async def before(asked: Asked) -> None:
        assert asked.watching is not None
        asked.watching.understood(UNDERSTOOD)
        asked.watching.stated(statement(FIRST))
        await called(world, part)

    process.asking.before = before
    await world.ask(process, world.question())
    assert [(each.text, each.is_open) for each in world.messages] == [("answer q1", False)]


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
        await asyncio.sleep(0.06)
        seen.append(world.messages[0].text)

    process.asking.before = before
    await world.ask(process, world.question())
    assert seen[0].count(FIRST) == 1
    await only_answer(world)


async def test_put_off_in_the_middle_it_says_so_and_becomes_the_answer(world: World) -> None:
    process = world.process(streams=True)
    told = telling(world, FIRST)

    async def before(asked: Asked) -> None:
        if len(process.asking.asked) < 3:
            if len(process.asking.asked) == 1:
                await told(asked)
            raise Unavailable("index_failed")

    process.asking.before = before
    async with process.working():
        await process.service.accept(world.question())

        async def put_off() -> bool:
            return bool(process.inbox.postponed)

        await until(put_off, 5.0)
        assert [each.text for each in world.messages] == ["postponed q1"]
        world.clock.move(seconds=10)
        await world.ended("sent")
    await only_answer(world)


@pytest.mark.parametrize("delivered", [True, False])
async def test_a_lost_answer_to_the_end_of_a_stream_doubles_nothing(world: World, delivered: bool) -> None:
    world.teams.troubles["final"].append((Unavailable("teams_unreachable", delivered="unknown"), delivered))
    await world.ask(streaming(world, FIRST), world.question())
    await only_answer(world)


STEPS = [
    *("saved", "before streaming", "after streaming", "asking", "rendering"),
    *("before final", "after final", "before update", "after update"),
]


@pytest.mark.parametrize("says_why", [True, False])
@pytest.mark.parametrize("step", STEPS)
async def test_killed_while_it_streams_there_is_one_message(world: World, step: str, says_why: bool) -> None:
    world.teams.says_why = says_why
    first = world.process(streams=True, dies_at=step)
    first.asking.before = telling(world, FIRST)
    await first.service.accept(world.question())
    await first.die()
    world.clock.move(seconds=61)
    second = world.process(streams=True)
    second.asking.before = _tells_first
    await world.ask(second)
    await only_answer(world)
    assert world.teams.calls.count("informative") == 1


async def _tells_first(asked: Asked) -> None:
    assert asked.watching is not None
    asked.watching.stated(statement(FIRST))


async def test_killed_and_stopped_meanwhile_the_answer_comes_below(world: World) -> None:
    first = world.process(streams=True, dies_at="rendering")
    first.asking.before = telling(world, FIRST)
    await first.service.accept(world.question())
    await first.die()
    world.teams.stop()
    world.clock.move(seconds=61)
    await world.ask(world.process(streams=True))
    await only_answer(world)


async def test_that_what_was_shown_cannot_be_taken_away_is_no_trouble(world: World) -> None:
    world.teams.troubles["update"].extend([(Unavailable("teams_slow_down", retry_after=60.0), False)] * 3)
    process = streaming(world, FIRST)
    await world.ask(process, world.question())
    [message] = world.messages
    assert (message.text.endswith("answer q1"), FIRST in message.text, message.has_card) == (True, True, True)
    assert len(process.asking.asked) == 1


async def test_a_long_answer_at_the_end_of_a_stream_is_shortened(world: World) -> None:
    world.teams.biggest = 30_000
    await world.ask(streaming(world, FIRST), world.question(text="long"))
    [message] = world.messages
    assert (message.text, message.has_card) == ("answer q1 in 20000", True)


async def test_whose_lease_is_lost_begins_no_stream(world: World) -> None:
    process = world.process(streams=True)

    async def before(_: Asked) -> None:
        world.clock.move(seconds=61)
        assert await process.inbox._inbox.take("other", 60) is not None
        await asyncio.sleep(0.1)

    process.progress._pace = replace(SOON, begin_after=0.05)
    process.asking.before = before
    async with process.working():
        await process.service.accept(world.question())
        await asyncio.sleep(0.3)
    assert world.teams.parts == []
    assert world.messages == []
