"""llama.cpp in the process, with the packaged SmolLM2."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from rag_core.errors import Misconfigured, Unavailable
from rag_core.ports import ModelRequest

pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: ops/test models installs it")

from adapters.models.llama_cpp import LlamaModel, LlamaSettings, model_file
from adapters.models.prices import Prices

pytestmark = [pytest.mark.models, pytest.mark.timeout(300)]

SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["red", "green"]}, "sure": {"type": "boolean"}},
    "required": ["colour", "sure"],
    "additionalProperties": False,
}
SHORT = ModelRequest("You are brief.", "Say hello.", 6)
LONG = ModelRequest("You are brief.", " kites" * 450, 4)
PATIENT = LlamaSettings(window=1_024, seconds=120, prices=Prices(1.0, 2.0))


@pytest.fixture
async def model() -> AsyncIterator[LlamaModel]:
    model = LlamaModel(PATIENT)
    await model.load()
    yield model
    await model.aclose()


async def test_it_knows_itself(model: LlamaModel) -> None:
    assert (model.name, model.window) == ("SmolLM2-135M-Instruct.Q4_1", 1_024)
    assert model.count_tokens("Ads for kites may run.") == 8
    assert model.count_tokens("") == 0
    assert model.count_tokens("<|im_start|>") > 1, "untrusted text has no control words"


async def test_output_follows_the_schema_and_is_the_same_each_time(model: LlamaModel) -> None:
    request = ModelRequest("Answer in JSON.", "Which colour has grass?", 40, SCHEMA)
    first, second = [await model.generate(request) for _ in range(2)]
    assert set(json.loads(first.text)) == {"colour", "sure"}
    assert first.text == second.text
    assert first.usage is not None
    assert first.usage.prompt > 10
    assert first.usage.cost == pytest.approx((first.usage.prompt + 2 * first.usage.completion) / 1000)


async def test_pieces_make_the_whole_and_a_cut_is_said(model: LlamaModel) -> None:
    pieces = [piece async for piece in model.stream(SHORT)]
    assert "".join(piece.text for piece in pieces) == (await model.generate(SHORT)).text
    assert len(pieces) > 2
    assert [piece.usage is None for piece in pieces] == [True] * (len(pieces) - 1) + [False]
    assert pieces[-1].cut


async def test_who_runs_out_of_patience_is_told_at_once_and_the_model_is_free_again() -> None:
    model = LlamaModel(LlamaSettings(window=1_024, seconds=0.2))
    await model.load()
    began = time.monotonic()
    with pytest.raises(Unavailable, match="model_slow"):
        await model.generate(LONG)
    assert time.monotonic() - began < 2
    model._settings = PATIENT
    assert (await model.generate(SHORT)).text
    await model.aclose()


async def test_a_reader_who_goes_away_stops_the_model(model: LlamaModel) -> None:
    endless = ModelRequest("You tell long stories.", "Tell me a very long story.", 900)
    async with aclosing(model.stream(endless)) as pieces:
        await anext(pieces)
    assert await tokens_once_free(model) < 600, "neither read nor written to the end"
    task = asyncio.create_task(model.generate(endless))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await tokens_once_free(model) < 600
    assert (await model.generate(SHORT)).text


async def tokens_once_free(model: LlamaModel) -> int:
    """How many tokens the last generation had come to, prompt included, when the next may begin."""
    return await asyncio.wrap_future(model._pool.submit(lambda: int(model._ready().model.n_tokens)))


async def test_one_at_a_time_and_few_in_the_queue(model: LlamaModel) -> None:
    tasks = [asyncio.create_task(model.generate(SHORT)) for _ in range(12)]
    done = await asyncio.gather(*tasks, return_exceptions=True)
    busy = [each for each in done if isinstance(each, Unavailable)]
    assert {each.code for each in busy} == {"model_busy"}
    assert len(busy) == 3
    assert len({each.text for each in done if not isinstance(each, BaseException)}) == 1


async def test_what_is_too_long_is_refused(model: LlamaModel) -> None:
    with pytest.raises(Unavailable, match="model_too_long"):
        await model.generate(ModelRequest("", " kites" * 1_100, 5))


async def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="language_model_missing"):
        LlamaModel(LlamaSettings(path=tmp_path / "none.gguf"))
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(500))
    model = LlamaModel(LlamaSettings(path=broken))
    with pytest.raises(Misconfigured, match="language_model_unreadable"):
        await model.load()
    await model.aclose()
    assert model_file(None).suffix == ".gguf"
