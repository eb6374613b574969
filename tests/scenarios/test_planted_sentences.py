"""From question to what people read, with a model that says true and untrue things: the true ones are shown, each with
its quote; the others are left out, and it is seen that they were. And whatever else a server does.
"""

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from adapters.sql.people.model_usage import SqlModelUsage
from bot.model.messages import Actor
from bot.model_usage import UsageKey
from bot.questions.answerer import Answered, Asked
from bot.render.markdown import body_markdown
from ops.commands.models import check_models, usage
from ops.config import Config
from ops.parts import Answering, utc_now
from ops.wiring import open_answering, open_engine
from rag_core.answers import Answer, Verdict
from tests.fakes.chat_server import ChatServer
from tests.fakes.planted import check_planted, scripted
from tests.fakes.program import Server, running_server
from tests.fakes.samples import sample_copy

pytest.importorskip("openai", reason="openai is not installed: ops/test models installs it")

pytestmark = [pytest.mark.models, pytest.mark.timeout(600)]

QUESTION = "can I advertise alcohol in the UK?"
_KEY: dict[str, Any] = {"model_key": "s3cret"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planted")
    return sample_copy(folder / "data")


async def ask(answering: Answering, question: str = QUESTION) -> Answered:
    return await answering.asking.ask(Asked(question, Actor("test", "local", "somebody"), "terminal"))


async def quoted(folder: Path) -> Answer:
    """The answer without a model."""
    async with open_answering(Config(data_dir=folder)) as answering:
        reply = (await ask(answering)).reply
    assert isinstance(reply, Answer)
    return reply


def to(server: ChatServer, folder: Path, **more: Any) -> Config:
    return Config(data_dir=folder, model="openai", model_url=server.url, model_name="scripted", **more)


async def test_what_a_server_says_is_shown_where_it_holds_and_its_use_is_on_record(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = await quoted(folder)
    quotes = [quote.text for each in plain.statements for quote in each.quotes]
    quote = next(each for each in quotes if "restricted in the United Kingdom." in each and each.count(".") == 1)
    began = utc_now()
    async with ChatServer(scripted(quote)) as server:
        config = to(server, folder, model_price_read=1.0, model_price_written=2.0)
        async with open_answering(config) as answering:
            answered = await ask(answering)
            shown = body_markdown(answered.reply, answering.links)
    assert isinstance(answered.reply, Answer)
    check_planted(answered.reply, answered.trace, shown, quote)
    assert answered.reply.verdict in (plain.verdict, Verdict.RESTRICTED)
    async with open_engine(config) as engine:
        (total,) = await SqlModelUsage(engine).totals(began, UsageKey.MODEL)
    counted = answered.trace.notes["model"]["usage"]
    assert (total.key, total.calls, total.estimated) == ("scripted", 1, 0), "one call answers"
    assert (total.prompt_tokens, total.completion_tokens) == (counted["prompt"], counted["completion"])
    assert total.cost == pytest.approx((counted["prompt"] + 2 * counted["completion"]) / 1000)
    assert await usage(config, 1, UsageKey.MODEL, "text") == 0
    (line,) = [each for each in capsys.readouterr().out.splitlines() if each.startswith("scripted")]
    assert line.split()[1:4] == ["1", str(counted["prompt"]), str(counted["completion"])]
    assert line.endswith(f"{total.cost:.4f}")


@pytest.mark.parametrize(
    "says",
    ["I cannot help with that.", '{"deciding": [], "sentences": [{"te', "", '{"deciding": [], "not_stated": null}'],
)
async def test_whatever_a_server_says_the_answer_without_it_stands(folder: Path, says: str) -> None:
    plain = await quoted(folder)
    async with ChatServer(says) as server, open_answering(to(server, folder)) as answering:
        answered = await ask(answering)
    assert isinstance(answered.reply, Answer)
    assert [each.text for each in answered.reply.statements] == [each.text for each in plain.statements]
    assert answered.trace.notes["model"]["failure"] == "unreadable"
    assert answered.reply.degraded == ("model",)


async def test_a_server_that_fails_is_soon_left_alone_and_answers_go_on(folder: Path) -> None:
    plain = await quoted(folder)
    async with ChatServer("unheard") as server, open_answering(to(server, folder)) as answering:
        server.status = 401
        replies = [await ask(answering) for _ in range(5)]
    assert len(server.bodies) == 3, "three failures in a row open the circuit"
    assert [each.trace.notes["model"]["failure"] for each in replies] == ["refused"] * 3 + ["circuit_open"] * 2
    for each in replies:
        assert isinstance(each.reply, Answer)
        assert [one.text for one in each.reply.statements] == [one.text for one in plain.statements]
        assert each.reply.degraded == ("model",)


async def test_doctor_says_whether_the_model_answers_and_what_to_do(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with ChatServer('{"ready": true}') as server:
        assert await check_models(to(server, folder)) == 0
        assert "ok    model: scripted answers" in capsys.readouterr().out
        server.status = 404
        assert await check_models(to(server, folder)) == 1
        assert "ADPOLICY_MODEL_NAME" in capsys.readouterr().out
    async with ChatServer("Yes, I am.") as server:
        assert await check_models(to(server, folder)) == 1
        assert "JSON" in capsys.readouterr().out
    unsafe = Config(data_dir=folder, model="openai", model_url="http://a.example/v1", model_name="m", **_KEY)
    assert await check_models(unsafe) == 1
    assert "the bot does not start" in capsys.readouterr().out
    assert await check_models(Config(data_dir=folder)) == 0
    assert "none configured" in capsys.readouterr().out


async def test_a_server_process_is_ready_without_its_model_and_says_how_it_is(sample_copy: Path) -> None:
    async with ChatServer('{"ready": true}') as model:
        model.status = 403
        settings = {"MODEL": "openai", "MODEL_URL": model.url, "MODEL_NAME": "scripted", "MODEL_KEY": "s3cret"}
        with running_server(sample_copy, settings=settings) as server:
            async with aiohttp.ClientSession() as web:
                assert await _ready(web, server, "degraded") == (200, {"status": "degraded", "reason": "model_refused"})
                async with web.get(f"{server.web_url}/metrics") as response:
                    figures = await response.text()
                assert 'adpolicy_model_calls_total{outcome="model_refused",role="probe"} 1.0' in figures
                model.status = 200
                async with web.post(f"{server.web_url}/api/v1/ask", json={"question": QUESTION}) as response:
                    assert (response.status, (await response.json())["kind"]) == (200, "answer")
                assert await _ready(web, server, "ok") == (200, {"status": "ok", "reason": ""})
    log = (sample_copy.parent / "server.log").read_text(encoding="utf-8")
    assert "model_refused" in log
    assert "s3cret" not in log


async def _ready(web: aiohttp.ClientSession, server: Server, status: str) -> tuple[int, dict[str, str]]:
    """What /readyz says of the model, once it says that."""
    code, seen = 0, {"status": "", "reason": ""}
    for _ in range(50):
        async with web.get(f"{server.web_url}/readyz") as response:
            code, seen = response.status, (await response.json())["checks"]["model"]
        if seen["status"] == status and seen["reason"] != "not_seen":
            break
        await asyncio.sleep(0.2)
    return code, seen
