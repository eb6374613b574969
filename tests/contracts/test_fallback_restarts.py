"""Processes that die, are restarted and go on while the database is away: nothing is lost and nothing doubled."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.local.spool import LocalSpool
from bot.model.messages import Conversation
from bot.ports import InboxState, Lease
from bot.questions.delivery import Pace
from bot.questions.spool import QUESTIONS
from rag_core.errors import Unavailable
from rag_core.questions import Filters, Turn
from tests.fakes.office import Office, question, states
from tests.fakes.outages import (
    LEASE,
    PATIENCE,
    Process,
    World,
    again,
)
from tests.fakes.questions import NOON, make_question
from tests.fakes.service import REPLY, until
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


STATES = ["accepted", "running", "sending", "postponed", "sent"]


async def brought_to(state: str, process: Process) -> Lease | None:
    """Question 1, accepted without the database, in that state."""
    process.sql.down = True
    await process.inbox.accept(make_question())
    if state == "accepted":
        return None
    lease = await process.take()
    if state == "postponed":
        await process.inbox.postpone(lease, 30)
    if state in ("sending", "sent"):
        assert await process.inbox.hold(lease, LEASE, sending=True)
    if state == "sent":
        await process.inbox.finish(lease, InboxState.SENT)
    return lease


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("back", [False, True])
async def test_a_restart_finds_what_was_accepted(state: str, back: bool, world: World, process: Process) -> None:
    await brought_to(state, process)
    restarted = world.process(process.spool)
    restarted.sql.down = not back
    assert not await restarted.inbox.accept(again())
    if state == "sent":
        assert await restarted.takes_nothing()
    else:
        lease = await restarted.take()
        assert (lease.question, lease.was_sending) == (make_question(), state == "sending")
        assert (lease.attempt, lease.postponed) == (1 if state == "accepted" else 2, int(state == "postponed"))
        await restarted.send(lease)
    await restarted.comes_back()
    assert await world.state() == "sent"
    assert await restarted.takes_nothing()


@pytest.mark.parametrize("state", STATES)
async def test_the_database_learns_the_true_state(state: str, world: World, process: Process, spool: FakeSpool) -> None:
    lease = await brought_to(state, process)
    await process.comes_back()
    assert await world.state() == ("accepted" if state == "postponed" else state)
    assert spool.kept == {}
    other = world.process()
    taken = await other.inbox.take("other", LEASE)
    assert (taken is None) is (state in ("running", "sending", "sent"))
    if state in ("running", "sending"):
        assert lease is not None
        await process.send(lease)  # it goes on with it
        assert await world.state() == "sent"
    if state == "postponed":
        assert taken is not None
        assert (taken.attempt, taken.postponed) == (2, 1)


async def test_a_database_that_goes_again_while_it_is_told_loses_nothing(
    world: World, process: Process, spool: FakeSpool
) -> None:
    process.sql.down = True
    for number in range(5):
        await process.inbox.accept(make_question(number, conversation=Conversation("slack", "T1", "C1", str(number))))
    for _ in range(2):
        await process.send(await process.take())
    process.sql.down = False
    world.clock.move(seconds=PATIENCE.look_again)
    process.sql.fail_after = 3
    with pytest.raises(Unavailable):
        await process.inbox.settle(LEASE)
    assert 0 < len(spool.kept) < 5
    process.sql.fail_after = None
    await process.comes_back()
    answered = [await process.take() for _ in range(3)]
    assert len({lease.question.question_id for lease in answered}) == 3
    assert await process.inbox.take("w", LEASE) is None


async def test_the_rules_of_the_inbox_hold_without_the_database(world: World, process: Process) -> None:
    process.sql.down = True
    for number, thread in enumerate(("a", "a", "b", "a"), 1):
        await process.inbox.accept(make_question(number, conversation=Conversation("slack", "T1", "C1", thread)))
    first, other = await process.take(), await process.take()
    assert [first.question.question_id, other.question.question_id] == ["q1", "q3"]
    assert await process.inbox.take("w", LEASE) is None
    assert await process.inbox.finish(first, InboxState.ACCEPTED)
    assert not await process.inbox.hold(first, LEASE)
    first = await process.take()
    assert (first.question.question_id, first.attempt) == ("q1", 2)
    assert await process.inbox.postpone(first, 30)
    behind = await process.take()
    assert (behind.question.question_id, behind.behind) == ("q2", True)
    assert await process.inbox.postpone(behind, 5)
    world.clock.move(seconds=30)
    await process.send(other)
    for expected in ("q1", "q2", "q4"):
        lease = await process.take()
        assert (lease.question.question_id, lease.behind) == (expected, False)
        assert await process.inbox.take("w", LEASE) is None
        await process.send(lease)


async def test_a_lease_runs_out_without_the_database_too(world: World, process: Process) -> None:
    process.sql.down = True
    await process.inbox.accept(make_question())
    first = await process.take()
    world.clock.move(seconds=LEASE - 1)
    assert await process.inbox.hold(first, LEASE)
    world.clock.move(seconds=LEASE - 1)
    assert await process.inbox.take("w", LEASE) is None
    world.clock.move(seconds=1)
    second = await process.take()
    assert second.attempt == 2
    assert not await process.inbox.hold(first, LEASE, sending=True)
    assert not await process.inbox.finish(first, InboxState.SENT)
    assert not await process.inbox.postpone(first, 1)


async def test_a_spool_that_fails_later_does_not_stop_the_work(
    world: World, process: Process, spool: FakeSpool
) -> None:
    process.sql.down = True
    await process.inbox.accept(make_question())
    spool.down = True
    lease = await process.take()
    assert await process.inbox.hold(lease, LEASE, sending=True)
    with pytest.raises(Unavailable):  # the worker tries again, and finds it done
        await process.inbox.finish(lease, InboxState.SENT)
    assert not await process.inbox.finish(lease, InboxState.SENT)
    assert await process.takes_nothing()


async def test_a_spool_that_is_away_at_the_start_does_not_stop_the_database(world: World) -> None:
    spool = FakeSpool()
    spool.down = True
    process = world.process(spool)
    assert await process.inbox.accept(make_question())
    await process.send(await process.take())
    assert "unavailable - switched_off" in process.log.lines


async def test_an_entry_of_another_version_is_left_where_it_is(process: Process, spool: FakeSpool) -> None:
    spool.kept[QUESTIONS, "odd"] = {"state": "unheard of"}
    assert await process.inbox.take("w", LEASE) is None
    assert spool.keys(QUESTIONS) == ["odd"]


async def test_what_waits_is_counted_with_and_without_the_database(world: World, process: Process) -> None:
    await process.inbox.accept(make_question(1))
    world.clock.move(seconds=10)
    process.sql.down = True
    await process.inbox.accept(make_question(2, received_at=world.clock()))
    assert await process.inbox.backlog() == (1, world.clock())
    process.sql.down = False
    world.clock.move(seconds=PATIENCE.look_again)
    assert await process.inbox.backlog() == (2, NOON)


async def test_questions_survive_a_real_spool(world: World, tmp_path: Path) -> None:
    def spool() -> LocalSpool:
        return LocalSpool(
            tmp_path / "spool", encrypt=world.vault.encrypt, decrypt=world.vault.decrypt, most_bytes=1_000_000
        )

    asked = make_question(
        filters=Filters(("google",), ("uk",), labels={"stage": ("draft", "final")}),
        as_of=NOON.date(),
        history=(Turn("user", "Bier 🍺 \x00"),),
    )
    first = world.process(spool())
    first.sql.down = True
    await first.inbox.accept(asked)
    await first.take()
    second = world.process(spool())
    second.sql.down = True
    lease = await second.take()
    assert (lease.question, lease.attempt) == (asked, 2)
    assert "hooks.example" not in "".join(each.read_text() for each in (tmp_path / "spool").glob("*.entry"))
    await second.send(lease)
    await second.comes_back()
    third = world.process(spool())
    third.sql.down = True
    assert await third.inbox.take("w", LEASE) is None
    assert [entry async for entry in spool().entries(QUESTIONS)] == []


async def test_a_service_answers_through_an_outage(world: World, process: Process) -> None:
    """Questions before, during and after; the database goes and comes while they are answered."""
    office = Office(process.inbox, world.clock, pace=Pace(workers=3, poll=0.01, retry=0.001, longest_retry=0.002))

    async def slow(_: object) -> None:
        await asyncio.sleep(0.005)

    office.asking.before = slow
    async with office.open():
        await _accepts(office, range(1, 11))
        process.sql.down = True
        world.clock.move(seconds=PATIENCE.look_again)
        await _accepts(office, range(11, 21))
        await _is_answered(office, range(11, 21))
        process.sql.down = False
        world.clock.move(seconds=PATIENCE.look_again)
        await _accepts(office, range(21, 31))
        await _all_sent(office, world, 30)
    assert sorted(office.sink.ids) == sorted(f"q{n}" for n in range(1, 31))
    assert all(outcome == REPLY for _, outcome in office.sink.sent)
    assert await states(world.engine) == ["sent"] * 30


async def _accepts(office: Office, numbers: range) -> None:
    for number in numbers:
        assert await office.service.accept(question(number, f"C{number % 7}"))


async def _is_answered(office: Office, numbers: range) -> None:
    """Waits for the first of them."""

    async def one() -> bool:
        return not {f"q{number}" for number in numbers}.isdisjoint(office.sink.ids)

    await until(one)


async def _all_sent(office: Office, world: World, count: int) -> None:
    """Leases of those who were cut off run out meanwhile, nobody's who works."""

    async def sent() -> bool:
        return await states(world.engine) == ["sent"] * count

    office.inbox.idle = lambda: world.clock.move(seconds=1)
    await until(sent)
