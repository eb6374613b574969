"""Circuit breakers: when they open, who may probe, and what says nothing about the service."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from ops.monitoring import breakers
from ops.monitoring.breakers import FAILURES, REST_SECONDS, BreakerState, CallEnd, CircuitBreaker, GuardedEmbedder
from rag_core.deadlines import within
from rag_core.errors import Misconfigured, Rejected, Unavailable
from tests.fakes.clock import Clock
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.policies import SilentEmbedder
from tests.fakes.watches import FakeBreakerWatch


class Bench:
    """A breaker with a clock, a watch, and calls that end as a test says."""

    def __init__(self) -> None:
        self.clock, self.watch = Clock(), FakeBreakerWatch()
        self.breaker = CircuitBreaker("redis", self.watch, now=self.clock)
        self.begun = 0

    @property
    def state(self) -> str:
        return self.breaker.state.value

    async def call(self, error: Exception | None = None, wait: Callable[[], Awaitable[object]] | None = None) -> str:
        """ "answered", the code of an Unavailable, or the error's name."""
        try:
            async with self.breaker.guard():
                self.begun += 1
                if wait is not None:
                    await wait()
                if error is not None:
                    raise error
        except Unavailable as exc:
            return exc.code
        except (Rejected, Misconfigured, ZeroDivisionError, TimeoutError) as exc:
            return type(exc).__name__
        return "answered"

    async def open(self) -> None:
        for _ in range(FAILURES):
            await self.call(Unavailable("redis_down"))
        assert self.state == "open"

    def rest(self) -> None:
        self.clock.seconds += REST_SECONDS


async def test_it_opens_after_failures_in_a_row_and_refuses_without_calling() -> None:
    bench = Bench()
    for error in (Unavailable("redis_down"), TimeoutError(), Unavailable("redis_down")):
        await bench.call(error)
    begun = bench.begun
    assert await bench.call() == "circuit_open"
    assert bench.begun == begun == 3
    assert [end.value for end in bench.watch.ends] == ["failed", "failed", "failed", "refused"]


async def test_who_is_refused_learns_which_service_it_is() -> None:
    bench = Bench()
    await bench.open()
    with pytest.raises(Unavailable) as caught:
        async with bench.breaker.guard():
            pass
    assert (caught.value.code, caught.value.details) == ("circuit_open", {"dependency": "redis"})


async def test_an_answer_in_between_starts_the_count_again() -> None:
    bench = Bench()
    for _ in range(FAILURES * 3):
        await bench.call(Unavailable("redis_down"))
        await bench.call(Unavailable("redis_down"))
        await bench.call()
    assert bench.state == "closed"


@pytest.mark.parametrize("error", [Rejected("no"), Misconfigured("wrong_password"), ZeroDivisionError()])
async def test_other_errors_are_no_failures_of_the_service(error: Exception) -> None:
    bench = Bench()
    for _ in range(FAILURES * 2):
        assert await bench.call(error) == type(error).__name__
    assert bench.state == "closed"


async def test_a_mistake_of_ours_does_not_hide_failures() -> None:
    bench = Bench()
    for error in (Unavailable("x"), ZeroDivisionError(), Unavailable("x"), ZeroDivisionError(), Unavailable("x")):
        await bench.call(error)
    assert bench.state == "open"


async def test_one_probe_closes_it_and_every_change_is_told() -> None:
    bench = Bench()
    await bench.open()
    bench.clock.seconds += REST_SECONDS - 0.1
    assert await bench.call() == "circuit_open"
    bench.clock.seconds += 0.2
    assert await bench.call() == "answered"
    assert bench.state == "closed"
    assert [(state.value, code) for _, state, code in bench.watch.changes] == [
        ("closed", ""),
        ("open", "redis_down"),
        ("half_open", ""),
        ("closed", ""),
    ]


async def test_a_probe_that_fails_opens_it_at_once_for_another_rest() -> None:
    bench = Bench()
    await bench.open()
    bench.rest()
    assert await bench.call(TimeoutError()) == "TimeoutError"
    assert await bench.call() == "circuit_open"
    bench.rest()
    assert await bench.call() == "answered"
    assert ("redis", BreakerState.OPEN, "timeout") in bench.watch.changes


@pytest.mark.parametrize("ends_well", [True, False])
async def test_of_a_herd_that_waits_one_probes_and_the_others_are_refused(ends_well: bool) -> None:
    bench = Bench()
    await bench.open()
    bench.rest()
    go, before = asyncio.Event(), bench.begun
    error = None if ends_well else Unavailable("redis_down")
    herd = [asyncio.create_task(bench.call(error, go.wait)) for _ in range(50)]
    await asyncio.sleep(0)
    assert bench.begun - before == 1
    go.set()
    said = await asyncio.gather(*herd)
    assert said.count("circuit_open") == 49
    assert bench.state == ("closed" if ends_well else "open")


