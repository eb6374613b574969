"""The search is down: the asker is told once, the question is kept, and answered when it is back."""

import asyncio
from collections import deque
from functools import partial

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.inbox import SqlInbox
from bot.model.messages import Conversation
from bot.model.outcomes import Delay, Failure, FailureCode, Outcome, Postponed
from bot.ports import InboxState
from bot.questions.delivery import Pace
from rag_core.errors import STORED_TEXT_CHANGED, Rejected, Unavailable
from tests.fakes.clock import FakeClock
from tests.fakes.office import PACE, Office, ended, question
from tests.fakes.service import REPLY, until

DOWN = Unavailable("index_down")


async def postponed(office: Office, count: int) -> None:
    """Waits until questions were put off `count` times."""

    async def enough() -> bool:
        return len(office.inbox.postponed) >= count

    await until(enough)


async def _has_gone_on(office: Office, seen: int) -> bool:
    return len(office.inbox.postponed) > seen or len(office.sink.sent) > 1


async def through(office: Office, clock: FakeClock, times: int) -> None:
    """Lives through as many further postponements."""
    for _ in range(times):
        seen = len(office.inbox.postponed)
        clock.move(seconds=office.inbox.postponed[-1])
        await postponed(office, seen + 1)


async def test_the_asker_is_told_once_and_answered_when_the_search_is_back(
    office: Office, clock: FakeClock, engine: AsyncEngine
) -> None:
    office.asking.failures.extend([DOWN] * 6)  # two tries, three times
    async with office.open():
        await office.service.accept(question(received_at=clock()))
        await postponed(office, 1)
        assert office.sink.sent == [("q1", Postponed("q1"))]
        await through(office, clock, 2)
        clock.move(seconds=60)
        await ended(engine, "sent")
    assert office.sink.sent == [("q1", Postponed("q1")), ("q1", REPLY)]
    assert office.inbox.postponed == [5, 10, 20]
    told = [line for line in office.log.lines if not line.startswith("unavailable")]
    assert told == [*(f"postponed q1 search_down {n}" for n in (5, 10, 20)), "recovered q1 3"]
    assert [each.counted for each in office.asking.asked] == [True] + [False] * 6


async def test_from_a_changed_text_nothing_is_answered_and_the_question_is_not_kept(
    office: Office, clock: FakeClock, engine: AsyncEngine
) -> None:
    office.asking.failures.append(Unavailable(STORED_TEXT_CHANGED, ids=["c1"]))
    async with office.open():
        await office.service.accept(question(received_at=clock()))
        await ended(engine, "sent")
    assert office.sink.sent == [("q1", Failure(FailureCode.STORED_TEXT_CHANGED, "q1"))]
    assert (len(office.asking.asked), office.inbox.postponed) == (1, [])


async def test_a_question_is_given_up_while_its_address_still_works(
    office: Office, clock: FakeClock, engine: AsyncEngine
) -> None:
    office.asking.failures.extend([DOWN] * 1000)
    began = clock()
    async with office.open():
        await office.service.accept(question(received_at=began))
        await postponed(office, 1)
        while len(office.sink.sent) < 2:
            seen = len(office.inbox.postponed)
            clock.move(seconds=office.inbox.postponed[-1])
            # the clock stands while it is worked on: else its lease would be over
            await until(partial(_has_gone_on, office, seen))
        await ended(engine, "sent")
    assert office.sink.sent == [("q1", Postponed("q1")), ("q1", Failure(FailureCode.SEARCH_DOWN, "q1"))]
    assert 25 * 60 <= (clock() - began).total_seconds() <= 27 * 60
    assert max(office.inbox.postponed) == 60


@pytest.mark.parametrize("code", ["search_down", "record_down"])
async def test_what_is_down_is_said(code: str, office: Office, clock: FakeClock, engine: AsyncEngine) -> None:
    error = Unavailable("record_down") if code == "record_down" else DOWN
    office.asking.failures.extend([error] * 4)
    async with office.open():
        await office.service.accept(question(received_at=clock()))
        await postponed(office, 1)
        clock.move(minutes=26)
        await ended(engine, "sent")
    outcomes: list[Outcome] = [Postponed("q1", Delay(code)), Failure(FailureCode(code), "q1")]
    assert [outcome for _, outcome in office.sink.sent] == outcomes


async def test_who_asks_on_meanwhile_is_told_as_well_and_answered_in_order(
    office: Office, clock: FakeClock, engine: AsyncEngine
) -> None:
    office.asking.failures.extend([DOWN] * 2)
    async with office.open():
        await office.service.accept(question(1, received_at=clock()))
        await postponed(office, 1)
        clock.move(seconds=1)
        await office.service.accept(question(2, received_at=clock()))
        await postponed(office, 2)
        assert office.sink.sent[1] == ("q2", Postponed("q2", Delay.EARLIER_QUESTION))
        assert len(office.asking.asked) == 2
        clock.move(seconds=60)
        await ended(engine, "sent", "sent")
    assert office.sink.sent[2:] == [("q1", REPLY), ("q2", REPLY)]


