"""The gauges of what waits: filled in the background, whatever happens to those who are asked."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from adapters.local.spool import LocalSpool
from ingest.ports import OutboxLag
from ops.monitoring import sampling
from ops.monitoring.metrics import Backlog, Metrics
from ops.monitoring.sampling import Sampler, look_at_inbox, look_at_outbox, look_at_spool
from rag_core.errors import Unavailable
from tests.fakes.clock import Clock
from tests.fakes.service import until

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


class FakeLook:
    """Sees what a test says."""

    def __init__(self, backlog: Backlog) -> None:
        self.backlog = backlog
        self.error: Exception | None = None
        self.hangs = False

    async def __call__(self) -> Backlog:
        if self.hangs:
            await asyncio.Event().wait()
        if self.error is not None:
            raise self.error
        return self.backlog


def figure(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(f"adpolicy_{name}", labels)


async def test_what_waits_is_shown() -> None:
    metrics = Metrics()
    sampler = Sampler({"outbox": FakeLook(Backlog(7, 12.5, 2)), "spool": FakeLook(Backlog(1))}, metrics)
    await sampler.sample()
    assert figure(metrics, "backlog_waiting", backlog="outbox") == 7
    assert figure(metrics, "backlog_oldest_age_seconds", backlog="outbox") == 12.5
    assert figure(metrics, "backlog_failing", backlog="outbox") == 2
    assert figure(metrics, "backlog_waiting", backlog="spool") == 1
    assert sampler.seen("outbox") == Backlog(7, 12.5, 2)


@pytest.mark.parametrize("error", [Unavailable("store_down"), ZeroDivisionError()])
async def test_what_cannot_be_seen_is_no_number_and_disturbs_no_other(error: Exception) -> None:
    metrics, inbox, outbox = Metrics(), FakeLook(Backlog(1)), FakeLook(Backlog(2))
    sampler = Sampler({"inbox": inbox, "outbox": outbox}, metrics)
    await sampler.sample()
    inbox.error = error
    await sampler.sample()
    shown = figure(metrics, "backlog_waiting", backlog="inbox")
    assert shown != shown
    assert figure(metrics, "sample_failures_total", backlog="inbox") == 1
    assert figure(metrics, "backlog_waiting", backlog="outbox") == 2
    assert sampler.seen("inbox") is None


async def test_one_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "_LOOK_SECONDS", 0.02)
    metrics, inbox = Metrics(), FakeLook(Backlog(1))
    inbox.hangs = True
    await Sampler({"inbox": inbox}, metrics).sample()
    assert figure(metrics, "sample_failures_total", backlog="inbox") == 1


async def test_what_was_seen_long_ago_is_not_believed() -> None:
    clock = Clock()
    sampler = Sampler({"inbox": FakeLook(Backlog(1))}, Metrics(), every_seconds=10, now=clock)
    assert sampler.seen("inbox") is None
    await sampler.sample()
    clock.seconds += 30
    assert sampler.seen("inbox") == Backlog(1)
    clock.seconds += 10
    assert sampler.seen("inbox") is None


async def test_it_goes_on_until_it_is_cancelled() -> None:
    metrics, inbox = Metrics(), FakeLook(Backlog(1))
    inbox.error = Unavailable("store_down")
    task = asyncio.create_task(Sampler({"inbox": inbox}, metrics, every_seconds=0.001).run())

    async def failed() -> bool:
        return (figure(metrics, "sample_failures_total", backlog="inbox") or 0) >= 3

    async def seen() -> bool:
        return figure(metrics, "backlog_waiting", backlog="inbox") == 1

    await until(failed)
    inbox.error = None
    await until(seen)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()


async def test_what_the_spool_keeps_is_counted(tmp_path: Path) -> None:
    spool = LocalSpool(tmp_path, encrypt=str, decrypt=str, most_bytes=10_000)
    await spool.put("question", "q1", {})
    await spool.put("answer", "q1", {})
    await spool.put("answer", "q2", {})
    assert await look_at_spool(spool)() == Backlog(3)


async def test_questions_that_nobody_has_begun_are_counted() -> None:
    async def backlog() -> tuple[int, datetime | None]:
        return 4, NOON - timedelta(seconds=30)

    assert await look_at_inbox(backlog, lambda: NOON)() == Backlog(4, 30.0)


async def test_the_age_of_the_outbox_is_counted_from_its_oldest() -> None:
    async def seen(lag: OutboxLag) -> Backlog:
        async def asked() -> OutboxLag:
            return lag

        return await look_at_outbox(asked, lambda: NOON)()

    late = OutboxLag(waiting=3, failing=1, oldest=NOON - timedelta(seconds=90))
    assert await seen(late) == Backlog(3, 90.0, 1)
    assert await seen(OutboxLag(0, 0, None)) == Backlog(0)
    ahead = OutboxLag(waiting=1, failing=0, oldest=NOON + timedelta(seconds=5))  # written by a clock ahead of ours
    assert (await seen(ahead)).oldest_seconds == 0
