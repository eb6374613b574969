"""The client of OpenAI-compatible addresses, against a stand-in on loopback that refuses, fails and dawdles."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import structlog
from aiohttp import web

from ops.config import Config
from ops.monitoring.logs import set_up_logs
from ops.wording.general import explain
from rag_core.errors import Misconfigured, Unavailable
from rag_core.ports import ModelRequest

pytest.importorskip("openai", reason="openai is not installed: ops/test models installs it")

from adapters.models.openai_endpoint import EndpointSettings, OpenAiModel
from adapters.models.prices import Prices

pytestmark = pytest.mark.models

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
REQUEST = ModelRequest("Be brief.", "Hello", 9, SCHEMA)
Refusal = tuple[int, str] | None


@dataclass
class StandIn:
    """`refuses` looks at a request's body and says why it is refused; keeps all bodies."""

    refuses: Callable[[dict[str, Any]], Refusal] = lambda _: None
    with_usage: bool = True
    waits: bool = False
    keys: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.bodies.append(body)
        self.keys.append(request.headers.get("Authorization", ""))
        if (refusal := self.refuses(body)) is not None:
            status, message = refusal
            return web.json_response({"error": {"message": message, "code": None}}, status=status)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for piece in ('{"a": ', '"b"}'):
            await self._send(response, {"choices": [_choice(piece)]})
        if self.waits:
            await asyncio.sleep(30)
        await self._send(response, {"choices": [_choice("", "length")]})
        if self.with_usage:
            await self._send(
                response, {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14}}
            )
        await response.write(b"data: [DONE]\n\n")
        return response

    async def _send(self, response: web.StreamResponse, chunk: dict[str, Any]) -> None:
        whole = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"} | chunk
        await response.write(f"data: {json.dumps(whole)}\n\n".encode())


