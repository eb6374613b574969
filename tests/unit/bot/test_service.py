"""QuestionService on the real inbox: accepted once, in order, one terminal message whatever happens."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.inbox import SqlInbox
from adapters.sql.tables import inbox as inbox_table
from adapters.sql.vault import Vault, new_key
from bot.asking import Asked
from bot.messages import Conversation, InboundQuestion, ReplyAddress
from bot.outcomes import Failure, FailureCode, Outcome, Rejection
from bot.ports import Inbox, InboxState
from bot.service import MOST_ATTEMPTS, MOST_WAITING, Pace, QuestionService
from rag_core.errors import Misconfigured, Rejected, Unavailable
from tests.fakes.clock import FakeClock
from tests.fakes.databases import migrated_engine
from tests.fakes.questions import make_question
from tests.fakes.service import KIND, REPLY, FakeAsking, FakeServiceLog, FakeSink, SteppedInbox, Steps, until

PACE = Pace(workers=2, poll=0.02, retry=0.001, longest_retry=0.002)


def question(number: int = 1, channel: str = "C1", **changes: Any) -> InboundQuestion:
    changes = {"conversation": Conversation("slack", "T1", channel), "reply_address": ReplyAddress(KIND, {})} | changes
    return make_question(number, **changes)


class Office:
    """One process: a service and what stands around it. Several share an inbox and a sink's receiving end."""

    def __init__(
        self, inbox: Inbox, clock: FakeClock, *, dies_at: str = "", pace: Pace = PACE, name: str = "w"
    ) -> None:
        self.steps = Steps(dies_at)
        self.clock = clock
        self.inbox = SteppedInbox(inbox, self.steps)
        self.asking = FakeAsking(self.steps)
        self.sink = FakeSink(self.steps)
        self.log = FakeServiceLog()
        sinks = {KIND: self.sink}
        self.service = QuestionService(self.inbox, self.asking, sinks, self.log, worker=name, now=clock, pace=pace)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.service.run())
        try:
            yield
        finally:
            self.service.stop()
            async with asyncio.timeout(5):
                await task

    async def die(self) -> None:
        """Work until the step at which the process dies; one worker, so that no other is cut off at work."""
        task = asyncio.create_task(self.service.run())
        async with asyncio.timeout(5):
            await self.steps.reached.wait()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    async with migrated_engine(tmp_path) as opened:
        yield opened


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def sql_inbox(engine: AsyncEngine) -> SqlInbox:
    return SqlInbox(engine, Vault([new_key()]))


@pytest.fixture
def office(sql_inbox: SqlInbox, clock: FakeClock) -> Office:
    return Office(sql_inbox, clock)


@pytest.fixture(autouse=True)
def nothing_blocks(engine: AsyncEngine) -> Iterator[None]:
    with blockbuster_ctx():
        yield


async def states(engine: AsyncEngine) -> list[str]:
    async with engine.connect() as connection:
        found = await connection.execute(select(inbox_table.c.state).order_by(inbox_table.c.question_id))
        return [str(state) for state in found.scalars()]


async def ended(engine: AsyncEngine, *expected: str) -> None:
    """Waits until the questions, by id, are in these states."""

    async def as_expected() -> bool:
        return await states(engine) == list(expected)

    await until(as_expected)


async def renewals(office: Office, count: int) -> None:
    """Waits for `count` more."""
    seen = office.inbox.renewed

    async def renewed() -> bool:
        return office.inbox.renewed >= seen + count

    await until(renewed)


async def outcome_of(office: Office, engine: AsyncEngine) -> Outcome:
    """The one message of a question that ends as sent."""
    async with office.open():
        await office.service.accept(question())
        await office.sink.delivered(1)
        await ended(engine, "sent")
    [(answer_id, outcome)] = office.sink.sent
    assert answer_id == "q1"
    return outcome


async def test_an_accepted_question_is_answered_once(office: Office, engine: AsyncEngine) -> None:
    assert await outcome_of(office, engine) == REPLY
    assert office.asking.asked[0].answer_id == "q1"
    assert office.asking.asked[0].asked_from == "slack"
    assert office.log.lines == []


