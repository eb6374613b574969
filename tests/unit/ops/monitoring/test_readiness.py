"""Readiness: which dependency is how, asked of all at once, bounded, and not for every probe."""

import asyncio

import pytest

from adapters.web.parts import Check
from ops.monitoring.breakers import FAILURES, CircuitBreaker
from ops.monitoring.metrics import Backlog
from ops.monitoring.readiness import FRESH_SECONDS, LATE_SECONDS, Dependency, ReadinessChecks, backlog_probe
from rag_core.errors import Misconfigured, Unavailable
from tests.fakes.clock import Clock
from tests.fakes.watches import FakeBreakerWatch


class FakeProbe:
    """Says what a test says; counts."""

    def __init__(self, reason: str = "", error: Exception | None = None) -> None:
        self.reason = reason
        self.error = error
        self.hangs = False
        self.calls = 0

    async def __call__(self) -> str:
        self.calls += 1
        if self.hangs:
            await asyncio.Event().wait()
        if self.error is not None:
            raise self.error
        return self.reason


def checks(*, now: Clock | None = None, seconds: float = 0.05, **probes: FakeProbe) -> ReadinessChecks:
    """Store and index are needed."""
    needed = {"store", "index"}
    return ReadinessChecks(
        [Dependency(name, probe, needed=name in needed) for name, probe in probes.items()],
        probe_seconds=seconds,
        now=now or Clock(),
    )


async def test_all_is_well() -> None:
    seen = await checks(store=FakeProbe(), index=FakeProbe(), redis=FakeProbe()).ready()
    assert seen.can_answer
    assert dict(seen.checks) == {"store": Check("ok"), "index": Check("ok"), "redis": Check("ok")}


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (Unavailable("store_down", reason="db.internal:5432"), "store_down"),
        (Misconfigured("database_refused", setting="x"), "database_refused"),
        (ZeroDivisionError("secret"), "unexpected_error"),
    ],
)
async def test_what_is_needed_and_down_is_named_by_its_code_only(error: Exception, reason: str) -> None:
    seen = await checks(store=FakeProbe(error=error), index=FakeProbe()).ready()
    assert not seen.can_answer
    assert seen.checks["store"] == Check("down", reason)


async def test_what_is_not_needed_may_be_down() -> None:
    seen = await checks(store=FakeProbe(), redis=FakeProbe(error=Unavailable("redis_down"))).ready()
    assert seen.can_answer
    assert seen.checks["redis"] == Check("down", "redis_down")


async def test_degraded_is_told_and_can_answer() -> None:
    seen = await checks(index=FakeProbe("vector_leg_failed")).ready()
    assert seen.can_answer
    assert seen.checks["index"] == Check("degraded", "vector_leg_failed")


async def test_all_that_hang_cost_the_time_of_one() -> None:
    hanging = FakeProbe()
    hanging.hangs = True
    async with asyncio.timeout(1.8):  # one after the other they would take 2 s
        seen = await checks(seconds=0.5, store=hanging, index=hanging, redis=hanging, inbox=hanging).ready()
    assert {check.reason for check in seen.checks.values()} == {"timeout"}


async def test_a_storm_of_probes_costs_one() -> None:
    clock, store = Clock(), FakeProbe()
    asked = checks(now=clock, store=store)
    await asyncio.gather(*(asked.ready() for _ in range(100)))
    await asked.ready()
    assert store.calls == 1
    clock.seconds += FRESH_SECONDS + 0.1
    store.error = Unavailable("store_down")
    assert not (await asked.ready()).can_answer
    assert store.calls == 2


async def test_who_goes_away_takes_the_answer_from_nobody_else() -> None:
    go, calls = asyncio.Event(), 0

    async def slow() -> str:
        nonlocal calls
        calls += 1
        await go.wait()
        return ""

    asked = ReadinessChecks([Dependency("store", slow, needed=True)])
    first, second = asyncio.create_task(asked.ready()), asyncio.create_task(asked.ready())
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    go.set()
    assert (await second).can_answer
    assert calls == 1


async def test_an_open_circuit_is_a_reason_also_without_a_probe() -> None:
    breaker = CircuitBreaker("embedder", FakeBreakerWatch())
    asked = ReadinessChecks([Dependency("embedder", None, breaker)], fresh_seconds=0)
    assert (await asked.ready()).checks["embedder"] == Check("ok")
    for _ in range(FAILURES):
        with pytest.raises(Unavailable):
            async with breaker.guard():
                raise Unavailable("embedder_failed")
    assert (await asked.ready()).checks["embedder"] == Check("degraded", "circuit_open")


@pytest.mark.parametrize(
    ("backlog", "reason"),
    [
        (Backlog(3, 1.0), ""),
        (Backlog(3, LATE_SECONDS + 1), "behind"),
        (Backlog(3, 1.0, failing=1), "entries_failing"),
        (None, "not_seen"),
    ],
)
async def test_a_backlog_is_as_it_was_seen_last(backlog: Backlog | None, reason: str) -> None:
    assert await backlog_probe(lambda: backlog)() == reason
