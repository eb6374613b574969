"""Inbox: every question is accepted once, worked on by one at a time, and ends once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import date

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.database.vault import Vault
from bot.model.messages import Actor, Conversation, InboundQuestion, ReplyAddress
from bot.ports import InboxState, Lease
from rag_core.errors import Rejected, Unavailable
from rag_core.questions import Filters, Turn
from tests.fakes.clock import FakeClock
from tests.fakes.inboxes import (
    ENDS,
    KEY,
    LEASE,
    id_taken,
    of,
    taken,
)
from tests.fakes.questions import NOON, make_question


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def inbox(engine: AsyncEngine, clock: FakeClock) -> SqlInbox:
    return SqlInbox(engine, Vault([KEY]), clock)


async def test_a_question_comes_back_as_it_was_accepted(inbox: SqlInbox) -> None:
    question = InboundQuestion(
        question_id="q1",
        claim_key="teams:19:abc@thread.tacv2:1",
        actor=Actor("teams", "tenant", "29:person"),
        conversation=Conversation("teams", "tenant", "19:abc@thread.tacv2"),
        text="Darf ich für Bier 🍺 werben?",
        reply_address=ReplyAddress("teams", {"service_url": "https://smba.example/", "id": "19:abc"}),
        received_at=NOON,
        filters=Filters(("google",), ("uk", "de"), ("video",), ("Alcohol",), {"stage": ("final", "draft")}),
        as_of=date(2026, 3, 1),
        history=(Turn("user", "hello"), Turn("assistant", "hi")),
        private=True,
        defaults=Filters(("meta",), ("fr",)),
    )
    assert await inbox.accept(question)
    assert await inbox.take("w1", LEASE) == Lease(question, "w1", attempt=1, was_sending=False)


async def test_a_claim_is_accepted_once_for_ever(inbox: SqlInbox, clock: FakeClock) -> None:
    assert await inbox.accept(make_question())
    assert not await inbox.accept(make_question(question_id="q1-again"))
    lease = await taken(inbox)
    assert not await inbox.accept(make_question(question_id="q1-again"))
    assert await inbox.finish(lease, InboxState.SENT)
    assert not await inbox.accept(make_question(question_id="q1-again"))
    clock.move(seconds=1000)
    assert await inbox.take("w1", LEASE) is None


async def delivered(inbox: SqlInbox, question: InboundQuestion) -> bool:
    """As a platform delivers: again, where a busy database did not answer in time."""
    for _ in range(10):
        with suppress(Unavailable):
            return await inbox.accept(question)
    raise TimeoutError(question.question_id)


async def test_of_a_thousand_deliveries_of_a_hundred_questions_a_hundred_are_accepted(inbox: SqlInbox) -> None:
    deliveries = [make_question(n, question_id=f"q{n}-{copy}") for copy in range(10) for n in range(100)]
    accepted = await asyncio.gather(*(delivered(inbox, each) for each in deliveries))
    assert sum(accepted) == 100
    claims = {question.claim_key for question, new in zip(deliveries, accepted, strict=True) if new}
    assert len(claims) == 100


async def test_two_questions_with_one_id_are_a_mistake(inbox: SqlInbox) -> None:
    assert await inbox.accept(make_question())
    with pytest.raises(Rejected, match="constraint_broken"):
        await inbox.accept(make_question(claim_key="slack:T1:other"))


async def test_a_delivery_that_is_kept_a_second_time_is_still_the_first(inbox: SqlInbox) -> None:
    """The answer to the first time was lost with the connection."""
    assert await inbox.accept(make_question())
    assert await inbox.accept(make_question())
    assert not await inbox.accept(make_question(question_id="q1-again"))


async def test_the_oldest_is_taken_first(inbox: SqlInbox, clock: FakeClock) -> None:
    for number in (3, 1, 2):
        await inbox.accept(of(str(number), number))
        clock.move(seconds=1)
    assert [await id_taken(inbox) for _ in range(4)] == ["q3", "q1", "q2", None]


async def test_many_workers_never_hold_one_question_together(inbox: SqlInbox) -> None:
    for number in range(40):
        await inbox.accept(of(str(number), number))
    leases = await asyncio.gather(*(inbox.take(f"w{n}", LEASE) for n in range(50)))
    held = [lease.question.question_id for lease in leases if lease is not None]
    assert len(held) == len(set(held))
    held += [each async for each in _rest_of(inbox)]
    assert sorted(held) == sorted(f"q{n}" for n in range(40))


async def _rest_of(inbox: SqlInbox) -> AsyncIterator[str]:
    """Takers that were in each other's way at the last rows may have gone away with nothing."""
    while question_id := await id_taken(inbox):
        yield question_id


