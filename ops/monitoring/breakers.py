"""Circuit breakers: one for each service this process depends on, shared by all who call it.

Our own, because purgatory 3.0.1 (MIT, the library looked at) lets every waiting call through at once when it probes,
counts a cancelled call as a failure (or, told not to, as a success that closes the circuit), and times by the wall
clock, which may jump.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from rag_core.deadlines import is_over, remaining
from rag_core.errors import PolicyBotError, Unavailable
from rag_core.ports import Embedder, Vector

DATABASE, OPENSEARCH, REDIS, EMBEDDER = "database", "opensearch", "redis", "embedder"
MODEL = "model"

FAILURES = 3
"""Failures in a row that open the circuit: one may be chance, more than a few are waiting for nothing."""

REST_SECONDS = 5.0
"""How long nobody calls before a probe: a restart of any of the servers takes about that long."""

MODEL_REST_SECONDS = 30.0
"""The same for a language model: whoever probes one that hangs waits for as long as a model may take."""

FAIR_SECONDS = 1.0
"""Who gives a service less time than this has only himself to blame."""

_FOR_EVER = float("inf")
_inside: ContextVar[frozenset[int]] = ContextVar("guarded_by", default=frozenset())


class BreakerState(StrEnum):
    CLOSED = "closed"
    HALF_OPEN = "half_open"
    OPEN = "open"


class CallEnd(StrEnum):
    """How a guarded call ended. `abandoned`: by the caller, which says nothing about the service."""

    ANSWERED = "answered"
    FAILED = "failed"
    REFUSED = "refused"
    ABANDONED = "abandoned"


class BreakerWatch(Protocol):
    """Hears of every call and every change. `code` is that of the failure that opened the circuit, else ""."""

    def called(self, dependency: str, end: CallEnd, seconds: float) -> None: ...

    def breaker_changed(self, dependency: str, state: BreakerState, code: str) -> None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """`round`: how often the circuit had opened when it began; what comes back later than that is no news."""

    round: int
    begun: float
    granted: float
    is_probe: bool


class CircuitBreaker:
    """`rag_core.ports.Breaker`. Times by a clock that never jumps.

    A guard inside a guard of the same breaker is part of the same call. A probe that does not come back gives way to
    another after the same rest; the first one that succeeds closes the circuit.
    """

    def __init__(
        self,
        dependency: str,
        watch: BreakerWatch,
        *,
        failures: int = FAILURES,
        rest_seconds: float = REST_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.dependency = dependency
        self.state = BreakerState.CLOSED
        self._watch = watch
        self._most_failures = failures
        self._rest = rest_seconds
        self._now = now
        self._failures = 0
        self._round = 0
        self._probe: Call | None = None
        self._next_probe = 0.0
        watch.breaker_changed(dependency, self.state, "")

    @asynccontextmanager
    async def guard(self) -> AsyncIterator[None]:
        outer = _inside.get()
        if id(self) in outer:
            yield
            return
        call = self.admit()
        _inside.set(outer | {id(self)})
        try:
            yield
        except (Unavailable, TimeoutError) as exc:
            self._failed(call, exc.code if isinstance(exc, Unavailable) else "timeout")
            raise
        except asyncio.CancelledError:
            # by a deadline that gave it time enough: it hangs; by anything else: nobody wants the answer any more
            self._failed(call, "timeout") if is_over() else self._abandoned(call)
            raise
        except PolicyBotError:
            self._answered(call)
            raise
        except BaseException:  # a mistake of ours, say: the service may never have been asked
            self._abandoned(call)
            raise
        else:
            self._answered(call)
        finally:
            _inside.set(outer)

    def admit(self) -> Call:
        """For calls that no block can hold, because they end in several places: exactly one `settle` follows.

        Raises Unavailable("circuit_open", dependency).
        """
        now = self._now()
        is_probe = self.state is not BreakerState.CLOSED
        if is_probe and now < self._next_probe:
            self._watch.called(self.dependency, CallEnd.REFUSED, 0.0)
            raise Unavailable("circuit_open", dependency=self.dependency)
        call = Call(self._round, now, remaining(_FOR_EVER), is_probe)
        if is_probe:
            self._probe = call
            self._next_probe = now + self._rest
            self._change(BreakerState.HALF_OPEN, "")
        return call

    def settle(self, call: Call, end: CallEnd, code: str = "") -> None:
        """How a call that was admitted ended; `code` of a failure."""
        match end:
            case CallEnd.ANSWERED:
                self._answered(call)
            case CallEnd.FAILED:
                self._failed(call, code)
            case _:
                self._abandoned(call)

    def _answered(self, call: Call) -> None:
        self._tell(call, CallEnd.ANSWERED)
        if call.round == self._round:
            self._failures = 0
            self._probe = None
            self._change(BreakerState.CLOSED, "")

    def _failed(self, call: Call, code: str) -> None:
        if is_over() and call.granted < FAIR_SECONDS:
            self._abandoned(call)
            return
        self._tell(call, CallEnd.FAILED)
        if call.round != self._round:
            return
        self._failures += 1
        if call.is_probe or self._failures >= self._most_failures:
            self._round += 1
            self._failures = 0
            self._probe = None
            self._next_probe = self._now() + self._rest
            self._change(BreakerState.OPEN, code)

    def _abandoned(self, call: Call) -> None:
        """Nothing was learned: the next call may probe at once."""
        self._tell(call, CallEnd.ABANDONED)
        if self._probe is call:
            self._probe = None
            self._next_probe = self._now()

    def _tell(self, call: Call, end: CallEnd) -> None:
        self._watch.called(self.dependency, end, max(0.0, self._now() - call.begun))

    def _change(self, state: BreakerState, code: str) -> None:
        if state is not self.state:
            self.state = state
            self._watch.breaker_changed(self.dependency, state, code)


class GuardedEmbedder:
    """An embedder behind a breaker: while it does not answer, nobody waits for it."""

    def __init__(self, embedder: Embedder, breaker: CircuitBreaker) -> None:
        self._embedder = embedder
        self._breaker = breaker

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        async with self._breaker.guard():
            return await self._embedder.embed(texts)