async def test_a_repeated_delivery_is_not_accepted(office: Office, engine: AsyncEngine) -> None:
    async with office.open():
        assert await office.service.accept(question())
        assert not await office.service.accept(question(question_id="again"))
        await ended(engine, "sent")
        assert not await office.service.accept(question(question_id="again"))
    assert office.sink.ids == ["q1"]


async def test_a_question_is_taken_at_once_and_not_at_the_next_look(sql_inbox: SqlInbox, clock: FakeClock) -> None:
    office = Office(sql_inbox, clock, pace=Pace(workers=3, poll=30))
    async with office.open():
        for number in range(1, 6):
            await office.service.accept(question(number))
            await office.sink.delivered(number)


async def test_a_question_that_can_never_work_is_told_so(office: Office, engine: AsyncEngine) -> None:
    office.asking.failures.append(Rejected("unknown_region", value="narnia"))
    assert await outcome_of(office, engine) == Rejection("unknown_region", {"value": "narnia"})


async def test_a_search_that_comes_back_answers(office: Office, engine: AsyncEngine) -> None:
    office.asking.failures.extend([Unavailable("index_failed")] * (MOST_ATTEMPTS - 1))
    assert await outcome_of(office, engine) == REPLY
    assert office.log.lines == [f"unavailable q1 index_failed {n}" for n in range(1, MOST_ATTEMPTS)]


async def test_a_search_that_stays_away_is_said(office: Office, engine: AsyncEngine) -> None:
    office.asking.failures.extend([Unavailable("index_failed")] * MOST_ATTEMPTS)
    assert await outcome_of(office, engine) == Failure(FailureCode.SEARCH_DOWN, "q1")
    assert len(office.asking.asked) == MOST_ATTEMPTS


async def test_after_the_deadline_nobody_waits_for_another_one(office: Office, engine: AsyncEngine) -> None:
    office.asking.failures.append(Unavailable("too_slow", seconds=20))
    assert await outcome_of(office, engine) == Failure(FailureCode.TOO_SLOW, "q1")
    assert len(office.asking.asked) == 1


async def test_an_error_of_ours_is_an_apology_with_the_question_id(office: Office, engine: AsyncEngine) -> None:
    office.asking.failures.append(ZeroDivisionError())
    assert await outcome_of(office, engine) == Failure(FailureCode.INTERNAL, "q1")
    assert office.log.lines == ["unexpected q1 ZeroDivisionError"]


async def test_sending_is_tried_again_and_the_answer_arrives_once(office: Office, engine: AsyncEngine) -> None:
    office.sink.failures.extend([Unavailable("slack_error")] * (MOST_ATTEMPTS - 1))
    assert await outcome_of(office, engine) == REPLY
    assert office.sink.tries == MOST_ATTEMPTS


async def test_sending_is_given_up_in_the_end(office: Office, engine: AsyncEngine) -> None:
    office.sink.failures.extend([Unavailable("slack_error")] * (MOST_ATTEMPTS + 5))
    async with office.open():
        await office.service.accept(question())
        await ended(engine, "failed")
    assert office.sink.tries == MOST_ATTEMPTS
    assert office.log.lines[-1] == "unreachable q1 slack_error"


async def test_an_address_that_is_gone_ends_the_question(office: Office, engine: AsyncEngine) -> None:
    office.sink.failures.append(Rejected("reply_address_gone"))
    async with office.open():
        await office.service.accept(question())
        await ended(engine, "failed")
    assert (office.sink.tries, office.log.lines) == (1, ["unreachable q1 reply_address_gone"])


async def test_a_platform_that_is_no_longer_configured_ends_the_question(office: Office, engine: AsyncEngine) -> None:
    async with office.open():
        await office.service.accept(question(reply_address=ReplyAddress("other", {})))
        await ended(engine, "failed")
    assert office.log.lines == ["unreachable q1 reply_platform_missing"]


async def test_a_reply_that_cannot_be_rendered_becomes_an_apology(office: Office, engine: AsyncEngine) -> None:
    office.sink.failures.append(KeyError("shape"))
    assert await outcome_of(office, engine) == Failure(FailureCode.INTERNAL, "q1")
    assert office.log.lines == ["unexpected q1 KeyError"]