async def test_a_lease_that_ran_out_is_taken_over_and_its_holder_loses(inbox: SqlInbox, clock: FakeClock) -> None:
    await inbox.accept(make_question())
    first = await taken(inbox, "w1")
    clock.move(seconds=LEASE - 1)
    assert await inbox.take("w2", LEASE) is None
    clock.move(seconds=1)
    second = await taken(inbox, "w2")
    assert (second.attempt, second.was_sending, second.question) == (2, False, first.question)
    assert not await inbox.hold(first, LEASE, sending=True)
    assert not await inbox.hold(first, LEASE)
    assert not await inbox.postpone(first, 5)
    for state in (InboxState.ACCEPTED, *ENDS):
        assert not await inbox.finish(first, state)
    assert await inbox.hold(second, LEASE, sending=True)
    assert await inbox.finish(second, InboxState.SENT)


async def test_a_worker_that_takes_its_own_question_again_holds_it_once(inbox: SqlInbox, clock: FakeClock) -> None:
    await inbox.accept(make_question())
    first = await taken(inbox)
    clock.move(seconds=LEASE)
    second = await taken(inbox)
    assert not await inbox.finish(first, InboxState.FAILED)
    assert await inbox.finish(second, InboxState.SENT)


async def test_a_late_holder_goes_on_if_nobody_else_took_over(inbox: SqlInbox, clock: FakeClock) -> None:
    await inbox.accept(make_question())
    lease = await taken(inbox)
    clock.move(seconds=2 * LEASE)
    assert await inbox.hold(lease, LEASE, sending=True)
    assert await inbox.take("w2", LEASE) is None
    clock.move(seconds=2 * LEASE)
    assert await inbox.finish(lease, InboxState.SENT)


async def test_who_takes_over_is_told_that_sending_had_begun(inbox: SqlInbox, clock: FakeClock) -> None:
    await inbox.accept(make_question())
    assert await inbox.hold(await taken(inbox), LEASE, sending=True)
    clock.move(seconds=LEASE)
    assert (await taken(inbox, "w2")).was_sending
    clock.move(seconds=LEASE)
    third = await taken(inbox, "w3")
    assert (third.attempt, third.was_sending) == (3, True)


async def test_what_is_put_back_waits_behind_the_others(inbox: SqlInbox, clock: FakeClock) -> None:
    await inbox.accept(of("a", 1))
    clock.move(seconds=1)
    await inbox.accept(of("b", 2))
    clock.move(seconds=1)
    first = await taken(inbox)
    assert await inbox.hold(first, LEASE, sending=True)
    assert await inbox.finish(first, InboxState.ACCEPTED)
    assert not await inbox.finish(first, InboxState.SENT)
    order = [await taken(inbox), await taken(inbox)]
    assert [lease.question.question_id for lease in order] == ["q2", "q1"]
    assert [(lease.attempt, lease.was_sending, lease.postponed) for lease in order] == [(1, False, 0), (2, True, 0)]


async def test_a_conversation_is_taken_in_its_order_one_at_a_time(inbox: SqlInbox, clock: FakeClock) -> None:
    for number in (1, 2, 3):
        await inbox.accept(of("a", number))
        clock.move(seconds=1)
    await inbox.accept(of("b", 4))
    first = await taken(inbox)
    assert [first.question.question_id, await id_taken(inbox), await id_taken(inbox)] == ["q1", "q4", None]
    assert await inbox.hold(first, LEASE, sending=True)
    assert await id_taken(inbox) is None
    assert await inbox.finish(first, InboxState.SENT)
    second = await taken(inbox)
    assert (second.question.question_id, await id_taken(inbox)) == ("q2", None)
    assert await inbox.finish(second, InboxState.FAILED)
    assert await id_taken(inbox) == "q3"


