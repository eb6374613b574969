"""A language model as a reader of rules: what comes of a call, however the model behaves."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from datetime import date

import pytest

from rag_core.deadlines import within
from rag_core.errors import Misconfigured, PolicyBotError, Unavailable
from rag_core.generation.parsing import ModelReading, ModelSentence, Unreadable
from rag_core.generation.prompt import request_hash
from rag_core.generation.reader import Failure, LanguageModelReader, ModelOutcome
from rag_core.ports import ModelPiece, ModelRequest, TokenUsage
from rag_core.rules.reader import AskedText, Effect, RuleText
from tests.fakes.model import FAILS, WAITS, FakeModel, Script

DAY = date(2026, 3, 1)
RULES = [RuleText(("Toys",), "", "Ads for kites may run."), RuleText(("Toys",), "", "Darts are banned.")]
REPLY = json.dumps(
    {
        "deciding": [{"rule": 1, "effect": "allows"}, {"rule": 3, "effect": "prohibits"}],
        "conditions": [],
        "exceptions": [2],
        "not_stated": None,
        "sentences": [{"text": "Kites may run.", "rules": [1]}],
    }
)


async def read(model: FakeModel, *rules: RuleText, seconds: float = 5.0) -> ModelOutcome:
    return await LanguageModelReader(model, seconds).read(AskedText("kites?"), rules or RULES, ["uk"], DAY)


class CutModel(FakeModel):
    """Writes as much as it may."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        yield ModelPiece(REPLY[:40], TokenUsage(9, 700), cut=True)


def raising(error: PolicyBotError) -> Script:
    def fail(_: ModelRequest) -> str:
        raise error

    return fail


async def test_a_reading_comes_with_its_usage_and_the_hash_of_what_was_asked() -> None:
    model = FakeModel(REPLY)
    outcome = await read(model)
    (request,) = model.requests
    assert outcome.reading == ModelReading({1: Effect.ALLOWS}, (), (2,), None, (ModelSentence("Kites may run.", (1,)),))
    assert (outcome.failure, outcome.unreadable, outcome.shown) == (None, None, 2)
    assert outcome.usage == TokenUsage(len(request.user.split()), len(REPLY.split()), 0.5)
    assert outcome.prompt_hash == request_hash(request)
    assert "United Kingdom" in request.user


async def test_without_rules_nothing_decides_and_nobody_is_asked() -> None:
    model = FakeModel(REPLY)
    outcome = await LanguageModelReader(model, 5).read(AskedText("kites?"), [], [], DAY)
    assert outcome == ModelOutcome(ModelReading({}))
    assert model.requests == []


async def test_a_window_without_room_for_a_rule_is_told_and_the_model_not_asked() -> None:
    model = FakeModel(REPLY, window=300)
    assert await read(model) == ModelOutcome(None, Failure.NO_ROOM)
    assert model.requests == []


async def test_only_rules_that_were_shown_can_be_named() -> None:
    outcome = await read(FakeModel(REPLY), *RULES, RuleText((), "", "word " * 9_000))
    assert outcome.shown == 2
    assert outcome.reading is not None
    assert 3 not in outcome.reading.deciding


async def test_a_slow_model_is_stopped_in_time() -> None:
    model = FakeModel(f"{REPLY[:30]}{WAITS}")
    began = time.monotonic()
    outcome = await read(model, seconds=0.1)
    assert time.monotonic() - began < 20
    assert (outcome.reading, outcome.failure, outcome.shown) == (None, Failure.SLOW, 2)
    assert outcome.prompt_hash == request_hash(model.requests[0])
    assert model.stopped == 1


async def test_a_nearer_deadline_leaves_time_for_an_answer_without_the_model() -> None:
    model = FakeModel(WAITS)
    async with within(2.7):
        outcome = await read(model, seconds=30)
    assert (outcome.failure, model.stopped) == (Failure.SLOW, 1)
    async with within(2.2):
        outcome = await read(model, seconds=30)
    assert (outcome.failure, len(model.requests)) == (Failure.NO_TIME, 1)


async def test_whoever_is_cancelled_stops_the_model() -> None:
    model = FakeModel(WAITS)
    task = asyncio.create_task(read(model, seconds=30))
    await model.begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.stopped == 1


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (Unavailable("model_busy"), Failure.BUSY),
        (Unavailable("model_slow"), Failure.SLOW),
        (Unavailable("model_failed"), Failure.FAILED),
        (Unavailable("model_refused"), Failure.REFUSED),
        (Unavailable("model_declined"), Failure.DECLINED),
        (Unavailable("model_too_long"), Failure.TOO_LONG),
        (Unavailable("circuit_open"), Failure.CIRCUIT_OPEN),
        (Unavailable("something_new"), Failure.FAILED),
        (Misconfigured("language_model_unreadable"), Failure.FAILED),
    ],
)
async def test_a_failing_model_is_a_reason_and_no_error(error: PolicyBotError, failure: Failure) -> None:
    model = FakeModel(raising(error))
    outcome = await read(model)
    assert (outcome.reading, outcome.failure) == (None, failure)
    assert outcome.prompt_hash == request_hash(model.requests[0])


@pytest.mark.parametrize("end", [FAILS, WAITS])
async def test_what_a_model_wrote_before_it_broke_off_holds_from_its_first_sentence_on(end: str) -> None:
    second = REPLY[:-2] + ', {"text": "Darts are'
    assert (await read(FakeModel(f"{REPLY[:-30]}{end}"), seconds=0.3)).reading is None
    outcome = await read(FakeModel(f"{second}{end}"), seconds=0.3)
    assert outcome.reading == (await read(FakeModel(REPLY))).reading
    assert (outcome.failure, outcome.unreadable) == (None, None)


async def test_a_reading_is_told_of_with_each_sentence_before_the_model_ends() -> None:
    model = FakeModel(f'{REPLY[:-2]}, {{"text": "Darts may not.", "rules": [2]}}{WAITS}')
    heard: list[ModelReading] = []
    told = asyncio.Event()

    async def hear(reading: ModelReading) -> None:
        heard.append(reading)
        if len(heard) == 2:
            told.set()

    reader = LanguageModelReader(model, 30)
    task = asyncio.create_task(reader.read(AskedText("kites?"), RULES, ["uk"], DAY, hear))
    await told.wait()
    task.cancel()
    assert [[each.text for each in reading.sentences] for reading in heard] == [
        ["Kites may run."],
        ["Kites may run.", "Darts may not."],
    ]
    assert [(reading.deciding, reading.exceptions) for reading in heard] == [({1: Effect.ALLOWS}, (2,))] * 2


async def test_what_cannot_be_read_is_told_with_the_reason_and_still_counted() -> None:
    outcome = await read(FakeModel("Kites may run."))
    assert (outcome.reading, outcome.failure) == (None, Failure.UNREADABLE)
    assert outcome.unreadable is Unreadable.NO_JSON
    assert outcome.usage.completion == 3
    cut = await read(CutModel(""))
    assert (cut.failure, cut.unreadable, cut.usage.completion) == (Failure.CUT, Unreadable.NO_JSON, 700)


def test_it_is_named_for_its_model() -> None:
    assert LanguageModelReader(FakeModel("", name="big"), 1).name == "big"