async def test_an_apology_that_cannot_be_rendered_ends_the_question(office: Office, engine: AsyncEngine) -> None:
    office.sink.failures.extend([KeyError("shape")] * 2)
    async with office.open():
        await office.service.accept(question())
        await ended(engine, "failed")
        await office.service.accept(question(2))
        await ended(engine, "failed", "sent")
    assert office.sink.tries == 3


async def test_what_was_sent_and_cannot_be_written_down_is_neither_sent_again_nor_followed_by_an_apology(
    office: Office, engine: AsyncEngine
) -> None:
    office.inbox.failures["finish"] = deque([Unavailable("store_busy")] * 3)
    assert await outcome_of(office, engine) == REPLY
    assert office.sink.tries == 1


async def test_a_store_that_is_away_does_not_stop_the_workers(office: Office, engine: AsyncEngine) -> None:
    office.inbox.failures["take"] = deque([Unavailable("store_down")] * 4)
    assert await outcome_of(office, engine) == REPLY
    assert office.log.lines == ["unavailable - store_down 0"] * 4


async def test_a_store_that_is_away_before_sending_leaves_the_question_to_its_lease(
    office: Office, engine: AsyncEngine
) -> None:
    office.inbox.failures["sending"] = deque([Unavailable("store_down")])
    async with office.open():
        await office.service.accept(question())
        await ended(engine, "running")
        assert office.sink.sent == []
        office.clock.move(seconds=PACE.lease + 1)
        await ended(engine, "sent")
    assert office.sink.ids == ["q1"]


@pytest.mark.parametrize("method", ["take", "sending", "finish"])
async def test_what_only_the_operator_can_mend_ends_the_service(method: str, office: Office) -> None:
    office.inbox.failures[method] = deque([Misconfigured("secret_key_wrong", setting="ADPOLICY_SECRET_KEY")])
    await office.service.accept(question())
    with pytest.raises(Misconfigured, match="secret_key_wrong"):
        await asyncio.wait_for(office.service.run(), 10)


async def test_a_question_whose_processes_all_died_is_not_asked_again(office: Office, engine: AsyncEngine) -> None:
    await office.service.accept(question())
    for attempt in range(MOST_ATTEMPTS):
        await office.inbox.take(f"dead-{attempt}", office.clock(), 1)
        office.clock.move(seconds=2)
    async with office.open():
        await ended(engine, "sent")
    assert office.sink.sent == [("q1", Failure(FailureCode.INTERNAL, "q1"))]
    assert office.asking.asked == []


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


async def test_no_more_is_taken_than_can_be_kept_in_line(office: Office, engine: AsyncEngine) -> None:
    blocked = asyncio.Event()

    async def wait(_: Asked) -> None:
        await blocked.wait()

    async def all_taken() -> bool:
        return (await states(engine)).count("running") == MOST_WAITING + 1

    office.asking.before = wait
    for number in range(MOST_WAITING + 10):
        await office.service.accept(question(number))
    async with office.open():
        await until(all_taken)
        await asyncio.sleep(0.1)
        assert await all_taken()
        office.service.stop()
        blocked.set()
    assert (await states(engine)).count("accepted") == MOST_WAITING + 9


async def test_stop_finishes_what_is_answered_and_puts_back_what_waits(office: Office, engine: AsyncEngine) -> None:
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
    office = Office(sql_inbox, clock, pace=Pace(workers=1, poll=60, retry=60, longest_retry=60))
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
    await first.service.accept(question(2))  # in line, and held as well
    async with first.open():
        await ended(engine, "running", "running")
        async with second.open():
            for _ in range(4):
                clock.move(seconds=0.05)
                await renewals(first, 4)  # both, since the clock moved
            go_on.set()
            await first.sink.delivered(2)
    assert first.sink.ids == ["q1", "q2"]
    assert second.asking.asked == []


async def test_another_process_takes_over_and_the_former_holder_keeps_silent(
    sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine
) -> None:
    first, second = Office(sql_inbox, clock, name="first"), Office(sql_inbox, clock, name="second")
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
    office.inbox.failures["renew"] = deque([Unavailable("store_busy"), Misconfigured("store_unreadable")])
    async with office.open():
        await office.service.accept(question())
        await renewals(office, 2)
        go_on.set()
        await office.sink.delivered(1)
    assert office.log.lines == ["unavailable q1 store_busy 1", "unavailable q1 store_unreadable 1"]
