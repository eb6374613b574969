"""Who sends dies, or the answer of Teams is lost: through Graph, where it may read, the message is found and not sent
again; everywhere else it is sent as if it were not there. With the real connector, renderer and stores."""

import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.teams.addresses import teams_address
from bot.model.messages import InboundQuestion
from ops.sandbox.teams import APP_ID, Message, Trouble
from rag_core.answers import Reply
from rag_core.errors import Unavailable
from tests.fakes.replies import answer, clarification, refusal
from tests.fakes.service import until
from tests.fakes.teams import CHANNEL, GROUP_CHAT
from tests.scenarios.test_teams_replies import TeamsWorld, asked, teams_world

BEFORE_IT_IS_KEPT = "posted"
"""Teams has it, and nobody has written that down."""

READABLE = [CHANNEL, GROUP_CHAT]
OTHER_APP = "28:99999999-9999-9999-9999-999999999999"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[TeamsWorld]:
    async with teams_world(tmp_path) as made:
        yield made


def consent(world: TeamsWorld, where: str, *, granted: bool = True) -> None:
    if where:
        world.teams_server.reads_all(where, granted=granted)


async def killed(world: TeamsWorld, question: InboundQuestion, step: str = BEFORE_IT_IS_KEPT, **more: Reply) -> None:
    """At a step; then nobody works on it until its lease has run out."""
    first = world.process(dies_at=step)
    first.asking.reply = more.get("reply", first.asking.reply)
    await first.service.accept(question)
    await first.die()
    world.clock.move(seconds=61)


async def taken_over(world: TeamsWorld, **more: Reply) -> list[str]:
    """By another process; what it told of looking."""
    second = world.process()
    second.asking.reply = more.get("reply", second.asking.reply)
    await world.ask(second)
    return [each for each in second.told.lines if each.startswith("reconciled")]


def looks(world: TeamsWorld) -> list[str]:
    return [each for each in world.teams_server.graph.calls if "/messages" in each]


async def kept_at(world: TeamsWorld, answer_id: str = "q1") -> list[str]:
    return [each.place.message for each in await world.kept(answer_id)]


@pytest.mark.parametrize("where", READABLE)
@pytest.mark.parametrize("step", ["asking", "answered", "sending written", "rendering", BEFORE_IT_IS_KEPT, "saved"])
async def test_killed_at_any_step_it_stands_there_once(world: TeamsWorld, where: str, step: str) -> None:
    consent(world, where)
    await killed(world, await asked(world, where), step)
    await taken_over(world)
    [message], [kept] = world.shown(where), await world.kept()
    assert kept.place.message == message.id
    assert kept.posted_at <= message.at  # else who replied meanwhile would count as having replied before
    is_looked_for = step in ("sending written", "rendering", BEFORE_IT_IS_KEPT)
    assert len(looks(world)) == is_looked_for


@pytest.mark.parametrize("where", [*READABLE, ""])
async def test_without_consent_and_in_personal_chats_it_is_sent_as_ever(world: TeamsWorld, where: str) -> None:
    await killed(world, await asked(world, where))
    assert await taken_over(world) == ["reconciled False"]
    assert len(world.shown(where)) == 2
    assert len(looks(world)) == (1 if where else 0)


@pytest.mark.parametrize("where", READABLE)
async def test_nothing_is_asked_of_graph_while_all_goes_well(world: TeamsWorld, where: str) -> None:
    consent(world, where)
    await world.ask(world.process(), await asked(world, where), await asked(world, where))
    assert world.teams_server.graph.calls == []


@pytest.mark.parametrize(
    "reply",
    [answer(), refusal(), clarification()],
    ids=["answer", "refusal", "clarification"],
)
@pytest.mark.parametrize("where", READABLE)
async def test_every_reply_is_known_again(world: TeamsWorld, where: str, reply: Reply) -> None:
    consent(world, where)
    await killed(world, await asked(world, where), reply=reply)
    assert await taken_over(world, reply=reply) == ["reconciled True"]
    assert len(world.shown(where)) == 1


@pytest.mark.parametrize("where", READABLE)
async def test_words_alone_are_known_again(world: TeamsWorld, where: str) -> None:
    consent(world, where)
    world.teams_server.trouble("POST", Trouble(400, "BadSyntax"))
    await killed(world, await asked(world, where))
    await taken_over(world)
    [message] = world.shown(where)
    assert not message.card
    assert await kept_at(world) == [message.id]