async def test_other_conversations_are_asked_for_themselves(office: Office, clock: FakeClock) -> None:
    office.asking.failures.extend([DOWN] * 2)
    async with office.open():
        await office.service.accept(question(1, received_at=clock()))
        await postponed(office, 1)
        await office.service.accept(question(2, "C2", received_at=clock()))
        await office.sink.delivered(2)
    assert office.sink.sent[1] == ("q2", REPLY)


@pytest.mark.parametrize(
    ("error", "line"),
    [(Unavailable("slack_error"), "unavailable q1 slack_error 1"), (KeyError("shape"), "unexpected q1 KeyError")],
)
async def test_a_notice_that_does_not_arrive_takes_nothing_from_the_answer(
    error: Exception, line: str, office: Office, clock: FakeClock, engine: AsyncEngine
) -> None:
    office.asking.failures.extend([DOWN] * 2)
    office.sink.failures.append(error)
    async with office.open():
        await office.service.accept(question(received_at=clock()))
        await postponed(office, 1)
        clock.move(seconds=5)
        await ended(engine, "sent")
    assert office.sink.sent == [("q1", REPLY)]
    assert line in office.log.lines


async def test_an_address_that_is_gone_ends_a_question_that_cannot_be_answered(
    office: Office, engine: AsyncEngine
) -> None:
    office.asking.failures.extend([DOWN] * 2)
    office.sink.failures.append(Rejected("reply_address_gone"))
    async with office.open():
        await office.service.accept(question())
        await ended(engine, "failed")
    assert office.inbox.postponed == []


async def test_putting_off_is_written_down_patiently(office: Office, clock: FakeClock, engine: AsyncEngine) -> None:
    office.asking.failures.extend([DOWN] * 2)
    office.inbox.failures["postpone"] = deque([Unavailable("store_busy")] * 3)
    async with office.open():
        await office.service.accept(question(received_at=clock()))
        await postponed(office, 1)
        clock.move(seconds=5)
        await ended(engine, "sent")
    assert office.sink.sent == [("q1", Postponed("q1")), ("q1", REPLY)]


async def test_without_the_inbox_nobody_is_told(office: Office, clock: FakeClock, engine: AsyncEngine) -> None:
    """It may be another's by now; the lease decides."""
    office.asking.failures.extend([DOWN] * 2)
    office.inbox.failures["hold"] = deque([Unavailable("store_down")])
    async with office.open():
        await office.service.accept(question(received_at=clock()))
        await ended(engine, "running")
        await asyncio.sleep(0.05)
        assert office.sink.sent == []
        clock.move(seconds=PACE.lease + 1)
        await ended(engine, "sent")
    assert office.sink.sent == [("q1", REPLY)]


STEPS = {"told": 2, "postponed": 1}  # where the process dies: how many notices there are in the end


@pytest.mark.parametrize("step", STEPS)
async def test_a_process_that_dies_while_putting_off_repeats_the_notice_at_most(
    step: str, sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine
) -> None:
    first = Office(sql_inbox, clock, dies_at=step, pace=Pace(workers=1, retry=0.001), name="first")
    first.asking.failures.extend([DOWN] * 2)
    await first.service.accept(question(received_at=clock()))
    await first.die()
    second = Office(sql_inbox, clock, name="second")
    second.asking.failures.extend([DOWN] * 2)
    clock.move(seconds=PACE.lease + 1)
    async with second.open():
        await postponed(second, 1)
        clock.move(seconds=PACE.lease + 1)
        await ended(engine, "sent")
    sent = [outcome for _, outcome in (*first.sink.sent, *second.sink.sent)]
    assert sent == [Postponed("q1")] * STEPS[step] + [REPLY]


async def test_a_stop_leaves_what_cannot_be_answered_to_the_next_start(
    sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine
) -> None:
    office = Office(sql_inbox, clock, pace=Pace(workers=1, poll=60, retry=60, longest_retry=60))
    office.asking.failures.extend([DOWN] * 2)
    async with office.open():
        await office.service.accept(question(received_at=clock()))

        async def asked() -> bool:
            return bool(office.asking.asked)

        await until(asked)
    await ended(engine, "accepted")
    assert office.inbox.finished == []
    clock.move(seconds=5)
    lease = await sql_inbox.take("next", 60)
    assert lease is not None
    assert (lease.postponed, office.sink.sent) == (1, [("q1", Postponed("q1"))])
    assert await sql_inbox.finish(lease, InboxState.SENT)


async def test_what_was_put_off_often_still_has_all_its_attempts(
    office: Office, clock: FakeClock, engine: AsyncEngine
) -> None:
    office.asking.failures.extend([DOWN] * 16)
    async with office.open():
        await office.service.accept(question(received_at=clock(), conversation=Conversation("slack", "T1", "C1", "t")))
        await postponed(office, 1)
        await through(office, clock, 7)
        clock.move(seconds=60)
        await ended(engine, "sent")
    assert office.sink.sent[-1] == ("q1", REPLY)


def test_a_clock_that_is_behind_does_not_keep_a_question_for_ever() -> None:
    pace = Pace()
    assert not pace.is_over(0, 10)
    assert pace.is_over(0, 30)
    assert pace.is_over(25 * 60, 0)
