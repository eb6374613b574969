"""A question that was edited or deleted, and the answer to it."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from ops.sandbox.slack.workspace import Message
from ops.sandbox.troubles import Trouble, cut, rate_limited, refused
from tests.fakes.replies import refusal
from tests.fakes.slack_delivery import World, delivery_world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with delivery_world(tmp_path) as made:
        yield made


async def answered(world: World) -> Message:
    """A message that was asked by U1 and answered in its thread; the message that asks."""
    asked = await world.slack.person().says("can I advertise beer?")
    await world.ask(world.process(), world.question(thread=asked.ts, asked_in=asked.ts))
    return asked


async def edited(world: World, asked: Message, *, trouble: str = "") -> None:
    process = world.process()
    process.asking.reply = refusal()
    if trouble:
        world.slack.trouble("chat.update", cut(after_doing=trouble == "after"))
    await world.ask(process, world.question(thread=asked.ts, asked_in=asked.ts, edits=True))


@pytest.mark.parametrize("trouble", ["", "before", "after"])
async def test_an_edit_changes_the_same_answer(world: World, trouble: str) -> None:
    asked = await answered(world)
    [before] = world.slack.bot_messages("C1")
    await edited(world, asked, trouble=trouble)
    [after] = world.slack.bot_messages("C1")
    assert after.ts == before.ts
    assert after.text != before.text
    assert after.metadata["event_payload"] == {"answer_id": "q2"}
    assert [each.place.message for each in await world.kept("q2")] == [after.ts]
    assert await world.kept("q1") == []


async def test_an_edited_question_whose_answer_was_deleted_stays_unanswered(world: World) -> None:
    asked = await answered(world)
    world.slack.workspace.delete(world.slack.bot_messages("C1")[0])
    await edited(world, asked)
    assert world.slack.bot_messages("C1") == []
    assert await world.kept("q1") == []


async def test_an_edited_question_that_was_never_answered_is_answered(world: World) -> None:
    asked = await world.slack.person().says("can I advertise beer?")
    await edited(world, asked)
    assert len(world.slack.bot_messages("C1")) == 1


@pytest.mark.parametrize("error", ["edit_window_closed", "cant_update_message"])
async def test_an_answer_that_cannot_be_changed_is_given_anew(world: World, error: str) -> None:
    asked = await answered(world)
    world.slack.trouble("chat.update", refused(error))
    await edited(world, asked)
    assert len(world.slack.bot_messages("C1")) == 2


@pytest.mark.parametrize("dies_at", ["posted", "saved"])
async def test_given_anew_it_is_there_once_whenever_the_process_dies(world: World, dies_at: str) -> None:
    asked = await answered(world)
    world.slack.trouble("chat.update", refused("edit_window_closed"), times=2 if dies_at == "posted" else 1)
    process = world.process(dies_at=dies_at)
    await process.service.accept(world.question(thread=asked.ts, asked_in=asked.ts, edits=True))
    await process.die()
    world.clock.move(minutes=5)  # its lease has run out
    await world.ask(world.process())
    assert len(world.slack.bot_messages("C1")) == 2


async def test_a_deletion_removes_an_answer_that_a_slow_model_gives_later(world: World) -> None:
    asked = await world.slack.person().says("can I advertise beer?")
    question = world.question(thread=asked.ts, asked_in=asked.ts)
    since = world.clock()

    async def sleep(seconds: float) -> None:
        world.clock.move(seconds=seconds)
        if world.clock() - since > timedelta(seconds=100) and not world.slack.bot_messages("C1"):
            await world.ask(world.process(), question)

    assert await replace(world.withdrawing(), sleep=sleep).withdraw("T1", "C1", asked.ts)
    assert world.slack.bot_messages("C1") == []


async def test_a_deletion_removes_the_answer(world: World) -> None:
    asked = await answered(world)
    await world.slack.person().deletes(asked)
    assert await world.withdrawing().withdraw("T1", "C1", asked.ts)
    assert world.slack.bot_messages("C1") == []
    assert await world.kept() == []
    assert not await world.withdrawing().withdraw("T1", "C1", asked.ts)


async def test_unless_others_replied(world: World) -> None:
    asked = await answered(world)
    await world.slack.person("U2").says("thanks", thread_ts=asked.ts)
    assert not await world.withdrawing().withdraw("T1", "C1", asked.ts)
    assert len(world.slack.bot_messages("C1")) == 1


async def test_what_the_asker_says_or_others_said_before_holds_nothing(world: World) -> None:
    asked = await world.slack.person().says("can I advertise beer?")
    await world.slack.person("U2").says("good question", thread_ts=asked.ts)
    await world.ask(world.process(), world.question(thread=asked.ts, asked_in=asked.ts))
    await world.slack.person().says("thanks", thread_ts=asked.ts)
    assert await world.withdrawing().withdraw("T1", "C1", asked.ts)


async def test_somebody_elses_question_after_it_is_a_reply_and_known_without_asking(world: World) -> None:
    asked = await answered(world)
    later = await world.slack.person("U2").says("and wine?", thread_ts=asked.ts)
    await world.ask(world.process(), world.question(thread=asked.ts, asked_in=later.ts, user="U2"))
    world.slack.api_calls.clear()
    assert not await world.withdrawing().withdraw("T1", "C1", asked.ts)
    assert world.slack.api_calls == []


async def test_ones_own_later_questions_are_not(world: World) -> None:
    asked = await answered(world)
    later = await world.slack.person().says("and wine?", thread_ts=asked.ts)
    await world.ask(world.process(), world.question(thread=asked.ts, asked_in=later.ts))
    assert await world.withdrawing().withdraw("T1", "C1", asked.ts)
    assert len(world.slack.bot_messages("C1")) == 1


@pytest.mark.parametrize("trouble", [rate_limited(60), refused("missing_scope"), Trouble(500)])
async def test_where_nobody_knows_who_replied_the_answer_stays(world: World, trouble: Trouble) -> None:
    asked = await answered(world)
    world.slack.trouble("conversations.replies", trouble)
    assert not await world.withdrawing().withdraw("T1", "C1", asked.ts)
    assert len(world.slack.bot_messages("C1")) == 1
    assert world.slack.api_calls.count("conversations.replies") == 1


async def test_an_answer_on_its_way_is_waited_for(world: World) -> None:
    asked = await world.slack.person().says("can I advertise beer?")
    question = world.question(thread=asked.ts, asked_in=asked.ts)
    withdrawing = world.withdrawing()

    async def sleep(seconds: float) -> None:
        if not await world.kept():
            await world.ask(world.process(), question)

    assert await replace(withdrawing, sleep=sleep).withdraw("T1", "C1", asked.ts)
    assert world.slack.bot_messages("C1") == []


async def test_other_peoples_messages_remove_nothing(world: World) -> None:
    await answered(world)
    other = await world.slack.person("U2").says("lunch?")
    assert not await world.withdrawing().withdraw("T1", "C1", other.ts)
    assert not await world.withdrawing().withdraw("T1", "C1", "")
    assert not await world.withdrawing().withdraw("T2", "C1", other.ts)
    assert len(world.slack.bot_messages("C1")) == 1
