"""Order, leases, stopping, and processes that die at any step."""

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.inbox import SqlInbox
from bot.model.messages import InboundQuestion
from bot.ports import InboxState
from bot.questions.answerer import Asked
from bot.questions.delivery import Pace
from rag_core.errors import Misconfigured, Unavailable
from tests.fakes.clock import FakeClock
from tests.fakes.office import PACE, Office, ended, question, renewals, states
from tests.fakes.service import REPLY, until


async def test_questions_of_a_conversation_are_answered_in_their_order(office: Office, clock: FakeClock) -> None:
    async def slow_first(asked: Asked) -> None:
        await asyncio.sleep(0.05 if asked.answer_id == "q1" else 0)

    office.asking.before = slow_first
    for number in range(1, 7):
        await office.service.accept(question(number, received_at=clock()))
        clock.move(seconds=1)
    async with office.open():
        await office.sink.delivered(6)
    assert office.sink.ids == [f"q{n}" for n in range(1, 7)]


async def test_a_busy_conversation_does_not_hold_up_the_others(office: Office) -> None:
    """Two workers, and four questions of one channel before that of another."""
    blocked = asyncio.Event()

    async def wait_in_c1(asked: Asked) -> None:
        if asked.answer_id != "q9":
            await blocked.wait()

    office.asking.before = wait_in_c1
    for number in range(1, 5):
        await office.service.accept(question(number))
    await office.service.accept(question(9, "C2"))
    async with office.open():
        await office.sink.delivered(1)
        assert office.sink.ids == ["q9"]
        blocked.set()
        await office.sink.delivered(5)
    assert office.sink.ids == ["q9", "q1", "q2", "q3", "q4"]


async def test_stop_finishes_what_is_answered_and_leaves_what_waits(office: Office, engine: AsyncEngine) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def wait(_: Asked) -> None:
        begun.set()
        await go_on.wait()

    office.asking.before = wait
    for number in (1, 2, 3):
        await office.service.accept(question(number))
    async with office.open():
        await begun.wait()
        await asyncio.sleep(0.05)
        office.service.stop()
        go_on.set()
    assert office.sink.ids == ["q1"]
    assert await states(engine) == ["sent", "accepted", "accepted"]


async def test_stop_does_not_wait_for_pauses(sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine) -> None:
    office = Office(sql_inbox, clock, pace=Pace(workers=1, poll=60, retry=3_600, longest_retry=3_600))
    office.sink.failures.append(Unavailable("slack_error"))

    async def failed() -> bool:
        return bool(office.log.lines)

    async with office.open():
        await office.service.accept(question())
        await until(failed)
    assert await states(engine) == ["accepted"]


async def test_a_lease_is_renewed_for_as_long_as_the_work_takes(
    sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine
) -> None:
    first = Office(sql_inbox, clock, pace=Pace(workers=2, poll=0.02, lease=0.06), name="first")
    second = Office(sql_inbox, clock, name="second")
    go_on = asyncio.Event()

    async def wait(_: Asked) -> None:
        await go_on.wait()

    first.asking.before = wait
    await first.service.accept(question(1))
    await first.service.accept(question(2, "C2"))
    async with first.open():
        await ended(engine, "running", "running")
        async with second.open():
            for _ in range(4):
                clock.move(seconds=0.05)
                await renewals(first, 4)  # both, since the clock moved
            go_on.set()
            await first.sink.delivered(2)
            await first.sink.delivered(2)
    assert sorted(first.sink.ids) == ["q1", "q2"]
    assert second.asking.asked == []


async def test_another_process_takes_over_and_the_former_holder_keeps_silent(
    sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine
) -> None:
    first = Office(sql_inbox, clock, pace=Pace(workers=1, poll=0.02), name="first")
    second = Office(sql_inbox, clock, name="second")
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def wait(_: Asked) -> None:
        begun.set()
        await go_on.wait()

    first.asking.before = wait
    await first.service.accept(question())
    async with first.open():
        await begun.wait()
        clock.move(seconds=PACE.lease + 1)
        async with second.open():
            await second.sink.delivered(1)
        go_on.set()
        await ended(engine, "sent")
    assert (first.sink.ids, second.sink.ids) == ([], ["q1"])
    assert second.inbox.finished == [InboxState.SENT]


STEPS = {
    # the process dies here: how many messages there are in the end
    "taken": 1,
    "asking": 1,
    "answered": 1,
    "sending written": 1,
    "before delivery": 1,
    "delivered": 2,  # the platform has it and we have not written so: the one window that may double
    "finished": 1,
}