async def test_a_cancelled_call_is_no_failure() -> None:
    bench = Bench()
    for _ in range(FAILURES * 2):
        task = asyncio.create_task(bench.call(wait=asyncio.Event().wait))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert bench.state == "closed"
    assert set(bench.watch.ends) == {CallEnd.ABANDONED}


async def test_a_cancelled_call_is_no_answer_either() -> None:
    bench = Bench()
    await bench.call(Unavailable("redis_down"))
    await bench.call(Unavailable("redis_down"))
    task = asyncio.create_task(bench.call(wait=asyncio.Event().wait))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await bench.call(Unavailable("redis_down"))
    assert bench.state == "open"


async def test_a_cancelled_probe_leaves_the_way_open_for_the_next() -> None:
    bench = Bench()
    await bench.open()
    bench.rest()
    task = asyncio.create_task(bench.call(wait=asyncio.Event().wait))
    await asyncio.sleep(0)
    assert bench.state == "half_open"
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert bench.state == "half_open"
    assert await bench.call() == "answered"


async def test_a_probe_that_never_comes_back_gives_way_after_a_rest() -> None:
    bench = Bench()
    await bench.open()
    bench.rest()
    task = asyncio.create_task(bench.call(wait=asyncio.Event().wait))
    await asyncio.sleep(0)
    assert await bench.call() == "circuit_open"
    bench.rest()
    assert await bench.call() == "answered"
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert bench.state == "closed"


async def test_a_deadline_that_gave_no_fair_time_says_nothing_about_the_service() -> None:
    bench = Bench()

    async def hasty() -> None:
        async with within(0.005):
            await bench.call(wait=asyncio.Event().wait)

    async def hasty_adapter() -> None:
        async with within(0.005):
            try:
                await asyncio.sleep(10)
            finally:  # as an adapter does that times its call by what is left
                await bench.call(Unavailable("redis_down"))

    for hurry in (hasty, hasty_adapter) * FAILURES:
        with pytest.raises(TimeoutError):
            await hurry()
    assert bench.state == "closed"
    assert set(bench.watch.ends) == {CallEnd.ABANDONED}


async def test_a_service_that_uses_up_a_fair_time_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breakers, "FAIR_SECONDS", 0.02)
    bench = Bench()

    async def patient() -> None:
        async with within(0.03):
            await bench.call(wait=asyncio.Event().wait)

    for _ in range(FAILURES):
        with pytest.raises(TimeoutError):
            await patient()
    assert bench.state == "open"


async def test_what_began_before_it_opened_is_no_news_afterwards() -> None:
    bench = Bench()
    go = asyncio.Event()
    late_answer = asyncio.create_task(bench.call(wait=go.wait))
    late_failure = asyncio.create_task(bench.call(Unavailable("redis_down"), go.wait))
    await asyncio.sleep(0)
    await bench.open()
    go.set()
    await asyncio.gather(late_answer, late_failure)
    assert bench.state == "open"
    bench.rest()
    assert await bench.call() == "answered"
    assert bench.state == "closed"


async def test_failures_that_come_late_do_not_open_it_again() -> None:
    bench = Bench()
    go = asyncio.Event()
    late = [asyncio.create_task(bench.call(Unavailable("redis_down"), go.wait)) for _ in range(FAILURES)]
    await asyncio.sleep(0)
    await bench.open()
    bench.rest()
    assert await bench.call() == "answered"
    go.set()
    await asyncio.gather(*late)
    assert bench.state == "closed"


async def test_a_guard_inside_a_guard_is_the_same_call() -> None:
    bench = Bench()
    await bench.open()
    bench.rest()
    before = len(bench.watch.ends)
    async with bench.breaker.guard():
        assert await bench.call() == "answered"
    assert bench.watch.ends[before:] == [CallEnd.ANSWERED]
    assert bench.state == "closed"


async def test_the_time_of_a_call_is_told() -> None:
    bench = Bench()

    async def wait() -> None:
        bench.clock.seconds += 1.5

    await bench.call(wait=wait)
    assert bench.watch.seconds == [1.5]


async def test_an_embedder_that_does_not_answer_is_spared() -> None:
    bench = Bench()
    silent = GuardedEmbedder(SilentEmbedder(), bench.breaker)
    for _ in range(FAILURES):
        with pytest.raises(Unavailable, match="embedder_silent"):
            await silent.embed(["kites"])
    with pytest.raises(Unavailable, match="circuit_open"):
        await silent.embed(["kites"])


async def test_a_guarded_embedder_is_the_embedder() -> None:
    embedder = FakeEmbedder()
    guarded = GuardedEmbedder(embedder, Bench().breaker)
    assert (guarded.model, guarded.dimensions, guarded.max_tokens) == (embedder.model, 64, 256)
    assert guarded.count_tokens("two words") == 4
    assert (await guarded.embed(["kites"]))[0].tolist() == embedder.vector("kites").tolist()
