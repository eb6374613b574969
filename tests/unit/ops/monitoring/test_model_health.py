"""Whether models answer: learned from calls, asked where nobody calls, and never a reason not to be ready."""

import asyncio
from datetime import UTC, datetime

import pytest

from adapters.web.parts import Check
from bot.model_usage import ModelCall
from ops.monitoring.breakers import CircuitBreaker
from ops.monitoring.model_calls import CallTools, WatchedModel
from ops.monitoring.model_health import NOT_SEEN, ModelHealth, probe
from ops.monitoring.readiness import Dependency, ReadinessChecks
from rag_core.errors import Unavailable
from tests.fakes.model import FAILS, WAITS, FakeModel
from tests.fakes.model_usage import FakeModelListener
from tests.fakes.watches import FakeBreakerWatch

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
READY = '{"ready": true}'


class Ward:
    """A model with its health; each rest of the probing waits for `round`."""

    def __init__(self, *scripts: str) -> None:
        self.listener = FakeModelListener()
        self.health = ModelHealth(self.listener)
        self.fake = FakeModel(*scripts)
        self.breaker = CircuitBreaker("model", FakeBreakerWatch())
        tools = CallTools(self.health, lambda: NOON, lambda: "id")
        self.model = WatchedModel(self.fake, self.breaker, tools, role="answer", seconds=5.0)
        self.rounds = asyncio.Semaphore(0)

    async def sleep(self, _: float) -> None:
        await self.rounds.acquire()

    async def round(self) -> None:
        self.rounds.release()
        await asyncio.sleep(0.02)

    async def ready(self) -> tuple[bool, Check]:
        checks = ReadinessChecks([Dependency("model", self.health.reason, self.breaker)], fresh_seconds=0.0)
        seen = await checks.ready()
        return seen.can_answer, seen.checks["model"]


def ended(outcome: str) -> ModelCall:
    return ModelCall("c", NOON, "m", "answer", outcome, 1, 1, counted=True, seconds=0.1)


async def test_a_probe_is_small_constrained_and_counted_as_one() -> None:
    ward = Ward(READY)
    assert (await probe(ward.model, 5.0)).text == READY
    (request,) = ward.fake.requests
    assert request.schema is not None
    assert request.max_tokens <= 256
    assert [(call.role, call.outcome) for call in ward.listener.calls] == [("probe", "answered")]


@pytest.mark.parametrize("said", ["Yes, I am ready.", "[true]", '{"ready": "yes"}', "{}", ""])
async def test_a_model_that_keeps_to_no_form_is_of_no_use(said: str) -> None:
    with pytest.raises(Unavailable, match="model_formless"):
        await probe(Ward(said).model, 5.0)


async def test_a_model_that_hangs_is_slow() -> None:
    with pytest.raises(Unavailable, match="model_slow"):
        await probe(Ward(WAITS).model, 0.05)


async def test_the_last_call_says_how_it_is_and_a_single_request_that_did_not_suit_says_nothing() -> None:
    health = ModelHealth(FakeModelListener())
    assert await health.reason() == NOT_SEEN
    for outcome, state in [
        ("stopped", NOT_SEEN),
        ("answered", ""),
        ("model_slow", "model_slow"),
        ("model_too_long", "model_slow"),
        ("model_declined", "model_slow"),
        ("cut", ""),
        ("stopped", ""),
    ]:
        health.called(ended(outcome))
        assert await health.reason() == state, outcome


async def test_without_its_model_the_bot_is_ready_and_says_what_is_missing() -> None:
    ward = Ward(FAILS)
    probing = asyncio.create_task(ward.health.keep_probing(ward.model, 5.0, ward.sleep))
    await asyncio.sleep(0.02)
    assert await ward.ready() == (True, Check("degraded", "model_failed"))
    await ward.round()
    await ward.round()
    assert await ward.ready() == (True, Check("degraded", "model_failed"))
    asked = len(ward.fake.requests)
    await ward.round()
    assert len(ward.fake.requests) == asked, "the circuit is open: nobody asks"
    assert ward.health.state == "model_failed", "and why it opened stays known"
    probing.cancel()


async def test_probing_ends_when_the_model_answers_and_begins_again_when_it_fails() -> None:
    ward = Ward(FAILS, READY)
    probing = asyncio.create_task(ward.health.keep_probing(ward.model, 5.0, ward.sleep))
    await asyncio.sleep(0.02)
    assert ward.health.state == "model_failed"
    await ward.round()
    assert await ward.ready() == (True, Check("ok"))
    await ward.round()
    assert len(ward.fake.requests) == 2, "who answers is not asked again"
    ward.health.called(ended("model_refused"))
    await ward.round()
    assert (len(ward.fake.requests), ward.health.state) == (3, "")
    probing.cancel()
