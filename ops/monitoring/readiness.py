"""Whether questions can be answered now, asked of everything at once, cheaply, and at most every two seconds."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from adapters.web.parts import Check, Readiness
from ops.monitoring.breakers import BreakerState, CircuitBreaker
from ops.monitoring.metrics import Backlog
from rag_core.deadlines import within
from rag_core.errors import PolicyBotError

PROBE_SECONDS = 2.0
FRESH_SECONDS = 2.0
"""A storm of probes costs no more than one in this time."""

LATE_SECONDS = 300.0
"""What waits for longer than this waits for somebody to look."""

Probe = Callable[[], Awaitable[str]]
"""Asks for the least there is to ask: SELECT 1, PING. Gives "", or the code of what is degraded; raises when down."""


@dataclass(frozen=True, slots=True)
class Dependency:
    """`needed`: without it no question can be answered. `breaker`: an open one is a reason, too."""

    name: str
    probe: Probe | None
    breaker: CircuitBreaker | None = None
    needed: bool = False


class ReadinessChecks:
    """`WebParts.ready`."""

    def __init__(
        self,
        dependencies: Sequence[Dependency],
        *,
        probe_seconds: float = PROBE_SECONDS,
        fresh_seconds: float = FRESH_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._dependencies = dependencies
        self._probe_seconds = probe_seconds
        self._fresh_seconds = fresh_seconds
        self._now = now
        self._looked_at = float("-inf")
        self._seen: Readiness | None = None
        self._looking: asyncio.Task[Readiness] | None = None

    async def ready(self) -> Readiness:
        if self._seen is not None and self._now() - self._looked_at < self._fresh_seconds:
            return self._seen
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        return await asyncio.shield(self._looking)  # who goes away takes the answer from nobody else

    async def _look(self) -> Readiness:
        checks = await asyncio.gather(*(self._check(each) for each in self._dependencies))
        seen = dict(zip((each.name for each in self._dependencies), checks, strict=True))
        needed = [seen[each.name] for each in self._dependencies if each.needed]
        self._seen = Readiness(all(check.status != "down" for check in needed), seen)
        self._looked_at = self._now()
        return self._seen

    async def _check(self, dependency: Dependency) -> Check:
        try:
            async with within(self._probe_seconds):
                reason = await dependency.probe() if dependency.probe else ""
        except TimeoutError:
            return Check("down", "timeout")
        except PolicyBotError as exc:
            return Check("down", exc.code)
        except Exception:  # noqa: BLE001 - a probe that breaks is an answer, too
            return Check("down", "unexpected_error")
        breaker = dependency.breaker
        if not reason and breaker is not None and breaker.state is not BreakerState.CLOSED:
            reason = "circuit_open"
        return Check("degraded", reason) if reason else Check("ok")


def backlog_probe(seen: Callable[[], Backlog | None]) -> Probe:
    """How a backlog is, by what the sampler saw last."""

    async def probe() -> str:
        backlog = seen()
        if backlog is None:
            return "not_seen"
        if backlog.failing:
            return "entries_failing"
        return "behind" if backlog.oldest_seconds > LATE_SECONDS else ""

    return probe
