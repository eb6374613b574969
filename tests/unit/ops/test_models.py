"""The model that the settings name: made, loaded, closed; what is missing is named; what it is called for."""

from pathlib import Path
from typing import Any

import pytest

from bot.model_usage import ModelCall
from ops.config import Config, load_config
from ops.models import follow_up_writer, model_breakers, model_reader, open_watched_model
from ops.monitoring.model_calls import CallTools, WatchedModel
from ops.parts import new_id, utc_now
from ops.wording.general import explain, explains
from rag_core.errors import Misconfigured
from rag_core.ports import ModelRequest
from rag_core.questions import AskRequest, Turn
from tests.fakes.chat_server import ChatServer
from tests.fakes.kites import TODAY, TOYS
from tests.fakes.model_usage import FakeModelListener
from tests.fakes.policies import open_desk
from tests.fakes.watches import FakeBreakerWatch

pytest.importorskip("openai", reason="openai is not installed: ops/test models installs it")

pytestmark = pytest.mark.models

REQUEST = ModelRequest("Be brief.", "Hello", 9)


async def calls_of(config: Config) -> list[ModelCall]:
    """What is told of one call."""
    listener = FakeModelListener()
    tools = CallTools(listener, utc_now, new_id)
    async with open_watched_model(config, model_breakers(FakeBreakerWatch()), tools) as model:
        assert model is not None
        await model.generate(REQUEST)
    return listener.calls


async def opened(config: Config) -> WatchedModel | None:
    async with open_watched_model(
        config, model_breakers(FakeBreakerWatch()), CallTools(FakeModelListener(), utc_now, new_id)
    ) as model:
        return model


def pointing_to(server: ChatServer, **more: Any) -> Config:
    return Config(model="openai", model_url=server.url, model_name="small", **more)


async def test_without_a_setting_there_is_no_model() -> None:
    assert await opened(Config()) is None
    assert model_reader(Config(), None) is None
    assert follow_up_writer(None) is None


async def test_a_call_goes_to_the_address_with_the_key_and_its_price_is_told() -> None:
    async with ChatServer("fine") as server:
        (call,) = await calls_of(pointing_to(server, model_key="s3cret", model_price_read=1.0, model_price_written=2.0))
    assert server.keys == ["Bearer s3cret"]
    assert (call.model, call.role, call.outcome, call.counted) == ("small", "answer", "answered", True)
    assert call.cost == pytest.approx((call.prompt_tokens + 2 * call.completion_tokens) / 1000)


async def test_an_answer_is_one_call_and_a_follow_up_one_more_before_it() -> None:
    listener = FakeModelListener()
    earlier = (Turn("user", "can I advertise kites in Belgium?"),)
    async with ChatServer("Kites may run.") as server:
        tools, config = CallTools(listener, utc_now, new_id), pointing_to(server)
        async with open_watched_model(config, model_breakers(FakeBreakerWatch()), tools) as model:
            reader, writer = model_reader(config, model), follow_up_writer(model)
            asker = open_desk(TOYS, language_model=reader, follow_ups=writer).asker
            await asker.ask(AskRequest("and in the UK?", TODAY, history=earlier))
            await asker.ask(AskRequest("compare kite ads in the UK and Belgium", TODAY))
    assert [(call.role, call.model) for call in listener.calls] == [
        ("rewrite", "small"),
        ("answer", "small"),
        ("answer", "small"),
    ]


@pytest.mark.parametrize(
    ("settings", "code", "named"),
    [
        ({"model": "openai", "model_name": "m"}, "model_setting_missing", "ADPOLICY_MODEL_URL"),
        ({"model": "openai", "model_url": "http://127.0.0.1/v1"}, "model_setting_missing", "ADPOLICY_MODEL_NAME"),
        (
            {"model": "openai", "model_url": "http://models.example.com/v1", "model_name": "m", "model_key": "s3cret"},
            "model_key_unencrypted",
            "ADPOLICY_MODEL_KEY_OVER_HTTP",
        ),
    ],
)
async def test_what_is_missing_or_unsafe_is_named(settings: dict[str, Any], code: str, named: str) -> None:
    with pytest.raises(Misconfigured) as raised:
        await opened(Config(**settings))
    assert raised.value.code == code
    assert named in explain(raised.value)
    assert "s3cret" not in explain(raised.value)


async def test_a_key_may_go_unencrypted_where_that_is_set() -> None:
    config = Config(
        model="openai",
        model_url="http://models.example.com/v1",
        model_name="m",
        model_key="s3cret",
        model_key_over_http=True,
    )
    assert await opened(config) is not None


async def test_a_file_that_is_not_there_stops_the_start(tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: ops/test models installs it")
    with pytest.raises(Misconfigured, match="language_model_missing"):
        await opened(Config(model="llama", model_path=tmp_path / "none.gguf"))


def test_an_address_with_a_login_in_it_is_refused_without_showing_it() -> None:
    with pytest.raises(Misconfigured) as raised:
        load_config({"ADPOLICY_MODEL_URL": "https://me:s3cret@models.example.com/v1"}, env_file=Path("none"))
    said = explain(raised.value)
    assert "ADPOLICY_MODEL_KEY" in said
    assert "s3cret" not in said


@pytest.mark.parametrize(
    "code",
    ["model_failed", "model_slow", "model_busy", "model_refused", "model_declined", "model_too_long", "model_formless"],
)
def test_every_failure_of_a_model_says_what_to_do(code: str) -> None:
    assert explains(code)
