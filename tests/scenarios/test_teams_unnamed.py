"""Messages of which Teams says no id: nothing of them is lost or doubled, and nothing else is changed for them."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.teams.actions.asking import begin_working
from adapters.teams.addresses import TeamsReference, teams_address
from adapters.teams.delivery.replies import TeamsWithdrawing
from adapters.teams.parts import TeamsParts
from adapters.teams.ports import Activity
from bot.model.messages import InboundQuestion
from bot.model.posted import Posted
from ops.sandbox.teams import Message
from tests.fakes.teams import CHANNEL, FakeDirectory, FakeInbound, FakeOutbound, settings
from tests.scenarios.test_teams_replies import TeamsWorld, asked, teams_world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[TeamsWorld]:
    async with teams_world(tmp_path) as made:
        made.teams_server.world.splits_messages = True
        yield made


def answers(world: TeamsWorld) -> list[Message]:
    """The texts with the citations; the cards are messages of their own."""
    return [each for each in world.shown(CHANNEL) if each.text]


async def killed_and_answered_by_another(world: TeamsWorld, question: InboundQuestion, step: str) -> None:
    first = world.process(dies_at=step)
    await first.service.accept(question)
    await first.die()
    world.clock.move(seconds=61)
    await world.ask(world.process())


async def test_answers_are_known_apart_and_none_is_sent_again(world: TeamsWorld) -> None:
    for _ in range(2):
        await killed_and_answered_by_another(world, await asked(world, CHANNEL), "saved")
    [one], [other] = await world.kept("q1"), await world.kept("q2")
    assert one.place.message != other.place.message
    assert (one.asked_in, other.asked_in) == tuple(each.root for each in answers(world))


async def test_an_edited_question_is_answered_below_what_cannot_be_changed(world: TeamsWorld) -> None:
    question = await asked(world, CHANNEL)
    await world.ask(world.process(), question)
    address = replace(teams_address(question.reply_address), edits=True)
    again = replace(question, question_id="q2", claim_key="edit", reply_address=address.as_reply_address())
    await killed_and_answered_by_another(world, again, "saved")
    assert len(answers(world)) == 2
    assert world.teams_server.calls_of("PUT") == []


async def test_nothing_else_is_deleted_with_a_deleted_question(world: TeamsWorld) -> None:
    question = await asked(world, CHANNEL)
    await world.ask(world.process(), question)

    async def nobody(_address: object, _answer: Posted) -> bool:
        return False

    withdrawing = TeamsWithdrawing(world.outbound, world.posted, nobody)
    assert await withdrawing.withdraw(teams_address(question.reply_address)) is False
    assert world.teams_server.calls_of("DELETE") == []
    assert len(await world.kept("q1")) == 1


async def test_what_has_no_citations_is_one_message_with_an_id(world: TeamsWorld) -> None:
    process = world.process()
    process.asking.failures = [ZeroDivisionError()]
    await world.ask(process, await asked(world, CHANNEL))
    [message], [kept] = world.shown(CHANNEL), await world.kept("q1")
    assert kept.place.message == message.id


class Unnamed(FakeOutbound):
    """Takes everything, and says no id."""

    async def send(self, to: TeamsReference, activity: Activity, *, once: bool = False) -> str:
        await super().send(to, activity)
        return ""


async def test_a_card_that_says_it_is_worked_on_may_have_no_id(world: TeamsWorld) -> None:
    async def accept(_: InboundQuestion) -> bool:
        return True

    outbound = Unnamed()
    parts = TeamsParts(settings(), FakeInbound(), outbound, FakeDirectory(), accept)
    address = teams_address((await asked(world, CHANNEL)).reply_address)
    working = await begin_working(parts, address, "a question")
    working.take_back()
    await parts.background.aclose()
    assert (working.id, outbound.deleted, len(outbound.written)) == ("", [], 1)
