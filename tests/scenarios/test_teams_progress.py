"""What people see in Teams while an answer is made: typing, statements as they are verified, and nothing that stays."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from adapters.teams.delivery.progress import StreamPace
from bot.model.messages import ReplyAddress
from bot.ports import Lease
from bot.questions.answerer import Asked
from bot.wording.answers import reading_steps
from rag_core.errors import Rejected, Unavailable
from rag_core.ports import NobodyWatching
from tests.fakes.replies import statement
from tests.fakes.teams import CHANNEL, GROUP_CHAT
from tests.fakes.teams_delivery import SOON, World, delivery_world
from tests.fakes.teams_streaming import FIRST, SECOND, called, info_of, only_answer, streaming


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with delivery_world(tmp_path) as made:
        yield made


async def test_nothing_is_typed_where_teams_shows_none(world: World) -> None:
    process = world.process()

    async def before(_: Asked) -> None:
        await asyncio.sleep(0.05)

    process.asking.before = before
    await world.ask(process, world.question(CHANNEL, "root"))
    assert world.teams.calls == ["send"]


@pytest.mark.parametrize("where", [GROUP_CHAT, ""])
async def test_it_types_again_and_again_and_never_after_the_reply(world: World, where: str) -> None:
    process = world.process()

    async def before(_: Asked) -> None:
        for times in (1, 2, 3):
            world.clock.move(seconds=3)
            await called(world, "typing", times)

    process.asking.before = before
    async with process.working():
        await process.service.accept(world.question(where, "root"))
        await world.ended("sent")
        await asyncio.sleep(0.06)
    assert world.teams.calls == ["typing"] * 3 + ["send"]


async def test_what_is_answered_at_once_does_not_wait_behind_a_sign_that_it_comes(world: World) -> None:
    world.typing_after = 5.0
    await world.ask(world.process(), world.question())
    assert world.teams.calls == ["send"]


async def test_typing_that_comes_late_does_not_outlive_the_answer(world: World) -> None:
    world.teams.slow = 0.05
    await world.ask(world.process(), world.question())
    assert world.teams.calls[-1] == "send"
    assert "typing" in world.teams.calls


async def test_typing_that_hangs_is_given_up_when_the_answer_is_there(world: World) -> None:
    """And with it what the connector would go on to try."""
    world.teams.slow = 60.0
    async with asyncio.timeout(3):
        process = world.process()
        await world.ask(process, world.question())
    assert world.teams.calls == ["typing", "send"]


async def test_an_error_of_ours_in_typing_holds_nothing_up(world: World) -> None:
    world.teams.wrong_typing = ZeroDivisionError()
    await world.ask(world.process(), world.question())
    assert world.teams.calls == ["typing", "send"]


@pytest.mark.parametrize(
    "error", [Rejected("teams_channel_closed"), Unavailable("teams_slow_down", retry_after=60.0), Rejected("x")]
)
async def test_typing_that_is_refused_holds_nothing_up(world: World, error: Rejected) -> None:
    world.teams.troubles["typing"].extend([(error, False)] * 9)
    process = world.process()
    await world.ask(process, world.question())
    assert len(world.messages) == 1
    assert process.closed == []  # only a message says that for sure


async def test_typing_takes_no_turn_from_an_answer(world: World) -> None:
    await world.pace.turn("teams:" + world.question().reply_address.fields["tenant"] + ":a:chat-1", 0.5, 1.0)
    await world.ask(world.process(), world.question())
    assert world.teams.calls == ["send"]


async def test_an_answer_grows_by_whole_statements_and_ends_with_the_card(world: World) -> None:
    await world.ask(streaming(world, FIRST, SECOND), world.question())
    parts = [(each["type"], info_of(each)) for each in world.teams.parts]
    kinds = [info["streamType"] for _, info in parts]
    assert kinds == ["informative", "streaming", "streaming", "final"]
    assert [info.get("streamSequence") for _, info in parts] == [1, 2, 3, None]
    assert {info.get("streamId") for _, info in parts[1:]} == {world.messages[0].id}
    assert [type_ for type_, _ in parts] == ["typing"] * 3 + ["message"]
    texts = [str(each["text"]) for each in world.teams.parts]
    assert texts[0] == reading_steps()[0]
    assert (FIRST in texts[1], SECOND in texts[1]) == (True, False)
    assert texts[2].startswith(texts[1])
    assert texts[2].endswith(f"> {SECOND} [1]")
    assert not any(each.get("attachments") for each in world.teams.parts[:-1])
    assert world.teams.parts[-1]["attachments"]
    assert "https://schema.org/Message" in [each["type"] for each in world.teams.parts[-1]["entities"]]
    await only_answer(world)


async def test_what_is_working_is_told_in_turn_until_there_is_a_statement(world: World) -> None:
    process = world.process(streams=True)

    async def before(_: Asked) -> None:
        await called(world, "informative", len(reading_steps()))

    process.asking.before = before
    await world.ask(process, world.question())
    assert [str(each["text"]) for each in world.teams.parts[:-1]] == reading_steps()
    assert all(len(each) <= 1_000 for each in reading_steps())
    assert world.teams.calls.count("update") == 0
    await only_answer(world)


async def test_what_is_answered_at_once_is_no_stream(world: World) -> None:
    process = world.process(streams=True)
    process.progress._pace = replace(SOON, begin_after=0.5)
    await world.ask(process, world.question())
    assert world.teams.parts == []
    await only_answer(world)


@pytest.mark.parametrize(("where", "streams"), [(CHANNEL, True), (GROUP_CHAT, True), ("", False)])
async def test_elsewhere_and_without_a_model_it_is_one_message(world: World, where: str, streams: bool) -> None:
    process = world.process(streams=streams)

    async def before(asked: Asked) -> None:
        assert asked.watching is not None
        asked.watching.stated(statement(FIRST))
        await asyncio.sleep(0.05)

    process.asking.before = before
    await world.ask(process, world.question(where, "root"))
    assert world.teams.parts == []
    await only_answer(world)


async def test_an_edited_question_grows_nowhere(world: World) -> None:
    await world.ask(world.process(), world.question())
    process = world.process(streams=True)

    async def before(asked: Asked) -> None:
        assert asked.watching is not None
        asked.watching.stated(statement(FIRST))
        await asyncio.sleep(0.05)

    process.asking.before = before
    await world.ask(process, world.question(asked_in="a1", edits=True))
    assert world.teams.parts == []
    await only_answer(world, "q2")


async def test_other_addresses_are_none_of_its_business(world: World) -> None:
    question = replace(world.question(), reply_address=ReplyAddress("slack.message", {}))
    watching = world.process(streams=True).progress.begin(Lease(question, "w", 1, was_sending=False), _yes)
    watching.stated(statement(FIRST))
    assert isinstance(watching, NobodyWatching)


async def _yes() -> bool:
    return True


async def test_parts_are_apart_and_the_last_one_waits_for_its_time(world: World) -> None:
    assert StreamPace().every >= 1.5
    process = streaming(world, FIRST, SECOND)
    process.progress._pace = StreamPace(begin_after=0.0, every=0.1, last_after=0.15)
    times: list[float] = []
    real = world.teams.send

    async def send(to, activity, *, once=False):  # type: ignore[no-untyped-def]
        times.append(asyncio.get_running_loop().time())
        return await real(to, activity)

    world.teams.send = send  # type: ignore[method-assign]
    await world.ask(process, world.question())
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert len(gaps) == 3
    assert min(gaps[:-1]) >= 0.1
    assert gaps[-1] >= 0.15


async def test_a_second_question_in_the_chat_has_no_stream_of_its_own(world: World) -> None:
    """The inbox answers a chat in order; where that is not so, a stream is not begun beside another one."""
    process = world.process(streams=True)
    both, here = asyncio.Event(), []

    async def before(asked: Asked) -> None:
        here.append(asked)
        if len(here) == 2:
            both.set()
        await both.wait()
        await called(world, "informative")

    process.asking.before = before
    questions = [world.question(), world.question()]
    apart = [replace(each, conversation=replace(each.conversation, thread=each.question_id)) for each in questions]
    await world.ask(process, *apart)
    assert [info_of(each).get("streamSequence") for each in world.teams.parts].count(1) == 1
    assert sorted(each.text for each in world.messages) == ["answer q1", "answer q2"]
