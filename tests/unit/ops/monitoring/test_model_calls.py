"""Calls of models: told however they end, and held against the model only where it is its fault."""

import asyncio
import itertools
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime

import pytest

from bot.model_usage import ModelCall
from ops.monitoring.breakers import FAILURES, MODEL_REST_SECONDS, CallEnd, CircuitBreaker
from ops.monitoring.model_calls import CallTools, WatchedModel
from rag_core.deadlines import within
from rag_core.errors import Misconfigured, PolicyBotError, Unavailable
from rag_core.ports import ModelPiece, ModelRequest, TokenUsage
from tests.fakes.clock import Clock
from tests.fakes.model import FAILS, WAITS, FakeModel
from tests.fakes.model_usage import FakeModelListener
from tests.fakes.watches import FakeBreakerWatch

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
REQUEST = ModelRequest("be brief", "what of kites please", 50)
SECONDS = 10.0


class RaisingModel(FakeModel):
    """Raises before the first piece, or after one."""

    def __init__(self, error: Exception, *, after_one: bool = False) -> None:
        super().__init__("said")
        self._error = error
        self._after_one = after_one

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        if self._after_one:
            yield ModelPiece("a piece")
        raise self._error


class Bench:
    """A model behind a breaker, with a clock that stands still unless a test moves it."""

    def __init__(self, model: FakeModel) -> None:
        self.clock, self.listener, self.watch = Clock(), FakeModelListener(), FakeBreakerWatch()
        self.breaker = CircuitBreaker("model", self.watch, rest_seconds=MODEL_REST_SECONDS, now=self.clock)
        numbers = itertools.count(1)
        tools = CallTools(self.listener, lambda: NOON, lambda: f"id{next(numbers)}", self.clock)
        self.model = WatchedModel(model, self.breaker, tools, role="answer", seconds=SECONDS, estimate=_estimate)

    async def ask(self) -> str:
        """ "answered", or the code of the error."""
        try:
            await self.model.generate(REQUEST)
        except PolicyBotError as exc:
            return exc.code
        return "answered"

    @property
    def last(self) -> ModelCall:
        return self.listener.calls[-1]

    @property
    def ends(self) -> list[CallEnd]:
        return self.watch.ends


def _estimate(read: int, written: int) -> TokenUsage:
    return TokenUsage(read, written, 0.125, estimated=True)


async def test_a_call_is_told_with_its_tokens_time_and_cost() -> None:
    bench = Bench(FakeModel("one two three"))
    said = await bench.model.generate(REQUEST)
    assert (said.text, said.usage) == ("one two three", TokenUsage(4, 3, 0.5))
    assert bench.listener.calls == [
        ModelCall("id1", NOON, "fake-model", "answer", "answered", 4, 3, counted=True, seconds=0.0, cost=0.5)
    ]
    assert bench.ends == [CallEnd.ANSWERED]
    assert (bench.model.name, bench.model.window, bench.model.count_tokens("a b")) == ("fake-model", 8_192, 2)


async def test_the_same_model_can_be_counted_for_something_else() -> None:
    bench = Bench(FakeModel("one"))
    await bench.model.for_role("probe").generate(REQUEST)
    assert bench.last.role == "probe"
    bench = Bench(FakeModel(FAILS))
    for _ in range(FAILURES):
        with pytest.raises(Unavailable, match="model_failed"):
            await bench.model.for_role("probe").generate(REQUEST)
    assert await bench.ask() == "circuit_open", "one breaker for all of its uses"


async def test_who_has_enough_stops_the_model_and_what_it_wrote_is_estimated() -> None:
    model = FakeModel("one two three four five six", pieces=8)
    bench = Bench(model)
    async with aclosing(bench.model.stream(REQUEST)) as pieces:
        assert (await anext(pieces)).text == "one two "
        bench.clock.seconds += 1.5
    assert model.stopped == 1
    assert (bench.last.outcome, bench.last.counted, bench.last.seconds) == ("stopped", False, 1.5)
    assert (bench.last.prompt_tokens, bench.last.completion_tokens, bench.last.cost) == (6, 2, 0.125)
    assert bench.ends == [CallEnd.ANSWERED], "it does answer"


async def test_after_failures_in_a_row_nobody_waits_and_nothing_is_counted() -> None:
    bench = Bench(FakeModel(FAILS))
    assert [await bench.ask() for _ in range(FAILURES + 1)] == ["model_failed"] * FAILURES + ["circuit_open"]
    assert len(bench.listener.calls) == FAILURES
    assert (bench.last.outcome, bench.last.prompt_tokens, bench.last.cost) == ("model_failed", 0, None)
    bench.clock.seconds += MODEL_REST_SECONDS
    assert await bench.ask() == "model_failed", "after a rest one may try"


async def test_a_model_that_comes_back_closes_the_circuit() -> None:
    bench = Bench(FakeModel(*[FAILS] * FAILURES, "one"))
    for _ in range(FAILURES):
        await bench.ask()
    bench.clock.seconds += MODEL_REST_SECONDS
    assert [await bench.ask() for _ in range(2)] == ["answered", "answered"]
    assert bench.breaker.state.value == "closed"


@pytest.mark.parametrize(
    ("error", "after_one", "end"),
    [
        (Unavailable("model_failed"), False, CallEnd.FAILED),
        (Unavailable("model_failed"), True, CallEnd.FAILED),
        (Unavailable("model_refused"), False, CallEnd.FAILED),
        (Unavailable("model_busy"), False, CallEnd.FAILED),
        (Unavailable("model_slow"), False, CallEnd.FAILED),
        (Unavailable("model_slow"), True, CallEnd.ANSWERED),
        (Unavailable("model_too_long"), False, CallEnd.ANSWERED),
        (Unavailable("model_declined"), False, CallEnd.ANSWERED),
        (Misconfigured("language_model_missing"), False, CallEnd.ANSWERED),
    ],
)
async def test_only_what_is_its_fault_is_held_against_it(error: PolicyBotError, after_one: bool, end: CallEnd) -> None:
    bench = Bench(RaisingModel(error, after_one=after_one))
    assert await bench.ask() == error.code
    assert (bench.last.outcome, bench.ends) == (error.code, [end])


async def test_a_mistake_of_ours_says_nothing_about_the_model() -> None:
    bench = Bench(RaisingModel(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        await bench.model.generate(REQUEST)
    assert (bench.last.outcome, bench.ends) == ("unexpected_error", [CallEnd.ABANDONED])


async def test_too_little_time_is_no_fault_of_the_model() -> None:
    bench = Bench(RaisingModel(Unavailable("model_slow")))
    async with within(SECONDS / 3):
        assert await bench.ask() == "model_slow"
    assert bench.ends == [CallEnd.ABANDONED]


@pytest.mark.parametrize(
    ("waited", "outcome", "end"),
    [(1.0, "stopped", CallEnd.ABANDONED), (SECONDS / 2, "model_slow", CallEnd.FAILED)],
)
async def test_who_goes_away_early_says_nothing_and_later_that_it_hangs(
    waited: float, outcome: str, end: CallEnd
) -> None:
    bench = Bench(FakeModel(WAITS))
    asking = asyncio.create_task(bench.model.generate(REQUEST))
    await asyncio.sleep(0.01)
    bench.clock.seconds += waited
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert (bench.last.outcome, bench.ends) == (outcome, [end])
