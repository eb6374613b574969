"""The inbox that goes on without its database: nothing is lost and nothing doubled, whenever the database goes."""

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.model.messages import Conversation
from bot.ports import InboxState
from bot.questions.spool import QUESTIONS
from rag_core.errors import Unavailable
from tests.fakes.outages import (
    LEASE,
    PATIENCE,
    Process,
    World,
    again,
)
from tests.fakes.questions import make_question
from tests.fakes.shared_services import FakeSpool


@pytest.fixture
def world(engine: AsyncEngine) -> World:
    return World(engine)


@pytest.fixture
def process(world: World) -> Process:
    return world.process()


@pytest.fixture
def spool(process: Process) -> FakeSpool:
    assert isinstance(process.spool, FakeSpool)
    return process.spool


async def test_while_the_database_answers_it_is_the_inbox(world: World, process: Process, spool: FakeSpool) -> None:
    assert await process.inbox.accept(make_question())
    assert not await process.inbox.accept(again())
    lease = await process.take()
    assert await process.inbox.postpone(lease, 5)
    assert await process.inbox.take("w", LEASE) is None
    world.clock.move(seconds=5)
    await process.send(await process.take())
    assert (await world.state(), spool.kept, process.log.lines) == ("sent", {}, [])


async def test_a_known_delivery_costs_the_database_nothing(process: Process) -> None:
    await process.inbox.accept(make_question())
    calls = process.sql.calls
    assert not await process.inbox.accept(again())
    assert process.sql.calls == calls


async def test_without_claims_the_database_decides(world: World, process: Process) -> None:
    world.shared_claims.down = True
    assert await process.inbox.accept(make_question())
    assert not await world.process().inbox.accept(again())


async def test_a_question_that_comes_while_the_database_is_down_is_kept_and_answered(
    world: World, process: Process, spool: FakeSpool
) -> None:
    process.sql.down = True
    assert await process.inbox.accept(make_question())
    assert spool.keys(QUESTIONS) == ["q1"]
    lease = await process.take()
    assert (lease.question, lease.attempt) == (make_question(), 1)
    assert await process.inbox.take("w2", LEASE) is None
    await process.send(lease)
    assert await process.takes_nothing()
    await process.comes_back()
    assert (await world.state(), spool.kept) == ("sent", {})
    assert not await world.process().inbox.accept(again())
    assert process.log.lines == ["unavailable - switched_off", "spooled question q1", "entered question q1"]


async def test_a_late_delivery_to_another_process_is_not_answered_twice(world: World, process: Process) -> None:
    world.shared_claims.down = True
    process.sql.down = True
    await process.inbox.accept(make_question())
    await process.send(await process.take())
    await process.comes_back()
    other = world.process()
    assert not await other.inbox.accept(again())
    assert await other.takes_nothing()


@pytest.mark.parametrize("claims_down", [False, True])
async def test_many_deliveries_to_one_process_are_one_question(
    world: World, process: Process, spool: FakeSpool, claims_down: bool
) -> None:
    world.shared_claims.down = claims_down
    process.sql.down = True
    deliveries = [make_question(n, question_id=f"q{n}-{copy}") for copy in range(10) for n in range(10)]
    accepted = await asyncio.gather(*(process.inbox.accept(each) for each in deliveries))
    assert (sum(accepted), len(spool.kept)) == (10, 10)


async def test_without_the_database_the_claims_decide_between_processes(world: World, process: Process) -> None:
    other = world.process()
    process.sql.down = other.sql.down = True
    assert await process.inbox.accept(make_question())
    assert not await other.inbox.accept(again())
    assert await other.takes_nothing()


async def test_what_cannot_be_kept_is_not_accepted_and_may_come_again(world: World) -> None:
    spool = FakeSpool(room=0)
    process = world.process(spool)
    process.sql.down = True
    with pytest.raises(Unavailable, match="spool_full"):
        await process.inbox.accept(make_question())
    assert await process.takes_nothing()
    spool.room = 1
    assert await process.inbox.accept(again())


async def test_a_delivery_whose_sender_has_gone_is_forgotten_and_may_come_again(
    world: World, process: Process, spool: FakeSpool
) -> None:
    process.sql.down = world.shared_claims.hangs = True
    slow = asyncio.create_task(process.inbox.accept(make_question()))
    await asyncio.sleep(0.05)
    slow.cancel()
    await asyncio.gather(slow, return_exceptions=True)
    assert spool.kept == {}
    world.shared_claims.hangs = False
    assert await process.inbox.accept(again())


async def test_a_database_that_hangs_is_one_that_is_down(world: World) -> None:
    process = world.process(patience=replace(PATIENCE, accept=0.1))
    process.sql.hangs = True
    async with asyncio.timeout(PATIENCE.call / 2):
        assert await process.inbox.accept(make_question())
        assert await process.inbox.take("w", LEASE) is None
        world.clock.move(seconds=PATIENCE.look_again)
        assert (await process.take()).question == make_question()
    calls = process.sql.calls
    assert await process.inbox.accept(make_question(2))
    assert process.sql.calls == calls  # it is left alone for a while


async def test_down_between_accepting_and_taking(world: World, process: Process) -> None:
    await process.inbox.accept(make_question())
    process.sql.down = True
    assert await process.inbox.take("w", LEASE) is None
    await process.comes_back()
    await process.send(await process.take())
    assert await world.state() == "sent"


async def test_an_acceptance_whose_answer_was_lost_is_one_question(world: World, process: Process) -> None:
    process.sql.loses_answers = True
    assert await process.inbox.accept(make_question())
    process.sql.loses_answers, process.sql.down = False, True
    await process.send(await process.take())
    assert await world.state() == "accepted"
    await process.comes_back()
    assert await world.state() == "sent"
    assert await process.takes_nothing()


