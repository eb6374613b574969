"""Questions answered with a real model, in the process and behind llama.cpp's own server, on the sample policies.

The model is tiny: what it says is seldom of use. The call is made, it is on record, and the answer survives it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adapters.sql.people.model_usage import SqlModelUsage
from bot.model.messages import Actor
from bot.model_usage import UsageKey
from bot.questions.answerer import Asked
from ops.config import Config
from ops.parts import utc_now
from ops.wiring import open_answering, open_engine
from rag_core.answers import Answer
from tests.fakes.llama_server import serving_model
from tests.fakes.samples import sample_copy

pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: ops/test models installs it")
pytest.importorskip("openai", reason="openai is not installed: ops/test models installs it")

from adapters.models.llama_cpp import model_file

pytestmark = [pytest.mark.models, pytest.mark.timeout(900)]

QUESTION = "can I advertise alcohol in the UK?"
WINDOW = 4_096
PATIENT: dict[str, Any] = {"ask_seconds": 600.0, "model_seconds": 550.0, "model_window": WINDOW}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("with-model")
    return sample_copy(folder / "data")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_model(model_file(None), WINDOW, tmp_path_factory.mktemp("server") / "log") as url:
        yield url


def llama(folder: Path, _: str) -> Config:
    return Config(data_dir=folder, model="llama", **PATIENT)


def endpoint(folder: Path, url: str) -> Config:
    return Config(data_dir=folder, model="openai", model_url=url, model_name="smollm2", **PATIENT)


@pytest.mark.parametrize("configured", [llama, endpoint])
async def test_a_real_model_is_called_once_and_the_answer_survives(configured: Any, folder: Path, server: str) -> None:
    config, began = configured(folder, server), utc_now()
    async with open_answering(config) as answering:
        answered = await answering.asking.ask(Asked(QUESTION, Actor("test", "local", "somebody"), "terminal"))
    notes = answered.trace.notes["model"]
    assert notes["rules"] > 0
    assert notes["usage"]["completion"] > 0, notes
    assert notes["failure"] in (None, "cut", "unreadable"), notes
    if isinstance(answered.reply, Answer):
        assert all(each.quotes and each.citations for each in answered.reply.statements)
    async with open_engine(config) as engine:
        totals = await SqlModelUsage(engine).totals(began, UsageKey.ROLE)
    assert [(each.key, each.calls) for each in totals] == [("answer", 1)]