def _choice(text: str, finished: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": {"content": text}, "finish_reason": finished}


@asynccontextmanager
async def model_of(stand_in: StandIn, **settings: Any) -> AsyncIterator[OpenAiModel]:
    app = web.Application()
    app.router.add_post("/v1/chat/completions", stand_in.complete)
    running = web.AppRunner(app, shutdown_timeout=0.1)
    await running.setup()
    await web.TCPSite(running, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{running.addresses[0][1]}/v1"
    model = OpenAiModel(replace(EndpointSettings(url, "small", "s3cret", seconds=10.0), **settings))
    try:
        yield model
    finally:
        await model.aclose()
        await running.cleanup()


async def test_what_is_sent_and_what_comes_back() -> None:
    stand_in = StandIn()
    async with model_of(stand_in, prices=Prices(1.0, 2.0)) as model:
        pieces = [piece async for piece in model.stream(REQUEST)]
    assert [piece.text for piece in pieces] == ['{"a": ', '"b"}', ""]
    usage = pieces[-1].usage
    assert usage is not None
    assert (usage.prompt, usage.completion, usage.cost, pieces[-1].cut) == (10, 4, 0.018, True)
    (body,) = stand_in.bodies
    assert (body["model"], body["temperature"], body["max_tokens"], body["stream"]) == ("small", 0.0, 9, True)
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert stand_in.keys == ["Bearer s3cret"]


@pytest.mark.parametrize(
    ("known", "form"),
    [
        (("json_object",), {"type": "json_object", "schema": SCHEMA}),
        (("text",), None),
    ],
)
async def test_a_server_that_knows_no_schema_gets_the_next_best(known: tuple[str, ...], form: object) -> None:
    def refuses(body: dict[str, Any]) -> Refusal:
        kind = body.get("response_format", {}).get("type", "text")
        return None if kind in known else (400, "response_format is not supported")

    stand_in = StandIn(refuses)
    async with model_of(stand_in) as model:
        assert (await model.generate(REQUEST)).text == '{"a": "b"}'
        tries = len(stand_in.bodies)
        await model.generate(REQUEST)
    assert len(stand_in.bodies) == tries + 1, "what was refused is not tried again"
    assert stand_in.bodies[-1].get("response_format") == form
    assert ("additionalProperties" in stand_in.bodies[-1]["messages"][0]["content"]) is (form is None)


async def test_options_that_a_server_refuses_are_left_out() -> None:
    def refuses(body: dict[str, Any]) -> Refusal:
        if "max_tokens" in body:
            return 400, "Use 'max_completion_tokens' instead of max_tokens."
        if "temperature" in body:
            return 400, "temperature does not support 0"
        return (400, "unknown field stream_options") if "stream_options" in body else None

    stand_in = StandIn(refuses, with_usage=False)
    async with model_of(stand_in) as model:
        found = await model.generate(REQUEST)
    assert (found.text, stand_in.bodies[-1]["max_completion_tokens"]) == ('{"a": "b"}', 9)
    assert found.usage is not None
    assert found.usage.completion == 4, "counted here"


@pytest.mark.parametrize(
    ("status", "code"), [(401, "model_refused"), (404, "model_refused"), (429, "model_busy"), (503, "model_failed")]
)
async def test_errors_are_ours_and_do_not_repeat_the_servers_words(status: int, code: str) -> None:
    stand_in = StandIn(lambda _: (status, "your key s3cret is wrong"))
    async with model_of(stand_in) as model:
        with pytest.raises(Unavailable, match=code) as raised:
            await model.generate(REQUEST)
    assert "s3cret" not in str(raised.value)
    assert len(stand_in.bodies) == (3 if status in (429, 503) else 1), "what may pass is tried again"


async def test_a_server_that_dawdles_or_is_not_there() -> None:
    async with model_of(StandIn(waits=True), seconds=0.5) as model:
        stream = model.stream(REQUEST)
        pieces = [(await anext(stream)).text for _ in range(2)]
        with pytest.raises(Unavailable, match="model_slow"):
            await anext(stream)
        assert pieces == ['{"a": ', '"b"}'], "what came until then"
    nobody = OpenAiModel(EndpointSettings("http://127.0.0.1:9/v1", "small"))
    with pytest.raises(Unavailable, match="model_failed"):
        await nobody.generate(REQUEST)
    await nobody.aclose()


async def test_tokens_are_counted_with_the_tokenizer_or_rather_too_many(tmp_path: Path) -> None:
    text = "Ads for kites may run if the audience is aged 18 or over."
    async with model_of(StandIn()) as model:
        assert 14 <= model.count_tokens(text) <= len(text) // 2
    with pytest.raises(Misconfigured, match="language_model_unreadable"):
        OpenAiModel(EndpointSettings("http://x/v1", "m", tokenizer=tmp_path / "none.json"))


@pytest.mark.parametrize(
    "url",
    [
        "https://models.example.com/v1",
        "http://127.0.0.1:8000/v1",
        "http://localhost/v1",
        "http://[::1]:8000/v1",
        "http://10.1.2.3/v1",
        "http://172.31.0.9/v1",
        "http://192.168.0.9/v1",
        "http://[fd00::5]/v1",
        "http://[::ffff:10.0.0.1]/v1",
    ],
)
async def test_a_key_may_go_where_it_stays_private(url: str) -> None:
    await OpenAiModel(EndpointSettings(url, "small", "s3cret")).aclose()


@pytest.mark.parametrize(
    "host",
    ["models.example.com", "vllm", "8.8.8.8", "172.32.0.1", "169.254.169.254", "[2001:4860::1]", "[::ffff:8.8.8.8]"],
)
async def test_a_key_does_not_go_unencrypted_elsewhere_unless_that_is_allowed(host: str) -> None:
    settings = EndpointSettings(f"http://{host}:8000/v1", "small", "s3cret")
    with pytest.raises(Misconfigured, match="model_key_unencrypted") as raised:
        OpenAiModel(settings)
    assert raised.value.details == {"address": host.strip("[]")}
    await OpenAiModel(replace(settings, key_over_http=True)).aclose()
    await OpenAiModel(replace(settings, key="")).aclose()


def test_settings_do_not_show_the_key() -> None:
    assert "s3cret" not in repr(EndpointSettings("https://models.example.com/v1", "small", "s3cret"))


async def test_a_redirection_is_not_followed() -> None:
    reached: list[str] = []

    async def elsewhere(request: web.Request) -> web.StreamResponse:
        reached.append(request.path)
        return web.json_response({})

    async def redirect(request: web.Request) -> web.StreamResponse:
        raise web.HTTPTemporaryRedirect(f"http://{request.host}/elsewhere")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", redirect)
    app.router.add_post("/elsewhere", elsewhere)
    running = web.AppRunner(app, shutdown_timeout=0.1)
    await running.setup()
    await web.TCPSite(running, "127.0.0.1", 0).start()
    model = OpenAiModel(EndpointSettings(f"http://127.0.0.1:{running.addresses[0][1]}/v1", "small", "s3cret"))
    with pytest.raises(Unavailable, match="model_refused"):
        await model.generate(REQUEST)
    await model.aclose()
    await running.cleanup()
    assert reached == []


async def test_what_is_not_encrypted_is_not_shown_to_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    async with model_of(StandIn()) as model:
        assert (await model.generate(REQUEST)).text == '{"a": "b"}'


async def test_a_request_that_does_not_suit_is_told_from_an_address_that_refuses() -> None:
    stand_in = StandIn(lambda _: (413, "too long"))
    async with model_of(stand_in) as model:
        with pytest.raises(Unavailable, match="model_declined"):
            await model.generate(replace(REQUEST, schema=None))


async def test_neither_the_log_nor_the_error_has_the_key(capfd: pytest.CaptureFixture[str]) -> None:
    set_up_logs(Config(log_level="DEBUG"))
    stand_in = StandIn(lambda body: (401, f"your key s3cret is wrong: {body}"))
    async with model_of(stand_in) as model:
        with pytest.raises(Unavailable) as raised:
            await model.generate(REQUEST)
    structlog.get_logger("adpolicy").error("unexpected_error", exc_info=raised.value)
    written = capfd.readouterr().err
    assert "model_refused" in written
    assert "s3cret" not in written + str(raised.value) + explain(raised.value)
    assert "Hello" not in written
