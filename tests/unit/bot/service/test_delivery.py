"""Accepted once, one terminal message whatever happens to asking, sending and the store."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.inbox import SqlInbox
from bot.model.messages import ReplyAddress
from bot.model.outcomes import Failure, FailureCode, Rejection
from bot.ports import Lease
from bot.questions.delivery import MOST_ATTEMPTS, Pace
from rag_core.errors import Misconfigured, Rejected, Unavailable
from rag_core.ports import NobodyWatching, Watching
from tests.fakes.clock import FakeClock
from tests.fakes.office import PACE, Office, ended, outcome_of, question
from tests.fakes.service import KIND, REPLY


async def test_an_accepted_question_is_answered_once(office: Office, engine: AsyncEngine) -> None:
    assert await outcome_of(office, engine) == REPLY
    assert office.asking.asked[0].answer_id == "q1"
    assert office.asking.asked[0].asked_from == "slack"
    assert office.log.lines == []


@pytest.mark.parametrize("private", [True, False])
async def test_whether_only_the_asker_reads_the_reply_comes_through_the_inbox(
    office: Office, engine: AsyncEngine, private: bool
) -> None:
    async with office.open():
        await office.service.accept(question(private=private))
        await ended(engine, "sent")
    assert [each.private for each in office.asking.asked] == [private]


async def test_a_repeated_delivery_is_not_accepted(office: Office, engine: AsyncEngine) -> None:
    async with office.open():
        assert await office.service.accept(question())
        assert not await office.service.accept(question(question_id="again"))
        await ended(engine, "sent")
        assert not await office.service.accept(question(question_id="again"))
    assert office.sink.ids == ["q1"]
    assert office.log.lines == ["duplicate slack"] * 2


async def test_a_question_is_taken_at_once_and_not_at_the_next_look(sql_inbox: SqlInbox, clock: FakeClock) -> None:
    office = Office(sql_inbox, clock, pace=Pace(workers=3, poll=30))
    async with office.open():
        for number in range(1, 6):
            await office.service.accept(question(number))
            await office.sink.delivered(number)


async def test_a_question_that_can_never_work_is_told_so(office: Office, engine: AsyncEngine) -> None:
    office.asking.failures.append(Rejected("unknown_region", value="narnia"))
    assert await outcome_of(office, engine) == Rejection("unknown_region", {"value": "narnia"})


async def test_a_search_that_is_back_at_once_answers_without_a_word(office: Office, engine: AsyncEngine) -> None:
    office.asking.failures.append(Unavailable("index_failed"))
    assert await outcome_of(office, engine) == REPLY
    assert office.log.lines == ["unavailable q1 index_failed 1"]
    assert [each.counted for each in office.asking.asked] == [True, False]


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


async def test_a_platform_that_is_away_for_minutes_loses_no_answer(
    sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine
) -> None:
    office = Office(sql_inbox, clock, pace=replace(PACE, workers=1))
    office.sink.failures.extend([Unavailable("slack_error")] * (MOST_ATTEMPTS + 5))
    office.inbox.idle = lambda: office.clock.move(seconds=1)
    assert await outcome_of(office, engine) == REPLY
    assert office.inbox.postponed == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0]


async def test_sending_is_given_up_in_the_end(sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine) -> None:
    office = Office(sql_inbox, clock, pace=replace(PACE, workers=1))
    office.sink.failures.extend([Unavailable("slack_error")] * 100)
    office.inbox.idle = lambda: office.clock.move(seconds=10)
    async with office.open():
        await office.service.accept(question())
        await ended(engine, "failed")
    assert len(office.inbox.postponed) > 20
    assert (office.clock() - question().received_at).total_seconds() >= PACE.give_up
    assert office.log.lines[-1] == "unreachable q1 slack_error"


class BrokenProgress:
    """A ReplyProgress with errors of ours in it; it begins nothing but q1."""

    def begin(self, lease: Lease, sending: Callable[[], Awaitable[bool]]) -> Watching:
        if lease.question.question_id != "q1":
            raise KeyError
        return NobodyWatching()

    async def end(self, question_id: str) -> None:
        raise ZeroDivisionError


async def test_an_error_in_what_is_beside_a_reply_ends_no_worker(
    sql_inbox: SqlInbox, clock: FakeClock, engine: AsyncEngine
) -> None:
    office = Office(sql_inbox, clock, progress={KIND: BrokenProgress()})
    async with office.open():
        await office.service.accept(question(1))
        await ended(engine, "sent")
        await office.service.accept(question(2))
        await ended(engine, "sent", "sent")
    assert {"unexpected q1 ZeroDivisionError", "unexpected q2 KeyError"} <= set(office.log.lines)


async def test_an_error_of_ours_at_the_inbox_costs_a_lease_and_no_worker(office: Office, engine: AsyncEngine) -> None:
    office.inbox.failures["sending"] = deque([ZeroDivisionError()])
    async with office.open():
        await office.service.accept(question(1))
        await office.service.accept(question(2, "C2"))
        await office.sink.delivered(1)
        office.clock.move(seconds=PACE.lease + 1)  # by then another worker takes it
        await ended(engine, "sent", "sent")


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
        await office.inbox.take(f"dead-{attempt}", 1)
        office.clock.move(seconds=2)
    async with office.open():
        await ended(engine, "sent")
    assert office.sink.sent == [("q1", Failure(FailureCode.INTERNAL, "q1"))]
    assert office.asking.asked == []
