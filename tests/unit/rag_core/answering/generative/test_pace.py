"""A slow processor gets fewer documents to read, and still answers in time."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from rag_core.answering.generative.pace import LEAST_TOKENS, READING_SHARE, ReadingPace
from rag_core.answering.generative.writer import TOO_SLOW, Writer, WriterSettings
from rag_core.answers import Answer
from rag_core.ask import Asker
from rag_core.ports import ModelPiece, ModelRequest
from rag_core.questions import AskRequest
from tests.fakes.kites import TODAY, document, kites, said
from tests.fakes.model import FakeModel, answering, statement
from tests.fakes.policies import open_desk

SENTENCE = "Ads for kites need a label that says how long the string is and who made it, in letters that can be read."
LONG = document(
    "acme_kites", *(kites(f"{SENTENCE} Rule {number}. " * 6, heading=f"Part {number}") for number in range(14))
)
SECONDS = 15.0


class Seconds:
    """A clock that only moves when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class ReadingModel(FakeModel):
    """Reads `rate` tokens (words) a second of the clock before its first word; never answers if that takes `patience`
    seconds or more."""

    def __init__(self, clock: Seconds, rate: float, patience: float = SECONDS) -> None:
        super().__init__(answering(statement(SENTENCE, ("doc1", "need a label that says"))))
        self.clock, self.rate, self.patience = clock, rate, patience

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        seconds = (self.count_tokens(request.system) + self.count_tokens(request.user)) / self.rate
        self.clock.now += min(seconds, self.patience)
        if seconds >= self.patience:
            raise TimeoutError
        async for piece in super().stream(request):
            yield piece


async def asked(writer: Writer) -> tuple[Answer, dict[str, Any]]:
    desk = open_desk(LONG)
    reply, trace = await Asker(desk.search, desk.store, writer=writer).ask(
        AskRequest("must kite ads have a label?", TODAY)
    )
    assert isinstance(reply, Answer)
    return reply, trace.notes["model"]


def paced(rate: float, clock: Seconds | None = None, **settings: Any) -> tuple[Writer, ReadingModel]:
    clock = clock or Seconds()
    model = ReadingModel(clock, rate)
    return Writer(model, WriterSettings(SECONDS, paced=True, **settings), clock=clock), model


@pytest.mark.parametrize(("rate", "bound_by"), [(110.0, "pace"), (200.0, "pace"), (5_000.0, "setting")])
async def test_documents_are_as_many_as_can_be_read_in_time(rate: float, bound_by: str) -> None:
    writer, model = paced(rate)
    reply, notes = await asked(writer)
    assert notes["context_budget"]["bound_by"] == bound_by
    assert 0 < notes["context_tokens"] <= notes["context_budget"]["tokens"]
    assert notes["tokens_read_per_second"] == pytest.approx(rate, rel=0.05)
    assert (notes["failure"], notes["fallback"]) == (None, None)
    assert said(reply)[0].startswith(SENTENCE)
    sent = model.count_tokens(model.requests[-1].system) + model.count_tokens(model.requests[-1].user)
    assert sent / rate <= SECONDS * READING_SHARE


async def test_it_is_measured_once_before_the_first_answer() -> None:
    writer, model = paced(200.0)
    await asked(writer)
    assert model.requests[0].max_tokens == 1
    await asked(writer)
    assert [request.max_tokens == 1 for request in model.requests] == [True, False, False]


async def test_a_model_behind_an_address_is_not_measured() -> None:
    clock = Seconds()
    model = ReadingModel(clock, 100.0, patience=1e9)
    _, notes = await asked(Writer(model, WriterSettings(SECONDS), clock=clock))
    assert notes["context_budget"] == {"tokens": 4_000, "bound_by": "setting"}
    assert len(model.requests) == 1


async def test_after_a_time_out_less_is_asked_of_the_model() -> None:
    writer, model = paced(400.0)
    _, before = await asked(writer)
    model.rate = 20.0
    reply, failed = await asked(writer)
    assert (failed["failure"], reply.degraded) == (TOO_SLOW, ("model",))
    assert reply.statements, "the extractive answer"
    model.rate = 110.0
    _, after = await asked(writer)
    assert after["context_tokens"] < before["context_tokens"]
    assert after["fallback"] is None


async def test_a_model_too_slow_for_anything_falls_back() -> None:
    writer, _ = paced(1.0)
    reply, notes = await asked(writer)
    assert notes["fallback"] == TOO_SLOW
    assert reply.statements


async def test_the_window_bounds_as_well() -> None:
    clock = Seconds()
    model = FakeModel(answering(), window=1_400)
    _, notes = await asked(Writer(model, WriterSettings(SECONDS), clock=clock))
    assert notes["context_budget"]["bound_by"] == "window"
    assert notes["context_tokens"] <= notes["context_budget"]["tokens"] < 700


def test_the_fastest_of_the_last_prompts_counts() -> None:
    pace = ReadingPace()
    assert pace.room(10, 0) is None
    pace.read(10, 0.001)
    assert pace.room(10, 0) is None, "too short to tell"
    pace.read(1_000, 10.0)
    pace.read(1_000, 40.0)
    assert pace.tokens_per_second == 100.0, "the other one may have waited"
    assert pace.room(20, 300) == 700
    assert pace.room(1, 300) == LEAST_TOKENS
    pace.gave_up(1_000, 0.01)
    assert pace.tokens_per_second == 100.0, "who goes away at once says nothing"
    pace.gave_up(1_000, 50.0)
    assert pace.tokens_per_second == 20.0
    for _ in range(8):
        pace.read(1_000, 2.0)
    assert pace.tokens_per_second == 500.0


def test_who_goes_away_while_it_reads_for_the_first_time_says_nothing() -> None:
    pace = ReadingPace()
    pace.gave_up(1_000, 0.2)
    assert pace.room(10, 0) is None