@pytest.mark.parametrize("where", READABLE)
async def test_an_apology_is_known_again(world: TeamsWorld, where: str) -> None:
    consent(world, where)
    first = world.process(dies_at=BEFORE_IT_IS_KEPT)
    first.asking.failures = [ZeroDivisionError()]
    await first.service.accept(await asked(world, where))
    await first.die()
    world.clock.move(seconds=61)
    assert await taken_over(world) == ["reconciled True"]
    assert len(world.shown(where)) == 1


@pytest.mark.parametrize("where", READABLE)
@pytest.mark.parametrize("in_words", [False, True])
async def test_that_it_is_to_come_is_not_taken_for_the_answer(world: TeamsWorld, where: str, in_words: bool) -> None:
    consent(world, where)
    first = world.process()
    first.asking.failures = [Unavailable("index_failed")] * 2
    if in_words:
        world.teams_server.trouble("POST", Trouble(400, "BadSyntax"))
    async with first.working():
        await first.service.accept(await asked(world, where))

        async def told() -> bool:
            return bool(first.inbox.postponed)

        await until(told, 10.0)
    [to_come] = world.shown(where)
    world.clock.move(seconds=20)
    second = world.process(dies_at="rendering")
    await second.die()
    world.clock.move(seconds=61)
    assert await taken_over(world) == ["reconciled False"]
    assert len(world.shown(where)) == 2
    assert to_come.id not in await kept_at(world)


@pytest.mark.parametrize("where", READABLE)
async def test_another_answer_of_ours_in_the_same_place_is_not_taken_for_it(world: TeamsWorld, where: str) -> None:
    """Also with the same words, and also one that nobody has written down."""
    consent(world, where)
    question = await asked(world, where)
    await killed(world, question)
    twin = replace(question, question_id="q9", claim_key="twin")
    first = world.process(dies_at="rendering")
    await first.service.accept(twin)
    await taken_over(world)
    [one, other] = world.shown(where)
    assert (await kept_at(world, "q1"), await kept_at(world, "q9")) == ([one.id], [other.id])


@pytest.mark.parametrize("where", READABLE)
async def test_what_another_app_or_a_person_wrote_is_not_taken_for_it(world: TeamsWorld, where: str) -> None:
    consent(world, where)
    question = await asked(world, where)
    await killed(world, question)
    [ours] = world.shown(where)
    messages = world.teams_server.world.messages
    for author in (OTHER_APP, world.teams_server.person(2).account.user):
        messages.post(ours.conversation, author, ours.activity, thread=ours.thread)
    messages.put(replace(ours, is_deleted=True))
    assert await taken_over(world) == ["reconciled False"]
    by_us = [each for each in world.shown(where) if each.author == f"28:{APP_ID}"]
    assert [each.id for each in by_us] == await kept_at(world)


@pytest.mark.parametrize("where", READABLE)
async def test_what_was_deleted_meanwhile_cannot_be_told_and_comes_again(world: TeamsWorld, where: str) -> None:
    consent(world, where)
    await killed(world, await asked(world, where))
    [ours] = world.shown(where)
    world.teams_server.world.messages.put(replace(ours, is_deleted=True))
    await taken_over(world)
    [again] = world.shown(where)
    assert again.id != ours.id


def edited(question: InboundQuestion) -> InboundQuestion:
    address = replace(teams_address(question.reply_address), edits=True)
    return replace(question, question_id="q2", claim_key="edit", reply_address=address.as_reply_address())


@pytest.mark.parametrize("where", READABLE)
async def test_the_answer_before_an_edit_is_not_taken_for_the_one_after_it(world: TeamsWorld, where: str) -> None:
    consent(world, where)
    question = await asked(world, where)
    await world.ask(world.process(), question)
    [kept] = await world.kept("q1")
    await world.posted.remove(kept.place)  # nobody knows of it any more
    await killed(world, edited(question), "rendering")
    assert await taken_over(world) == ["reconciled False"]
    [_, after] = world.shown(where)
    assert await kept_at(world, "q2") == [after.id]


@pytest.mark.parametrize("where", READABLE)
async def test_what_was_found_is_replaced_by_an_edit(world: TeamsWorld, where: str) -> None:
    consent(world, where)
    question = await asked(world, where)
    await killed(world, question)
    await taken_over(world)
    await world.ask(world.process(), edited(question))
    [message] = world.shown(where)
    assert await kept_at(world, "q2") == [message.id]


@pytest.mark.parametrize("where", READABLE)
async def test_killed_after_an_edit_replaced_the_answer_it_is_there_once(world: TeamsWorld, where: str) -> None:
    consent(world, where)
    question = await asked(world, where)
    await world.ask(world.process(), question)
    await killed(world, edited(question))
    await taken_over(world)
    [message] = world.shown(where)
    assert (await kept_at(world, "q1"), await kept_at(world, "q2")) == ([], [message.id])


