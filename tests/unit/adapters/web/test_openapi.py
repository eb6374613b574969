"""The OpenAPI document: of every route of the API and nothing else, valid, and true of what is answered."""

import ast
import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

import adapters.web
from adapters.web.api.openapi import DOCUMENT, is_for_programs
from adapters.web.api.operations import operation_of
from adapters.web.app import web_app
from adapters.web.parts import Check, Readiness
from bot.model.messages import Actor
from bot.ports import Opinion
from rag_core.errors import Rejected, Unavailable
from tests.fakes.documents import make_write, passages_of
from tests.fakes.openapi import Described
from tests.fakes.web import FakeAsk, FakeReady, FakeSearch, Site, make_parts, serving, uk_answer

WRITE = make_write(url=None)
CHUNK = passages_of(WRITE)[0].chunk
ASK, SEARCH, VERIFY, FEEDBACK = (f"/api/v1/{each}" for each in ("ask", "search", "verify-citation", "feedback"))


def document(issuer: str = "") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(web_app(make_parts(issuer=issuer))[DOCUMENT])
    return found


DESCRIBED = Described(document())


def routes() -> set[tuple[str, str]]:
    """Method and path of all that the listener serves, HEAD apart."""
    served = web_app(make_parts()).router.routes()
    return {(each.method, each.resource.canonical) for each in served if each.resource and each.method != "HEAD"}


def test_every_route_of_the_api_is_described_and_nothing_else() -> None:
    described = {(method.upper(), path) for path, methods in DESCRIBED.document["paths"].items() for method in methods}
    assert described == {each for each in routes() if is_for_programs(each[1])}
    assert {path for _, path in routes()} >= {"/", "/sources/{doc_id}"}
    assert not {path for _, path in described} & {"/", "/sources/{doc_id}"}


def test_a_route_that_declares_nothing_would_be_missed() -> None:
    async def undeclared(_: object) -> None: ...

    assert operation_of(undeclared) is None


def test_it_is_valid() -> None:
    OpenAPIV31SpecValidator(document()).validate()
    OpenAPIV31SpecValidator(document(issuer="https://id.example/")).validate()


def test_operations_have_names_summaries_and_permissions() -> None:
    operations = [each for methods in DESCRIBED.document["paths"].values() for each in methods.values()]
    assert len({each["operationId"] for each in operations}) == len(operations)
    assert all(each["summary"] and each["description"] for each in operations)
    assert "`ask`" in DESCRIBED.operation("POST", ASK)["description"]
    assert "`read`" in DESCRIBED.operation("POST", SEARCH)["description"]


def test_tokens_of_an_issuer_are_named_where_there_is_one() -> None:
    assert set(DESCRIBED.document["components"]["securitySchemes"]) == {"bearer"}
    found = document(issuer="https://id.example/")["components"]["securitySchemes"]
    assert found["oidc"]["openIdConnectUrl"] == "https://id.example/.well-known/openid-configuration"


OF_PAGES = {(404, "source_not_found"), (404, "not_found"), (415, "form_expected")}


def test_every_refusal_of_a_request_is_described() -> None:
    """Each `RequestRefused(status, "code")` of the package is the problem of some route."""
    refused = {
        (node.args[0].value, node.args[1].value)
        for path in Path(adapters.web.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "RequestRefused"
        if isinstance(node.args[0], ast.Constant) and isinstance(node.args[1], ast.Constant)
    }
    described = {
        (int(status), code)
        for methods in DESCRIBED.document["paths"].values()
        for operation in methods.values()
        for status, response in operation["responses"].items()
        for each in response["content"].get("application/problem+json", {}).get("schema", {}).get("allOf", [])
        for code in each.get("properties", {}).get("code", {}).get("enum", [])
    }
    assert len(refused) > 10
    assert refused - described <= OF_PAGES


async def opinion_of(actor: Actor, said: Any, given_from: str) -> Opinion | None:
    from_now = WRITE.version.checked_at
    mine = Opinion("a1", actor.workspace, actor.person, said.rating.value, ("other",), "", given_from, from_now)
    return mine if said.answer_id == "a1" else None


async def answer_a1(answer_id: str, actor: Actor, groups: frozenset[str]) -> dict[str, object] | None:
    return json.loads(PLAIN) if answer_id == "a1" else None


PLAIN = (Path(__file__).parents[3] / "golden/json/answer.json").read_text(encoding="utf-8")


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    parts = make_parts(
        FakeAsk(uk_answer(WRITE)), read_answer=answer_a1, give_feedback=opinion_of, body_bytes=4096, body_seconds=0.3
    )
    async with serving(parts) as served:
        yield served


async def held(site: Site, method: str, path: str, expected: int, **more: Any) -> str:
    """The response's text; it has this status and is as described."""
    async with site.session.request(method, path, **more) as response:
        text = await response.text()
    told = DESCRIBED.complaints(method, path.partition("?")[0], response.status, response.content_type, text)
    assert (response.status, told) == (expected, []), text
    return text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/answers/a1", 200),
        ("/api/v1/answers/a2", 404),
        ("/api/v1/changes?since=2026-01-01&limit=5", 200),
        ("/api/v1/changes?since=soon&other=1", 422),
        (f"/api/v1/chunks/{CHUNK.chunk_id}", 200),
        ("/api/v1/chunks/none", 404),
        ("/api/v1/documents", 200),
        ("/api/v1/documents?limit=x", 422),
        (f"/api/v1/documents/{WRITE.version.document_id}/versions", 200),
        ("/api/v1/documents/none/versions", 404),
        ("/api/v1/documents/none/versions?as_of=0", 422),
        ("/api/v1/openapi.json", 200),
        ("/healthz", 200),
        ("/metrics", 200),
        ("/readyz", 200),
    ],
)
async def test_what_is_read_is_as_described(site: Site, path: str, status: int) -> None:
    await held(site, "GET", path, status)


