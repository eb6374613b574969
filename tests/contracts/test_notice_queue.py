"""NoticeQueue: in order in a channel, none twice, none lost, and no channel waits for another."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.notices import SqlNoticeQueue, count_to_person, drop_to_person
from adapters.sql.database.transactions import fetch
from adapters.sql.people.retention import NOTICES, SqlRetention
from adapters.sql.tables.channels import notices
from bot.audit.entries import administration
from bot.model.messages import Actor
from tests.fakes.clock import FakeClock
from tests.fakes.notices import make_notice
from tests.fakes.questions import NOON


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def queue(engine: AsyncEngine, clock: FakeClock) -> SqlNoticeQueue:
    return SqlNoticeQueue(engine, clock)


async def taken(queue: SqlNoticeQueue, worker: str = "w") -> str | None:
    lease = await queue.take(worker, 60.0)
    return lease.notice.notice_id if lease else None


async def test_what_is_queued_again_changes_nothing_however_it_ended(queue: SqlNoticeQueue) -> None:
    one, two = make_notice(1), make_notice(2)
    assert await queue.queue([one]) == 1
    assert await queue.queue([one, two]) == 1
    lease = await queue.take("w", 60.0)
    assert lease is not None
    assert lease.notice == one
    assert (lease.attempt, lease.was_sending) == (1, False)
    assert await queue.finish(lease, sent=True)
    assert await queue.queue([one]) == 0
    assert await taken(queue) == "notice-2"


async def test_one_at_a_time_and_in_order_in_a_channel(queue: SqlNoticeQueue) -> None:
    await queue.queue([make_notice(2), make_notice(1), make_notice(3, "C2")])
    first = await queue.take("w", 60.0)
    assert first is not None
    assert first.notice.notice_id == "notice-2"
    assert await taken(queue) == "notice-3"
    assert await taken(queue) is None
    await queue.finish(first, sent=False)
    assert await taken(queue) == "notice-1"


async def test_the_same_channel_of_another_workspace_or_platform_is_another(queue: SqlNoticeQueue) -> None:
    await queue.queue([make_notice(1), make_notice(2, workspace="T2"), make_notice(3, platform="teams")])
    assert [await taken(queue) for _ in range(4)] == ["notice-1", "notice-2", "notice-3", None]


async def test_a_postponed_one_holds_up_its_own_channel_only(queue: SqlNoticeQueue, clock: FakeClock) -> None:
    await queue.queue([make_notice(1), make_notice(2), make_notice(3, "C2")])
    lease = await queue.take("w", 60.0)
    assert lease is not None
    assert await queue.postpone(lease, 30.0)
    assert [await taken(queue), await taken(queue)] == ["notice-3", None]
    clock.move(seconds=30)
    again = await queue.take("w", 60.0)
    assert again is not None
    assert (again.notice.notice_id, again.attempt, again.was_sending) == ("notice-1", 2, False)


async def test_who_does_not_know_whether_it_was_sent_says_so_to_the_next(
    queue: SqlNoticeQueue, clock: FakeClock
) -> None:
    await queue.queue([make_notice()])
    for may_be_there, expected in ((True, True), (False, True)):  # once in doubt, always
        lease = await queue.take("w", 60.0)
        assert lease is not None
        assert await queue.postpone(lease, 0.0, may_be_there=may_be_there)
        again = await queue.take("w", 60.0)
        assert again is not None
        assert again.was_sending is expected
        await queue.postpone(again, 0.0)


async def test_a_lease_that_ran_out_is_taken_over_and_the_first_holder_is_fenced(
    queue: SqlNoticeQueue, clock: FakeClock
) -> None:
    await queue.queue([make_notice()])
    dead = await queue.take("w", 60.0)
    assert dead is not None
    clock.move(seconds=59)
    assert await taken(queue) is None
    clock.move(seconds=1)
    heir = await queue.take("w", 60.0)
    assert heir is not None
    assert (heir.attempt, heir.was_sending) == (2, True)
    assert not await queue.finish(dead, sent=True)
    assert not await queue.postpone(dead, 1.0)
    assert await queue.finish(heir, sent=True)
    assert not await queue.finish(heir, sent=True)


async def test_two_that_take_at_once_do_not_get_the_same(queue: SqlNoticeQueue) -> None:
    await queue.queue([make_notice(number, f"C{number % 4}") for number in range(16)])
    got = [each for each in await asyncio.gather(*(taken(queue, f"w{n}") for n in range(8))) if each]
    assert len(got) == len(set(got))
    rest = [each for _ in range(8) if (each := await taken(queue))]
    assert sorted(got + rest) == ["notice-0", "notice-1", "notice-2", "notice-3"]


async def test_of_an_ended_one_there_is_left_its_id(queue: SqlNoticeQueue, engine: AsyncEngine) -> None:
    await queue.queue([make_notice(thread="1.2", channel="U1")])
    lease = await queue.take("w", 60.0)
    assert lease is not None
    await queue.finish(lease, sent=True)
    [row] = await fetch(engine, select(notices.c.channel, notices.c.thread, notices.c.content, notices.c.notice_id))
    assert tuple(row) == ("", "", {}, "notice-1")


async def test_a_channel_that_the_app_was_removed_from_is_told_nothing_more(queue: SqlNoticeQueue) -> None:
    await queue.queue([make_notice(1), make_notice(2, "C2"), make_notice(3, workspace="T2")])
    assert await queue.drop_channel("slack", "T1", "C1") == 1
    assert await queue.drop_channel("slack", "T1", "C1") == 0
    assert {await taken(queue), await taken(queue), await taken(queue)} == {"notice-2", "notice-3", None}


async def test_an_uninstalled_workspace_is_told_nothing_more(queue: SqlNoticeQueue) -> None:
    await queue.queue([make_notice(1), make_notice(2, "C2"), make_notice(3, workspace="T2")])
    held = await queue.take("w", 60.0)
    assert held is not None
    assert await queue.drop_workspace("slack", "T1") == 2
    assert not await queue.finish(held, sent=True)
    assert await queue.drop_workspace("slack", "T1") == 0
    assert [await taken(queue), await taken(queue)] == ["notice-3", None]
    assert await queue.queue([make_notice(2, "C2")]) == 0


async def test_a_channel_that_the_app_left_is_told_nothing_more(queue: SqlNoticeQueue) -> None:
    await queue.queue([make_notice(1), make_notice(2, "C2"), make_notice(3, workspace="T2")])
    assert await queue.drop_channel("slack", "T1", make_notice(1).channel) == 1
    assert await queue.drop_channel("slack", "T1", make_notice(1).channel) == 0
    assert {await taken(queue), await taken(queue), await taken(queue)} == {"notice-2", "notice-3", None}


async def test_the_backlog_counts_what_waits_and_what_failed(queue: SqlNoticeQueue, clock: FakeClock) -> None:
    assert await queue.backlog() == (0, 0, None)
    await queue.queue([make_notice(1), make_notice(2, "C2", queued_at=NOON + timedelta(minutes=5))])
    lease = await queue.take("w", 60.0)
    assert lease is not None
    await queue.postpone(lease, 0.0)
    assert await queue.backlog() == (2, 0, NOON)
    await queue.take("w", 60.0)
    assert await queue.backlog() == (2, 1, NOON)
    waiting = await queue.waiting(10)
    assert [(each.notice.notice_id, each.attempts, each.is_held) for each in waiting] == [
        ("notice-1", 2, True),
        ("notice-2", 0, False),
    ]


async def test_ended_ones_are_swept_after_their_days_and_waiting_ones_never(
    queue: SqlNoticeQueue, engine: AsyncEngine, clock: FakeClock
) -> None:
    await queue.queue([make_notice(1), make_notice(2, "C2")])
    lease = await queue.take("w", 60.0)
    assert lease is not None
    await queue.finish(lease, sent=True)
    retention, act = SqlRetention(engine), administration("a1", "retention", NOON)
    assert await retention.due(NOTICES, clock()) == 0
    clock.move(days=90, seconds=1)
    assert await retention.due(NOTICES, clock() - timedelta(days=90)) == 1
    assert await retention.remove(NOTICES, clock() - timedelta(days=90), act) == 1
    assert await retention.remove(NOTICES, clock() - timedelta(days=90), act) == 0
    assert await queue.queue([make_notice(1)]) == 1
    assert (await queue.backlog())[0] == 2


async def test_who_is_forgotten_is_not_written_to(queue: SqlNoticeQueue, engine: AsyncEngine) -> None:
    to_him = replace(make_notice(1), channel="U1")
    await queue.queue([to_him, make_notice(2, "C1"), make_notice(3, "U1", workspace="T2")])
    person = Actor("slack", "T1", "U1")
    assert await count_to_person(engine, person) == 1
    assert await drop_to_person(engine, person, NOON) == 1
    assert await drop_to_person(engine, person, NOON) == 0
    assert [await taken(queue) for _ in range(3)] == ["notice-2", "notice-3", None]