async def test_what_is_put_back_keeps_its_place_in_its_conversation(inbox: SqlInbox, clock: FakeClock) -> None:
    await inbox.accept(of("a", 1))
    clock.move(seconds=1)
    await inbox.accept(of("a", 2))
    clock.move(seconds=1)
    assert await inbox.finish(await taken(inbox), InboxState.ACCEPTED)
    clock.move(seconds=1)
    assert [await id_taken(inbox), await id_taken(inbox)] == ["q1", None]


async def test_a_lease_that_ran_out_does_not_let_the_next_question_pass(inbox: SqlInbox, clock: FakeClock) -> None:
    await inbox.accept(of("a", 1))
    clock.move(seconds=1)
    await inbox.accept(of("a", 2))
    await taken(inbox, "dead")
    clock.move(seconds=LEASE)
    assert [await id_taken(inbox), await id_taken(inbox)] == ["q1", None]


async def test_what_is_postponed_comes_back_when_its_time_has_come(inbox: SqlInbox, clock: FakeClock) -> None:
    await inbox.accept(of("a", 1))
    await inbox.accept(of("b", 2))
    first = await taken(inbox)
    assert await inbox.postpone(first, 30)
    assert not await inbox.postpone(first, 30)
    assert not await inbox.finish(first, InboxState.SENT)
    clock.move(seconds=29)
    assert [await id_taken(inbox), await id_taken(inbox)] == ["q2", None]
    clock.move(seconds=1)
    again = await taken(inbox)
    assert (again.question, again.attempt, again.postponed, again.behind) == (first.question, 2, 1, False)
    assert await inbox.postpone(again, 5)
    clock.move(seconds=5)
    third = await taken(inbox)
    assert (third.attempt, third.postponed, third.was_sending) == (3, 2, False)


async def test_behind_what_is_postponed_a_question_comes_once_and_is_then_in_line(
    inbox: SqlInbox, clock: FakeClock
) -> None:
    await inbox.accept(of("a", 1))
    clock.move(seconds=1)
    assert await inbox.postpone(await taken(inbox), 60)
    for number in (2, 3):
        await inbox.accept(of("a", number))
        clock.move(seconds=1)
        behind = await taken(inbox)
        assert (behind.question.question_id, behind.behind) == (f"q{number}", True)
        assert await id_taken(inbox) is None  # one at a time
        assert await inbox.postpone(behind, 5)
    clock.move(seconds=20)
    assert await id_taken(inbox) is None
    clock.move(seconds=60)
    for number in (1, 2, 3):
        lease = await taken(inbox)
        assert (lease.question.question_id, lease.behind) == (f"q{number}", False)
        assert await id_taken(inbox) is None
        assert await inbox.finish(lease, InboxState.SENT)


async def test_many_workers_keep_the_order_of_every_conversation(inbox: SqlInbox, clock: FakeClock) -> None:
    """Eight workers that take, give back now and then, and end: nobody ever holds two of one conversation."""
    for number in range(48):
        await inbox.accept(of(str(number % 4), number))
        clock.move(seconds=0.001)
    held: set[str] = set()
    order: dict[str, list[int]] = {}

    async def work(worker: str) -> None:
        while sum(map(len, order.values())) < 48:
            lease = await inbox.take(worker, LEASE)
            if lease is None:
                await asyncio.sleep(0.001)
                continue
            thread, number = lease.question.conversation.thread, int(lease.question.question_id[1:])
            assert thread not in held
            held.add(thread)
            await asyncio.sleep(0)
            put_back = number % 5 == 0 and lease.attempt == 1
            if not put_back:
                order.setdefault(thread, []).append(number)
            held.remove(thread)
            assert await inbox.finish(lease, InboxState.ACCEPTED if put_back else InboxState.SENT)

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        for number in range(8):
            group.create_task(work(f"w{number}"))
    assert order == {str(thread): list(range(thread, 48, 4)) for thread in range(4)}