async def test_of_a_card_that_says_it_is_worked_on_and_cannot_be_changed_the_answer_below_is_found(
    world: TeamsWorld,
) -> None:
    consent(world, CHANNEL)
    question = await asked(world, CHANNEL)
    working = replace(teams_address(question.reply_address), working="1", asked_in="")
    world.teams_server.trouble("PUT", Trouble(400, "BadSyntax"), times=9)
    await killed(world, replace(question, reply_address=working.as_reply_address()))
    assert await taken_over(world) == ["reconciled True"]
    assert len(world.shown(CHANNEL)) == 1


async def test_a_new_post_is_found(world: TeamsWorld) -> None:
    """What is shared from a personal chat begins a thread of its own."""
    consent(world, CHANNEL)
    question = world.question(CHANNEL, asked_in="", shared_by="Person 1")
    await killed(world, question)
    assert await taken_over(world) == ["reconciled True"]
    [message] = world.shown(CHANNEL)
    assert (message.thread, await kept_at(world)) == ("", [message.id])


async def test_of_a_question_without_its_thread_the_answer_is_looked_for_in_the_one_that_it_begins(
    world: TeamsWorld,
) -> None:
    consent(world, CHANNEL)
    question = await asked(world, CHANNEL)
    bare = replace(teams_address(question.reply_address), conversation_id=CHANNEL)
    await killed(world, replace(question, reply_address=bare.as_reply_address()))
    assert await taken_over(world) == ["reconciled True"]
    assert len(world.shown(CHANNEL)) == 1


async def test_of_a_text_and_a_card_that_became_two_messages_the_card_is_found(world: TeamsWorld) -> None:
    world.teams_server.world.splits_messages = True
    consent(world, CHANNEL)
    await killed(world, await asked(world, CHANNEL))
    assert await taken_over(world) == ["reconciled True"]
    [_, card] = world.shown(CHANNEL)
    assert await kept_at(world) == [card.id]


@pytest.mark.parametrize("where", READABLE)
async def test_it_is_found_many_messages_ago_but_not_without_end(world: TeamsWorld, where: str) -> None:
    consent(world, where)
    question = await asked(world, where)
    await killed(world, question)
    chatter(world, question, 150)
    assert await taken_over(world) == ["reconciled True"]
    again = await asked(world, where)
    await killed(world, again)
    chatter(world, again, 250)
    assert await taken_over(world) == ["reconciled False"]
    assert len(looks(world)) == 8 + 10


def chatter(world: TeamsWorld, question: InboundQuestion, count: int) -> None:
    """People talk on, in the thread where there is one."""
    address, server = teams_address(question.reply_address), world.teams_server
    place = server.world.place(address.conversation_id)
    thread = address.asked_in if place.team else ""
    for number in range(count):
        said = {"text": f"so I heard {number}"}
        server.world.messages.post(place.id, server.person(2).account.user, said, thread=thread)


@pytest.mark.parametrize("where", READABLE)
async def test_while_graph_is_late_or_down_it_is_sent(world: TeamsWorld, where: str) -> None:
    consent(world, where)
    world.teams_server.facts.late = timedelta(minutes=5)
    await killed(world, await asked(world, where))
    await taken_over(world)
    assert len(world.shown(where)) == 2
    world.teams_server.facts.late = timedelta()
    for status, wait in ((500, None), (429, 60), (400, None)):
        before = len(world.shown(where))
        await killed(world, await asked(world, where))
        world.teams_server.graph.troubles.append((status, wait))
        await taken_over(world)
        assert len(world.shown(where)) == before + 2


async def test_nothing_that_was_read_is_logged(world: TeamsWorld, caplog: pytest.LogCaptureFixture) -> None:
    consent(world, GROUP_CHAT)
    with caplog.at_level(logging.DEBUG):
        question = await asked(world, GROUP_CHAT)
        await killed(world, question)
        chatter(world, question, 3)
        await taken_over(world)
        world.teams_server.graph.troubles.append((403, None))
        await killed(world, await asked(world, GROUP_CHAT))
        await taken_over(world)
    assert "so I heard" not in caplog.text
    assert "Person 2" not in caplog.text


def marks_of(message: Message) -> list[str]:
    body = message.card.get("body")
    assert isinstance(body, list)
    return [each["id"] for each in body if str(each.get("id", "")).startswith("answer-")]


async def test_the_mark_is_one_and_shown_to_nobody(world: TeamsWorld) -> None:
    await world.ask(world.process(), await asked(world, CHANNEL))
    [message] = world.shown(CHANNEL)
    assert marks_of(message) == ["answer-q1"]
    assert "answer-q1" not in message.text