async def test_the_document_is_served_as_it_is(site: Site) -> None:
    assert json.loads(await held(site, "GET", "/api/v1/openapi.json", 200)) == DESCRIBED.document


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        (ASK, {"question": "wine in the UK"}, 200),
        (ASK, {"question": 5}, 422),
        (SEARCH, {"query": "wine"}, 200),
        (SEARCH, {"query": "wine", "limit": 0}, 200),
        (SEARCH, {}, 422),
        (VERIFY, {"claim": "No spirits.", "chunk_id": CHUNK.chunk_id}, 200),
        (VERIFY, {"claim": CHUNK.chunk_text[:80], "doc_id": CHUNK.doc_id}, 200),
        (VERIFY, {"claim": "No spirits.", "chunk_id": "none"}, 404),
        (VERIFY, {"claim": "No spirits.", "doc_id": "none"}, 404),
        (VERIFY, {"claim": "No spirits."}, 422),
        (FEEDBACK, {"answer_id": "a1", "rating": "useful"}, 200),
        (FEEDBACK, {"answer_id": "a2", "rating": "useful"}, 404),
        (FEEDBACK, {"answer_id": "a2", "rating": "great"}, 422),
    ],
)
async def test_what_is_sent_is_answered_as_described(site: Site, path: str, body: object, status: int) -> None:
    await held(site, "POST", path, status, json=body)


@pytest.mark.parametrize("path", [ASK, SEARCH, VERIFY, FEEDBACK])
async def test_so_are_bodies_that_cannot_be_read(site: Site, path: str) -> None:
    as_json = {"Content-Type": "application/json"}

    async def slow() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(1)

    await held(site, "POST", path, 400, data=b"{", headers=as_json)
    await held(site, "POST", path, 408, data=slow(), headers=as_json)
    await held(site, "POST", path, 413, data=b" " * 5000, headers=as_json)
    await held(site, "POST", path, 415, data=b"{}")


@pytest.mark.parametrize("path", ["/api/v1/documents", "/api/v1/openapi.json", "/healthz"])
async def test_so_are_requests_that_nobody_may_send(site: Site, path: str) -> None:
    await held(site, "GET", path, 400, headers={"X-Forwarded-For": "10.0.0.1"})
    await held(site, "GET", path, 403, headers={"Sec-Fetch-Site": "cross-site"})
    await held(site, "GET", path, 421, headers={"Host": "elsewhere.example"})


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Unavailable("index_missing"), 503),
        (Unavailable("too_slow"), 503),
        (TimeoutError(), 503),
        (Rejected("rate_limited", seconds=3), 429),
        (Rejected("question_empty"), 422),
        (Rejected("question_too_long", limit=1, length=2), 422),
        (Rejected("unclear_day", value="x"), 422),
        (Rejected("unknown_region", value="x", known=["uk"]), 422),
        (Rejected("unknown_content_type", value="x", known="image"), 422),
        (Rejected("unknown_policy_source", value="x", known=("acme",)), 422),
        (ValueError("a defect"), 500),
    ],
)
async def test_so_is_what_goes_wrong_inside(error: Exception, status: int) -> None:
    async with serving(make_parts(FakeAsk(error), FakeSearch(error=error))) as site:
        await held(site, "POST", ASK, status, json={"question": "x"})
        await held(site, "POST", SEARCH, status, json={"query": "x"})


async def test_so_is_that_the_server_is_not_ready() -> None:
    ready = FakeReady(Readiness(False, {"store": Check("down", "store_down"), "index": Check("degraded")}))
    async with serving(make_parts(ready=ready)) as site:
        await held(site, "GET", "/readyz", 503)


async def test_events_have_the_shapes_they_are_described_with() -> None:
    described = DESCRIBED.operation("POST", ASK)["responses"]["200"]["content"]["text/event-stream"]["schema"]
    described = {
        each["properties"]["event"]["const"]: each["properties"]["data"]["contentSchema"] for each in described["oneOf"]
    }
    assert set(described) == {"status", "scope", "statement", "answer", "error"}
    seen: list[tuple[str, object]] = []
    for outcome in (uk_answer(WRITE), Unavailable("index_missing")):
        async with serving(make_parts(FakeAsk(outcome))) as site:
            seen += await events(site)
    assert {name for name, _ in seen} == set(described)
    for name, data in seen:
        assert DESCRIBED.mismatches(described[name], data) == [], name


async def events(site: Site) -> list[tuple[str, object]]:
    text = await held(site, "POST", ASK, 200, json={"question": "wine"}, headers={"Accept": "text/event-stream"})
    blocks = [block.split("\n") for block in text.split("\n\n") if block and not block.startswith(":")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]
