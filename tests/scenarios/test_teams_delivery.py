"""How replies get to Teams: where, once, in time, and what becomes of them when something is in the way."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from adapters.teams.addresses import TeamsReference
from adapters.teams.delivery.posting import TeamsPatience
from adapters.teams.ports import Activity
from bot.model.posted import MessagePlace, Posted, Subject
from bot.questions.answerer import Asked
from rag_core.errors import Rejected, Unavailable
from tests.fakes.delivery import PSEUDONYMS
from tests.fakes.service import until
from tests.fakes.teams import BOT, CHANNEL, GROUP_CHAT, SERVICE_URL, TEAM, TENANT, personal_chat
from tests.fakes.teams_delivery import Process, Standing, World, delivery_world

UNKNOWN = Unavailable("teams_unreachable", delivered="unknown")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with delivery_world(tmp_path) as made:
        yield made


async def test_a_reply_in_a_channel_goes_to_its_thread(world: World) -> None:
    await world.ask(world.process(), world.question(CHANNEL, "root"))
    [message] = world.messages
    assert message.to.conversation == f"{CHANNEL};messageid=root"
    assert (message.activity["replyToId"], message.has_card) == ("a1", True)
    [kept] = await world.kept()
    assert (kept.place.workspace, kept.place.channel) == (TENANT, f"{TEAM}/{CHANNEL}")
    assert (kept.place.message, kept.place.thread, kept.asked_in) == (message.id, "root", "a1")
    assert kept.person == PSEUDONYMS.of(world.question().actor)


async def test_of_a_new_post_the_thread_is_its_own(world: World) -> None:
    await world.ask(world.process(), world.question(CHANNEL))
    [message] = world.messages
    assert message.to.conversation == f"{CHANNEL};messageid=a1"


@pytest.mark.parametrize("where", [GROUP_CHAT, ""])
async def test_in_a_chat_it_answers_the_message_and_mentions_nobody(world: World, where: str) -> None:
    process = world.process()
    await world.ask(process, world.question(where))
    [message] = world.messages
    assert message.to.conversation == (where or personal_chat(1))
    assert message.activity["replyToId"] == "a1"
    assert not [each for each in message.activity["entities"] if each["type"] == "mention"]
    assert process.views[-1].is_private is (where == "")
    assert not process.views[-1].with_question


async def test_what_nobody_saw_asked_comes_with_its_question_and_as_a_new_post(world: World) -> None:
    process = world.process()
    await world.ask(process, world.question(CHANNEL, asked_in="", shared_by="Person 1", shared_chunks="c1 c2"))
    [message] = world.messages
    assert message.to.conversation == CHANNEL
    assert "replyToId" not in message.activity
    view = process.views[-1]
    assert (view.with_question, view.shared_by, view.shared_chunks) == (True, "Person 1", ("c1", "c2"))
    [kept] = await world.kept()
    assert kept.place.thread == message.id


async def test_an_edited_question_gets_its_answer_replaced(world: World) -> None:
    await world.ask(world.process(), world.question(CHANNEL, "root"))
    await world.ask(world.process(), world.question(CHANNEL, "root", asked_in="a1", edits=True))
    [message] = world.messages
    assert message.text == "answer q2"
    assert [each.place.message for each in await world.kept("q2")] == [message.id]


def working_card(world: World) -> Standing:
    """A card of ours that says that it is worked on."""
    to = TeamsReference(SERVICE_URL, TENANT, f"{CHANNEL};messageid=root", BOT)
    world.teams.messages["card"] = card = Standing("card", to, {"type": "message", "text": "Working on it."})
    return card


async def waiting(process: Process, count: int = 1) -> None:
    """Until it was put back into the inbox so often."""

    async def put_off() -> bool:
        return len(process.inbox.postponed) >= count

    await until(put_off, 10.0)


async def test_a_working_card_becomes_the_answer(world: World) -> None:
    card, process = working_card(world), world.process()
    process.asking.failures = [Unavailable("index_failed")] * 2
    async with process.working():
        await process.service.accept(world.question(CHANNEL, "root", working="card", asked_in=""))
        await waiting(process)
        assert card.text == "postponed q1"
        world.clock.move(seconds=10)
        await world.ended("sent")
    assert (card.text, world.messages) == ("answer q1", [card])
    assert "typing" not in world.teams.calls
    assert [each.place.message for each in await world.kept()] == ["card"]


@pytest.mark.parametrize("of", [{"working": "card", "asked_in": ""}, {"asked_in": "a9", "edits": True}])
async def test_what_somebody_deleted_does_not_come_back(world: World, of: dict[str, Any]) -> None:
    place = MessagePlace("teams", TENANT, f"{TEAM}/{CHANNEL}", "gone", "root")
    await world.posted.save(Posted(place, Subject.ANSWER, "q0", world.clock(), "a9"))
    await world.ask(world.process(), world.question(CHANNEL, "root", **of))
    assert world.messages == []
    assert await world.posted.answering("teams", TENANT, f"{TEAM}/{CHANNEL}", "a9") is None or "working" in of


async def test_a_card_that_teams_does_not_let_us_change_is_answered_below(world: World) -> None:
    working_card(world)
    world.teams.troubles["update"].extend([(Rejected("teams_refused"), False)] * 2)
    await world.ask(world.process(), world.question(CHANNEL, "root", working="card", asked_in=""))
    assert [each.text for each in world.messages] == ["Working on it.", "answer q1"]


async def test_a_closed_conversation_ends_the_question_and_is_told(world: World) -> None:
    world.teams.troubles["send"].append((Rejected("teams_channel_closed"), False))
    process = world.process()
    await world.ask(process, world.question(CHANNEL, "root"), end="failed")
    assert [each.conversation.channel for each in process.closed] == [f"{TEAM}/{CHANNEL}"]
    assert process.log.lines == ["unreachable q1 teams_channel_closed"]


async def test_what_is_too_big_comes_in_a_shorter_form(world: World) -> None:
    world.teams.biggest = 30_000
    await world.ask(world.process(), world.question(text="long"))
    [message] = world.messages
    assert (message.text, message.has_card) == ("answer q1 in 20000", True)


async def test_what_is_always_too_big_comes_in_words_with_a_link(world: World) -> None:
    world.teams.biggest = 2_000
    await world.ask(world.process(), world.question(text="long"))
    [message] = world.messages
    assert not message.has_card
    assert message.text.startswith("answer q1 in 6000\n")
    assert message.text.endswith("https://adpolicy.example\n\nReference of this answer: q1")


async def test_a_card_that_teams_refuses_is_left_out_once(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.teams.troubles["send"].append((Rejected("teams_refused", error="BadSyntax"), False))
    await world.ask(world.process(), world.question())
    [message] = world.messages
    assert message.text.startswith("answer q1")
    assert not message.has_card
    assert "BadSyntax" in caplog.text


async def test_what_is_refused_without_a_card_ends_the_question(world: World) -> None:
    world.teams.troubles["send"].extend([(Rejected("teams_refused"), False)] * 2)
    process = world.process()
    await world.ask(process, world.question(), end="failed")
    assert process.log.lines == ["unreachable q1 teams_refused"]


async def test_a_retry_after_goes_back_to_the_inbox_and_others_are_answered(world: World) -> None:
    slow = Unavailable("teams_slow_down", retry_after=90.0, delivered="no")
    world.teams.troubles["send"].append((slow, False))
    process = world.process()
    async with process.working():
        await process.service.accept(world.question(CHANNEL, "root"))
        await waiting(process)
        await process.service.accept(world.question(GROUP_CHAT, by=2))

        async def answered() -> bool:
            return "sent" in await world.states()

        await until(answered)
        [message] = world.messages
        assert message.to.conversation == GROUP_CHAT
        world.clock.move(seconds=91)
        await world.ended("sent")
    assert process.inbox.postponed == [90.0]
    assert len(world.messages) == 2
    assert not any("reconciled" in line for line in process.told.lines)  # Teams said that it has nothing


async def test_what_teams_has_nothing_of_is_sent_again_at_once(world: World) -> None:
    world.teams.troubles["send"].append((Unavailable("teams_unreachable", delivered="no"), False))
    process = world.process()
    await world.ask(process, world.question())
    assert len(world.messages) == 1
    assert len(process.asking.asked) == 1


async def test_what_nobody_knows_of_is_sent_again_and_not_lost(world: World) -> None:
    world.teams.troubles["send"].append((UNKNOWN, False))
    await world.ask(world.process(), world.question())
    assert len(world.messages) == 1


async def test_only_a_lost_answer_to_a_new_message_can_double_it(world: World) -> None:
    """Documented in the sink: Teams has no way to look for it."""
    world.teams.troubles["send"].append((UNKNOWN, True))
    await world.ask(world.process(), world.question())
    assert len(world.messages) == 2
    world.teams.messages.clear()
    working_card(world)
    world.teams.troubles["update"].append((UNKNOWN, True))
    await world.ask(world.process(), world.question(CHANNEL, "root", working="card", asked_in=""))
    assert len(world.messages) == 1


async def test_a_call_that_hangs_is_given_up(world: World) -> None:
    process, hung = world.process(), asyncio.Event()

    async def send(*_: object) -> str:
        hung.set()
        await asyncio.Event().wait()
        return ""

    process.poster._patience = TeamsPatience(call=0.01)
    real, world.teams.send = world.teams.send, send  # type: ignore[method-assign, assignment]
    async with process.working():
        await process.service.accept(world.question())
        await hung.wait()
        world.teams.send = real  # type: ignore[method-assign]
        await world.ended("sent")
    assert "unavailable q1 teams_unreachable 1" in process.log.lines


async def test_messages_in_a_conversation_take_turns_and_others_are_not_held_up(world: World) -> None:
    process = world.process()
    questions = [world.question(CHANNEL, f"root{number}") for number in range(4)]
    await world.ask(process, *questions, world.question(GROUP_CHAT, by=2))
    assert len(world.messages) == 5
    assert any(0.3 < seconds <= 0.5 for seconds in process.slept)


async def test_a_conversation_that_is_full_sends_its_questions_back(world: World) -> None:
    for _ in range(30):
        await world.pace.turn(f"teams:{TENANT}:{CHANNEL}", 0.5, 100.0)
    process = world.process()
    async with process.working():
        await process.service.accept(world.question(CHANNEL, "root"))
        await waiting(process)
        assert world.messages == []
        world.clock.move(seconds=20)
        await world.ended("sent")
    assert len(world.messages) == 1
    assert "unavailable q1 teams_pacing 1" in process.log.lines


async def test_that_the_answer_is_to_come_is_told_once_and_then_it_comes(world: World) -> None:
    process = world.process()
    process.asking.failures = [Unavailable("index_failed")] * 4
    async with process.working():
        await process.service.accept(world.question())
        await waiting(process)
        world.clock.move(seconds=10)
        await waiting(process, 2)
        world.clock.move(seconds=20)
        await world.ended("sent")
    assert [each.text for each in world.messages] == ["postponed q1", "answer q1"]


async def test_an_error_after_the_acknowledgement_ends_in_a_reply(world: World) -> None:
    process = world.process()
    process.asking.failures = [ZeroDivisionError()]
    await world.ask(process, world.question())
    assert [each.text for each in world.messages] == ["failure q1"]


KILLED_AT = ["asking", "answered", "sending written", "rendering", "before send", "saved"]


@pytest.mark.parametrize("step", KILLED_AT)
@pytest.mark.parametrize("where", [CHANNEL, ""])
async def test_killed_at_any_step_there_is_one_message(world: World, step: str, where: str) -> None:
    first = world.process(dies_at=step)
    await first.service.accept(world.question(where, "root"))
    await first.die()
    world.clock.move(seconds=61)
    await world.ask(world.process())
    [message] = world.messages
    assert [each.place.message for each in await world.kept()] == [message.id]


@pytest.mark.parametrize("step", ["before update", "after update", "posted", "saved"])
async def test_killed_while_a_card_is_replaced_it_is_the_answer(world: World, step: str) -> None:
    card, first = working_card(world), world.process(dies_at=step)
    await first.service.accept(world.question(CHANNEL, "root", working="card", asked_in=""))
    await first.die()
    world.clock.move(seconds=61)
    await world.ask(world.process())
    assert (world.messages, card.text) == ([card], "answer q1")


async def test_killed_before_it_was_kept_it_is_sent_again(world: World) -> None:
    """The one window of a new message: nothing is lost in it."""
    first = world.process(dies_at="after send")
    await first.service.accept(world.question())
    await first.die()
    world.clock.move(seconds=61)
    await world.ask(world.process())
    assert [each.text for each in world.messages] == ["answer q1"] * 2


async def test_stopped_while_a_message_is_on_its_way_it_is_known_to_the_next(world: World) -> None:
    first, on_its_way = world.process(), asyncio.Event()
    real, may_go_on = world.teams.send, asyncio.Event()

    async def send(to: TeamsReference, activity: Activity, *, once: bool = False) -> str:
        id_ = await real(to, activity)
        on_its_way.set()
        await may_go_on.wait()
        return id_

    world.teams.send = send  # type: ignore[method-assign]
    await first.service.accept(world.question())
    working = asyncio.create_task(first.service.run())
    await on_its_way.wait()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    may_go_on.set()
    await first.tasks.aclose()
    assert await first.service.hand_over() == 1
    await world.ask(world.process())
    assert [each.text for each in world.messages] == ["answer q1"]
    await first.progress.aclose()


async def test_while_the_store_is_down_where_it_was_posted_is_kept_later(world: World) -> None:
    process = world.process()
    process.posted.failures = [Unavailable("store_down")] * 4
    await world.ask(process, world.question())
    assert len(world.messages) == len(await world.kept()) == 1


async def test_a_stop_lets_what_is_being_answered_end(world: World) -> None:
    process, begun = world.process(), asyncio.Event()

    async def before(_: Asked) -> None:
        begun.set()
        await asyncio.sleep(0.05)

    process.asking.before = before
    async with process.working():
        await process.service.accept(world.question())
        await begun.wait()
    assert [each.text for each in world.messages] == ["answer q1"]
    assert await world.states() == ["sent"]


async def test_what_a_stopped_process_held_another_one_answers_at_once(world: World) -> None:
    first = world.process(dies_at="asking")
    await first.service.accept(world.question())
    await first.die()
    assert await first.service.hand_over() == 1
    await world.ask(world.process())
    assert [each.text for each in world.messages] == ["answer q1"]


async def test_the_answer_of_a_deleted_question_goes_unless_others_went_on(world: World) -> None:
    await world.ask(world.process(), world.question(CHANNEL, "root"))
    [answer] = world.messages
    assert not await world.withdraw("another")
    await world.ask(world.process(), world.question(CHANNEL, "root", by=2))
    assert not await world.withdraw("a1")
    assert len(world.messages) == 2
    assert await world.withdraw("a2")
    assert world.messages == [answer]
    assert await world.withdraw("a1")
    assert world.messages == []
    assert await world.kept() == []


async def test_an_answer_that_somebody_deleted_before_is_forgotten(world: World) -> None:
    await world.ask(world.process(), world.question(CHANNEL, "root"))
    world.teams.messages.clear()
    assert await world.withdraw("a1")
    assert await world.kept() == []


async def test_an_edit_replaces_the_answer_of_who_asked_and_of_nobody_else(world: World) -> None:
    """Teams lets only its author edit a message; were it otherwise, what somebody else asks is answered below."""
    process = world.process()
    await world.ask(process, world.question(CHANNEL, "root"))
    await world.ask(world.process(), world.question(CHANNEL, "root", by=2, edits=True, asked_in="a1"))
    assert [each.activity["text"] for each in world.messages] == ["answer q1", "answer q2"]
    await world.ask(world.process(), world.question(CHANNEL, "root", by=2, edits=True, asked_in="a1"))
    assert [each.activity["text"] for each in world.messages] == ["answer q1", "answer q3"]