@pytest.mark.parametrize("step", STEPS)
async def test_nothing_is_lost_when_a_process_dies(
    step: str, sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine
) -> None:
    first = Office(sql_inbox, clock, dies_at=step, pace=Pace(workers=1), name="first")
    await first.service.accept(question())
    await first.die()
    second = Office(sql_inbox, clock, name="second")
    async with second.open():
        await asyncio.sleep(0.06)
        assert second.sink.sent == []  # the dead one's lease holds
        clock.move(seconds=PACE.lease + 1)
        await ended(engine, "sent")
    assert len(first.sink.sent) + len(second.sink.sent) == STEPS[step]
    assert all(outcome == REPLY for _, outcome in (*first.sink.sent, *second.sink.sent))


async def test_a_process_that_dies_before_it_takes_anything_loses_nothing(
    sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine
) -> None:
    await Office(sql_inbox, clock).service.accept(question())
    second = Office(sql_inbox, clock)
    async with second.open():
        await ended(engine, "sent")
    assert second.sink.ids == ["q1"]


async def test_a_lease_that_cannot_be_renewed_once_is_renewed_later(sql_inbox: SqlInbox, clock: FakeClock) -> None:
    office = Office(sql_inbox, clock, pace=Pace(workers=1, poll=0.02, lease=0.03))
    go_on = asyncio.Event()

    async def wait(_: Asked) -> None:
        await go_on.wait()

    office.asking.before = wait
    office.inbox.failures["hold"] = deque([Unavailable("store_busy"), Misconfigured("store_unreadable")])
    async with office.open():
        await office.service.accept(question())
        await renewals(office, 2)
        go_on.set()
        await office.sink.delivered(1)
    assert office.log.lines == ["unavailable q1 store_busy 1", "unavailable q1 store_unreadable 1"]


async def test_what_is_handed_over_counts_as_no_try_and_is_told_to_nobody(office: Office, sql_inbox: SqlInbox) -> None:
    begun = asyncio.Event()

    async def hang(_: Asked) -> None:
        begun.set()
        await asyncio.Event().wait()

    office.asking.before = hang
    await office.service.accept(question())
    running = asyncio.create_task(office.service.run())
    await begun.wait()
    office.service.stop()
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    assert await office.service.hand_over() == 1
    assert await office.service.hand_over() == 0
    lease = await sql_inbox.take("other", 60)
    assert lease is not None
    assert (lease.attempt, lease.tries, lease.was_sending) == (2, 1, False)
    assert office.sink.sent == []
    assert office.log.lines == ["put_back q1 stopping 0"]


async def test_what_cannot_be_handed_over_runs_out(office: Office) -> None:
    begun = asyncio.Event()

    async def hang(_: Asked) -> None:
        begun.set()
        await asyncio.Event().wait()

    office.asking.before = hang
    office.inbox.failures["postpone"] = deque([Unavailable("store_down")])
    await office.service.accept(question())
    running = asyncio.create_task(office.service.run())
    await begun.wait()
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    assert await office.service.hand_over() == 1
    assert office.log.lines == ["put_back q1 stopping 0", "unavailable q1 store_down 1"]


async def test_a_reply_that_waits_holds_up_no_other_question(sql_inbox: SqlInbox, clock: FakeClock) -> None:
    """One worker: while the platform keeps a reply waiting, the next question is answered."""
    office = Office(sql_inbox, clock, pace=replace(PACE, workers=1))
    go_on, real = asyncio.Event(), office.sink.send

    async def send(asked: InboundQuestion, *given: Any, **named: Any) -> None:
        if asked.question_id == "q1":
            await go_on.wait()
        await real(asked, *given, **named)

    office.sink.send = send  # type: ignore[assignment, method-assign]
    async with office.open():
        await office.service.accept(question(1))
        await office.service.accept(question(2, "C2"))
        await office.sink.delivered(1)
        assert office.sink.ids == ["q2"]
        go_on.set()
        await office.sink.delivered(2)


async def test_no_more_replies_are_under_way_than_there_is_room_for(sql_inbox: SqlInbox, clock: FakeClock) -> None:
    office = Office(sql_inbox, clock, pace=replace(PACE, deliveries=2))
    go_on, waiting, real = asyncio.Event(), [], office.sink.send

    async def send(asked: InboundQuestion, *given: Any, **named: Any) -> None:
        waiting.append(asked.question_id)
        await go_on.wait()
        await real(asked, *given, **named)

    office.sink.send = send  # type: ignore[assignment, method-assign]
    async with office.open():
        for number in range(1, 6):
            await office.service.accept(question(number, f"C{number}"))
        await asyncio.sleep(0.2)
        assert len(waiting) == 2
        go_on.set()
        await office.sink.delivered(5)


async def test_the_next_question_of_a_conversation_is_taken_when_the_one_before_is_sent(
    sql_inbox: SqlInbox, clock: FakeClock
) -> None:
    office = Office(sql_inbox, clock, pace=replace(PACE, poll=30.0))
    async with office.open():
        for number in range(1, 5):
            await office.service.accept(question(number))
        await office.sink.delivered(4, seconds=3.0)
    assert office.sink.ids == ["q1", "q2", "q3", "q4"]
