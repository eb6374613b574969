"""`python -m ops evaluate` on bots that answer from the gold, well or badly, and over REST."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from ops.cli import parse
from ops.config import Config
from ops.evaluation.bots import Query, RestBot
from ops.evaluation.command import evaluate
from ops.evaluation.report import Report, read_report
from rag_core.answers import Verdict
from rag_core.errors import Rejected, Unavailable
from rag_core.questions import Filters, Turn

ROOT = Path(__file__).resolve().parents[4]
ANSWERABLE = ROOT / "tests" / "golden" / "questions_answerable.jsonl"
BEST_AT_NONE = {
    "allowed_though_prohibited",
    "restricted_though_prohibited",
    "answerable_refused",
    "answerable_declined",
}


async def run(*arguments: str) -> int:
    return await evaluate(parse(["evaluate", *arguments]), Config())


async def reported(tmp_path: Path, *arguments: str) -> Report:
    path = tmp_path / "report.json"
    assert await run("--bot", "mock", "--output", str(path), *arguments) == 0
    return read_report(path)


async def test_a_bot_that_knows_the_gold_is_perfect(tmp_path: Path) -> None:
    report = await reported(tmp_path, "--split", "all", "--today", "2026-06-01")
    assert report.today == date(2026, 6, 1)
    for part in report.splits.values():
        figures = {name: each.value for name, each in part.figures.items()}
        assert figures.pop("relevant") < 1, "gold does not repeat the question's words"
        assert figures == {name: 0.0 if name in BEST_AT_NONE else 1.0 for name in figures}
        assert part.diagnoses == {}
        assert len(part.figures) > 20
    assert {each.split for each in report.questions} == {"dev"}


async def test_only_what_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = await reported(tmp_path, "--dataset", str(ANSWERABLE), "--tags", "follow-up", "--retrieval-only")
    assert set(report.splits["dev"].figures) == {
        "section_hit@1", "section_hit@5", "section_hit@10", "anchor_hit@5", "mrr", "ndcg@10", "recall@15",
    }  # fmt: skip
    assert {"follow-up" in each.tags for each in report.questions} == {True}
    one = report.questions[0].id
    report = await reported(tmp_path, "--dataset", str(ANSWERABLE), "--ids", one, "--skip-correctness")
    assert [each.id for each in report.questions] == [one]
    assert "correct" not in report.splits["dev"].figures
    with pytest.raises(Rejected, match="dataset_empty"):
        await run("--bot", "mock", "--ids", "no-such-question")
    capsys.readouterr()


async def test_formats_and_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--dataset", str(ANSWERABLE), "--tags", "broad")
    await reported(tmp_path, *arguments)
    capsys.readouterr()
    assert await run("--bot", "mock", "--format", "json", *arguments) == 0
    assert json.loads(capsys.readouterr().out)["shape"] == "adpolicy-evaluation/1"
    assert await run("--bot", "mock", "--format", "html", *arguments) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")
    compared = ("--compare", str(tmp_path / "report.json"))
    assert await run("--bot", "mock", *compared, *arguments) == 0
    assert "No figure is different." in capsys.readouterr().out
    page = tmp_path / "deeper" / "report.html"
    assert await run("--bot", "mock", "--output", str(page), *arguments) == 0
    assert page.read_text().startswith("<!doctype html>")


REPLY: dict[str, Any] = {
    "kind": "answer",
    "verdict": "prohibited",
    "verdicts": [{"region": "fr", "policy_source": "acme", "verdict": "prohibited", "conditions": []}],
    "text": "**No.**",
    "statements": [{"text": "Beer may not be advertised.", "citations": [1]}],
    "citations": [
        {
            "number": 1, "chunk_id": "c", "doc_id": "v", "document_id": "acme_alcohol", "policy_source": "acme",
            "rule_number": None, "section_path": "France", "regions": ["fr"],
            "effective_from": "2025-01-01", "effective_to": None,
            "quote": "may not be",
        }
    ],
    "scope": {"regions": ["fr"]},
    "timings_ms": {"total": 30.0, "embed": 12.0},
}  # fmt: skip
CHUNK = {
    "chunk_id": "c", "document_id": "d", "policy_source": "acme", "policy_path": "A > B", "chunk_text": "Beer.",
    "lead_in": "Not:", "regions": ["fr"], "effective_from": "2025-01-01", "effective_to": "2026-01-01",
}  # fmt: skip


class StandIn:
    """A server that answers `status` and remembers what it was asked."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.status = 200
        self.chunk_text = "Wine may be."

    async def ask(self, request: web.Request) -> web.Response:
        self.bodies.append(await request.json())
        if self.status == 422:
            return web.json_response({"code": "question_empty", "detail": "Ask something."}, status=422)
        return web.json_response(REPLY, status=self.status)

    async def verify(self, request: web.Request) -> web.Response:
        """Only the whole version says it."""
        body = await request.json()
        self.bodies.append(body)
        return web.json_response({"verdict": "supported" if body.get("doc_id") == "v" else "unsupported"})

    async def chunk(self, request: web.Request) -> web.Response:
        return web.json_response({"lead_in": "", "chunk_text": self.chunk_text})

    async def search(self, request: web.Request) -> web.Response:
        self.bodies.append(await request.json())
        return web.json_response({"results": [CHUNK]})