@pytest.mark.parametrize("back", [False, True])
async def test_an_acceptance_that_took_too_long_is_not_worked_on_before_the_database_was_asked_again(
    world: World, back: bool
) -> None:
    """It may be there, and with another process."""
    process, other = world.process(), world.process()
    process.sql.keeps_answers = True
    assert await process.inbox.accept(make_question())
    process.sql.keeps_answers, process.sql.down = False, not back
    assert await process.inbox.take("w", LEASE) is None
    if back:
        await other.send(await other.take())
    world.clock.move(seconds=PATIENCE.look_again)
    if back:
        assert await process.takes_nothing()
    else:
        await process.send(await process.take())
        await process.comes_back()
    assert await world.state() == "sent"
    assert await other.takes_nothing()


@pytest.mark.parametrize("sending", [False, True])
async def test_an_acceptance_whose_answer_was_lost_is_not_taken_by_others_once_it_is_worked_on(
    world: World, process: Process, sending: bool
) -> None:
    process.sql.loses_answers = True
    assert await process.inbox.accept(make_question())
    process.sql.loses_answers, process.sql.down = False, True
    lease = await process.take()
    assert not sending or await process.inbox.hold(lease, LEASE, sending=True)
    await process.comes_back()
    assert await world.process().inbox.take("other", LEASE) is None
    await process.send(lease)
    assert await world.state() == "sent"


async def test_down_before_sending_is_confirmed(world: World, process: Process) -> None:
    """It is not sent: another process may have it by the time the database is back."""
    await process.inbox.accept(make_question())
    lease = await process.take()
    process.sql.down = True
    with pytest.raises(Unavailable):
        await process.inbox.hold(lease, LEASE, sending=True)
    with pytest.raises(Unavailable):
        await process.inbox.postpone(lease, 5)
    with pytest.raises(Unavailable):
        await process.inbox.finish(lease, InboxState.ACCEPTED)
    await process.comes_back()
    world.clock.move(seconds=LEASE)
    second = await process.take()
    assert (second.attempt, second.was_sending) == (2, False)
    await process.send(second)


@pytest.mark.parametrize("state", [InboxState.SENT, InboxState.FAILED])
async def test_down_between_sending_and_writing_it_down(world: World, process: Process, state: InboxState) -> None:
    await process.inbox.accept(make_question())
    lease = await process.take()
    assert await process.inbox.hold(lease, LEASE, sending=True)
    process.sql.down = True
    assert await process.inbox.finish(lease, state)
    world.clock.move(seconds=2 * LEASE)  # the lease has run out
    assert await process.inbox.take("w", LEASE) is None
    await process.comes_back()
    assert await world.state() == state
    assert await process.takes_nothing()


async def test_what_was_sent_and_not_written_down_is_known_after_a_restart(world: World, process: Process) -> None:
    await process.inbox.accept(make_question())
    lease = await process.take()
    assert await process.inbox.hold(lease, LEASE, sending=True)
    process.sql.down = True
    await process.inbox.finish(lease, InboxState.SENT)
    restarted = world.process(process.spool)
    world.clock.move(seconds=2 * LEASE)
    assert await restarted.takes_nothing()
    assert await world.state() == "sent"


async def test_an_end_whose_answer_was_lost_is_an_end(world: World, process: Process) -> None:
    await process.inbox.accept(make_question())
    lease = await process.take()
    assert await process.inbox.hold(lease, LEASE, sending=True)
    process.sql.loses_answers = True
    assert await process.inbox.finish(lease, InboxState.SENT)
    process.sql.loses_answers = False
    await process.comes_back()
    assert (await world.state(), await process.takes_nothing()) == ("sent", True)


async def test_others_wait_until_everybody_has_told_what_was_sent(world: World, process: Process) -> None:
    """The other process meets the database first, and the lease of what was sent has run out."""
    other = world.process()
    await process.inbox.accept(make_question())
    lease = await process.take()
    assert await process.inbox.hold(lease, LEASE, sending=True)
    process.sql.down = other.sql.down = True
    await process.inbox.finish(lease, InboxState.SENT)
    assert await other.inbox.take("other", LEASE) is None
    world.clock.move(seconds=2 * LEASE)
    other.sql.down = False
    assert await other.inbox.take("other", LEASE) is None
    await process.comes_back()
    assert await other.takes_nothing()


async def test_after_a_short_outage_nobody_waits(world: World, process: Process) -> None:
    await process.inbox.accept(make_question())
    process.sql.down = True
    assert await process.inbox.take("w", LEASE) is None
    await process.comes_back()
    assert (await process.take()).question == make_question()


@pytest.mark.parametrize("state", ["sending", "sent"])
async def test_who_works_on_a_question_does_not_wait_until_the_database_knows_of_all_others(
    world: World, process: Process, state: str
) -> None:
    """There may be so many of them that its lease would run out, and another process would send it again."""
    process.sql.down = True
    for number in range(1, 11):
        await process.inbox.accept(make_question(number, conversation=Conversation("slack", "T1", "C1", str(number))))
    lease = await process.take()
    assert await process.inbox.hold(lease, LEASE, sending=True)
    process.sql.down = False
    world.clock.move(seconds=PATIENCE.look_again)
    told = asyncio.Event()

    async def others_wait() -> None:
        if process.sql.entered:
            await told.wait()

    process.sql.before_entering = others_wait
    settling = asyncio.create_task(process.inbox.settle(LEASE))
    await process.sql.entering.wait()
    if state == "sent":
        assert await process.inbox.finish(lease, InboxState.SENT)
    else:
        assert await process.inbox.hold(lease, LEASE)
    told.set()
    assert await settling == 10
    assert await world.state() == state
