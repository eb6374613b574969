"""NoticeService: what becomes of a notice when its platform says no, not now, or nothing."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from adapters.sql.chat.notices import SqlNoticeQueue
from bot.alerts.sender import NoticePace, NoticePacing, NoticeService
from bot.model.notices import NoticeKind, NoticeLease
from rag_core.errors import Rejected, Unavailable
from tests.fakes.clock import FakeClock
from tests.fakes.databases import migrated_engine
from tests.fakes.notices import FakeEnding, FakeSink, KeptLog, Timer, make_notice
from tests.fakes.service import until


@dataclass(slots=True)
class Post:
    """A service on a real queue, with a sink that can be in trouble."""

    queue: SqlNoticeQueue
    sink: FakeSink
    ending: FakeEnding
    log: KeptLog
    clock: FakeClock
    service: NoticeService

    async def pump(self) -> None:
        while await self.service.once("w"):
            pass

    async def waiting(self) -> int:
        return (await self.queue.backlog())[0]


@pytest.fixture
async def post(tmp_path: Path) -> AsyncIterator[Post]:
    async with migrated_engine(tmp_path) as engine:
        clock = FakeClock()
        queue, sink, ending, log = SqlNoticeQueue(engine, clock), FakeSink(), FakeEnding(), KeptLog()
        service = NoticeService(
            queue, {"slack": sink}, ending, log, worker="w", now=clock, monotonic=Timer(clock),
            pace=NoticePace(workers=2, poll=0.01, drain=1.0, send=0.5, most_failures=3),
        )  # fmt: skip
        yield Post(queue, sink, ending, log, clock, service)


async def test_one_that_is_refused_is_given_up_and_the_next_goes_on(post: Post) -> None:
    await post.queue.queue([make_notice(1), make_notice(2)])
    post.sink.troubles = [Rejected("slack_refused", error="invalid_blocks")]
    await post.pump()
    post.clock.move(seconds=1)
    await post.pump()
    assert post.sink.ids == ["notice-2"]
    assert post.ending.ended == []
    assert ("given up", "slack_refused") in post.log.heard


@pytest.mark.parametrize("code", ["slack_not_in_channel", "slack_channel_closed", "teams_not_in_channel"])
async def test_a_channel_that_is_gone_hears_of_no_more_changes(post: Post, code: str) -> None:
    await post.queue.queue([make_notice(1)])
    post.sink.troubles = [Rejected(code)]
    await post.pump()
    assert post.ending.ended == [("C1", code)]
    assert await post.waiting() == 0


async def test_only_alerts_end_subscriptions(post: Post) -> None:
    await post.queue.queue([make_notice(1, kind=NoticeKind.ESCALATION)])
    post.sink.troubles = [Rejected("slack_not_in_channel")]
    await post.pump()
    assert post.ending.ended == []
    assert await post.waiting() == 0


async def test_a_notice_is_not_given_up_before_its_subscriptions_are(post: Post) -> None:
    await post.queue.queue([make_notice(1)])
    post.sink.troubles = [Rejected("slack_not_in_channel"), Rejected("slack_not_in_channel")]
    post.ending.down = 1
    await post.pump()
    assert await post.waiting() == 1
    post.clock.move(minutes=1)
    await post.pump()
    assert post.ending.ended == [("C1", "slack_not_in_channel")]


async def test_what_is_down_is_tried_again_ever_more_slowly(post: Post) -> None:
    await post.queue.queue([make_notice(1)])
    post.sink.troubles = [Unavailable("slack_error"), Unavailable("slack_unreachable", delivered="no")]
    await post.pump()
    post.clock.move(seconds=4)
    assert not await post.service.once("w")
    post.clock.move(seconds=1)
    await post.pump()
    post.clock.move(seconds=9)
    assert not await post.service.once("w")
    post.clock.move(seconds=1)
    await post.pump()
    assert [(each.attempt, each.was_sending) for each in post.sink.sent] == [(3, True)]


@dataclass(slots=True)
class OneSlowWorkspace(FakeSink):
    """T1 does not answer."""

    async def send(self, lease: NoticeLease) -> None:
        if lease.notice.workspace == "T1":
            await asyncio.Event().wait()
        await FakeSink.send(self, lease)


async def test_a_workspace_that_does_not_answer_holds_up_no_other(post: Post) -> None:
    sink = OneSlowWorkspace()
    slow = [make_notice(number, f"C{number}") for number in range(8)]
    await post.queue.queue([*slow, make_notice(9, "C9", workspace="T2")])
    service = NoticeService(
        post.queue, {"slack": sink}, post.ending, post.log, worker="w", now=post.clock, monotonic=Timer(post.clock),
        pace=NoticePace(poll=0.01, drain=0.05, send=30.0),
    )  # fmt: skip
    running = asyncio.create_task(service.run())
    try:
        await until(lambda: _is_true(bool(sink.sent)), 10.0)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert sink.ids == ["notice-9"]


@dataclass(slots=True)
class CountedQueue:
    """An empty one."""

    asked: int = 0

    async def take(self, worker: str, lease_seconds: float) -> NoticeLease | None:
        self.asked += 1
        return None


async def test_an_empty_queue_is_asked_by_one_worker_alone(post: Post) -> None:
    queue = CountedQueue()
    service = NoticeService(
        queue,  # type: ignore[arg-type]
        {}, post.ending, post.log, worker="w", now=post.clock, monotonic=Timer(post.clock),
        pace=NoticePace(workers=8, poll=0.05),
    )  # fmt: skip
    running = asyncio.create_task(service.run())
    await asyncio.sleep(0.12)
    service.stop()
    await asyncio.wait_for(running, 5)
    assert 1 <= queue.asked <= 4


async def _is_true(value: bool) -> bool:
    return value


async def test_a_platform_that_was_away_brings_no_notice_nearer_to_its_end(post: Post) -> None:
    await post.queue.queue([make_notice(1)])
    post.sink.troubles = [*[Unavailable("slack_error")] * 5, ZeroDivisionError()]
    for _ in range(8):
        await post.pump()
        post.clock.move(minutes=10)
    assert post.sink.ids == ["notice-1"]


async def test_what_was_surely_not_delivered_need_not_be_looked_for(post: Post) -> None:
    await post.queue.queue([make_notice(1)])
    post.sink.troubles = [Unavailable("slack_unreachable", delivered="no"), Unavailable("x", retry_after=3)]
    await post.pump()
    for _ in range(2):
        post.clock.move(seconds=10)
        await post.pump()
    assert [each.was_sending for each in post.sink.sent] == [False]


async def test_a_limit_of_a_workspace_holds_for_all_its_channels_and_for_no_other(post: Post) -> None:
    await post.queue.queue([make_notice(1, "C1"), make_notice(2, "C2"), make_notice(3, "C1", workspace="T2")])
    post.sink.troubles = [Unavailable("slack_rate_limited", retry_after=20.0)]
    await post.pump()
    assert post.sink.ids == ["notice-3"]
    post.clock.move(seconds=25)
    await post.pump()
    assert sorted(post.sink.ids) == ["notice-1", "notice-2", "notice-3"]


async def test_a_fault_of_ours_is_tried_some_times_and_then_holds_up_nobody(post: Post) -> None:
    await post.queue.queue([make_notice(1), make_notice(2)])
    post.sink.troubles = [ValueError("one"), ValueError("two"), ValueError("three")]
    for _ in range(5):
        await post.pump()
        post.clock.move(minutes=10)
    assert post.sink.ids == ["notice-2"]
    assert ("given up", "unexpected_error") in post.log.heard


async def test_what_is_too_old_is_news_no_more(post: Post) -> None:
    await post.queue.queue([make_notice(1)])
    post.clock.move(hours=72, seconds=1)
    await post.pump()
    assert post.sink.sent == []
    assert post.log.heard == [("given up", "too_old")]


async def test_a_platform_that_this_server_does_not_have_keeps_its_notices(post: Post) -> None:
    await post.queue.queue([make_notice(1, platform="teams"), make_notice(2)])
    await post.pump()
    assert post.sink.ids == ["notice-2"]
    assert await post.waiting() == 1


async def test_a_sink_that_hangs_is_left_and_the_message_looked_for(post: Post) -> None:
    class Hanging(FakeSink):
        async def send(self, lease: NoticeLease) -> None:
            await asyncio.Event().wait()

    post.service._sinks = {"slack": Hanging()}
    await post.queue.queue([make_notice(1)])
    await post.pump()
    post.clock.move(seconds=5)
    lease = await post.queue.take("w", 1.0)
    assert lease is not None
    assert lease.was_sending


async def test_a_stop_finishes_what_is_being_sent_and_leaves_the_rest(post: Post) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    class Slow(FakeSink):
        async def send(self, lease: NoticeLease) -> None:
            begun.set()
            await go_on.wait()
            await super().send(lease)

    slow = Slow()
    post.service._sinks = {"slack": slow}
    await post.queue.queue([make_notice(1), make_notice(2)])
    running = asyncio.create_task(post.service.run())
    await begun.wait()
    running.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert slow.ids == ["notice-1"]
    waiting = await post.queue.waiting(10)
    assert [(each.notice.notice_id, each.is_held) for each in waiting] == [("notice-2", False)]


def test_many_at_once_get_places_in_a_row_and_come_once_more() -> None:
    clock = FakeClock()
    pacing = NoticePacing(NoticePace(a_second=4.0, burst=5.0), Timer(clock))
    waits = [pacing.wait(make_notice(n, f"C{n}")) for n in range(13)]
    assert waits == [0.0] * 5 + [0.25 * n for n in range(1, 9)]
    clock.move(seconds=2)
    assert [pacing.wait(make_notice(n, f"C{n}")) for n in range(5, 10)] == [0.0] * 5


def test_a_channel_gets_one_message_a_second() -> None:
    clock = FakeClock()
    pacing = NoticePacing(NoticePace(), Timer(clock))
    assert [pacing.wait(make_notice(1)), pacing.wait(make_notice(2)), pacing.wait(make_notice(3, "C2"))] == [0, 1, 0]