@pytest.fixture
def stand_in() -> StandIn:
    return StandIn()


@pytest.fixture
async def address(stand_in: StandIn) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_post("/api/v1/ask", stand_in.ask)
    app.router.add_post("/api/v1/search", stand_in.search)
    app.router.add_post("/api/v1/verify-citation", stand_in.verify)
    app.router.add_get("/api/v1/chunks/c", stand_in.chunk)
    async with TestServer(app) as server:
        yield str(server.make_url("/"))


async def test_a_server_is_asked_by_its_contract(address: str, stand_in: StandIn) -> None:
    query = Query("beer?", Filters(regions=("fr",)), (Turn("user", "wine?"),), date(2026, 1, 1))
    async with ClientSession() as session:
        observed = await RestBot(session, address, 7).ask(query)
    (body,) = stand_in.bodies
    assert (body["question"], body["as_of"], body["top_k"]) == ("beer?", "2026-01-01", 7)
    assert body["history"] == [{"role": "user", "content": "wine?"}]
    assert body["filters"]["region"] == ["fr"]
    assert (observed.verdict, observed.milliseconds, observed.retrieved) == (Verdict.PROHIBITED, 18.0, None)
    assert observed.citations[0].texts == ("Beer may not be advertised.", "may not be")
    assert "**No.**" in observed.shown


async def test_a_servers_own_check_says_what_is_supported(address: str, stand_in: StandIn) -> None:
    async with ClientSession() as session:
        bot = RestBot(session, address, 7)
        observed = await bot.ask(Query("beer?"))
        assert await bot.supports(observed) == (True,)
        claim = {"claim": "Beer may not be advertised."}
        assert stand_in.bodies[1:] == [{**claim, "chunk_id": "c"}, {**claim, "doc_id": "v"}]
        assert await bot.supports(replace(observed, citations=())) == (False,)
        stand_in.chunk_text, stand_in.bodies = "**Beer** may not be advertised.", []
        assert await bot.supports(observed) == (True,)
        assert stand_in.bodies == [], "what stands in the chunk needs no check"


async def test_a_servers_search_is_retrieval_alone(address: str, stand_in: StandIn) -> None:
    async with ClientSession() as session:
        observed = await RestBot(session, address, 7, retrieval_only=True).ask(Query("beer?"))
    assert (stand_in.bodies[0]["query"], stand_in.bodies[0]["limit"]) == ("beer?", 7)
    assert observed.retrieved is not None
    assert (observed.retrieved[0].text, observed.retrieved[0].effective_to) == ("Not:\nBeer.", date(2026, 1, 1))


async def test_what_a_server_does_not_take_and_what_is_no_answer(address: str, stand_in: StandIn) -> None:
    async with ClientSession() as session:
        bot = RestBot(session, address, 7)
        stand_in.status = 422
        observed = await bot.ask(Query(""))
        assert (observed.kind, observed.reason) == ("rejected", "question_empty")
        stand_in.status = 503
        with pytest.raises(Unavailable, match="evaluated_bot_failed"):
            await bot.ask(Query("beer?"))
        with pytest.raises(Unavailable, match="evaluated_bot_down"):
            await RestBot(session, "http://127.0.0.1:1", 7).ask(Query("beer?"))


@pytest.mark.parametrize("arguments", [["--bot", "ftp://a"], ["--top-k", "0"], ["--today", "soon"]])
def test_arguments_that_cannot_work(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        parse(["evaluate", *arguments])
    assert arguments[0] in capsys.readouterr().err


def test_it_needs_no_more_than_the_light_install() -> None:
    asked = (
        "import sys, ops.evaluation.command; "
        "print(sorted({'opensearchpy', 'redis', 'asyncpg', 'ir_measures', 'torch'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
