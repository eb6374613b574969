"""Input that can never work: 4xx with problem details, never a traceback, never 500."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from tests.fakes.web import Site, make_parts, serving

JSON = {"Content-Type": "application/json"}


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving(make_parts(body_bytes=4096, body_seconds=0.2)) as served:
        yield served


async def send(site: Site, body: bytes, path: str = "/api/v1/ask", **headers: str) -> tuple[int, dict[str, object]]:
    async with site.session.post(path, data=body, headers=headers or JSON) as response:
        text = await response.text()
        assert response.content_type == "application/problem+json", text
        assert "Traceback" not in text
        return response.status, json.loads(text)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"question": }',
        b'{"question": "x"} trailing',
        b'{"question": "\xff"}',
        b'{"question": "\\ud800"}',
        b"[" * 2000,
        b'{"question": NaN, }',
    ],
)
async def test_malformed_json_is_400(site: Site, body: bytes) -> None:
    status, problem = await send(site, body)
    assert (status, problem["code"], problem["status"]) == (400, "malformed_json", 400)


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ("[]", "body", "model_type"),
        ('"question"', "body", "model_type"),
        ("null", "body", "model_type"),
        ("{}", "question", "missing"),
        ('{"question": 5}', "question", "string_type"),
        ('{"question": ["x"]}', "question", "string_type"),
        ('{"question": "x", "quesiton": "y"}', "quesiton", "extra_forbidden"),
        ('{"question": "x", "filters": []}', "filters", "model_type"),
        ('{"question": "x", "filters": {"country": "uk"}}', "filters.country", "extra_forbidden"),
        ('{"question": "x", "filters": {"region": 5}}', "filters.region", "value_list"),
        ('{"question": "x", "filters": {"region": ["uk", 5]}}', "filters.region.1", "string_type"),
        ('{"question": "x", "filters": {"labels": ["a"]}}', "filters.labels", "dict_type"),
        ('{"question": "x", "as_of": "yesterday"}', "as_of", "date_parsing"),
        ('{"question": "x", "as_of": 20260301}', "as_of", "date_type"),
        ('{"question": "x", "top_k": "5"}', "top_k", "int_type"),
        ('{"question": "x", "top_k": 0}', "top_k", "greater_than_equal"),
        ('{"question": "x", "top_k": 99999999999999999999999}', "top_k", "less_than_equal"),
        ('{"question": "x", "history": [{"role": "system", "content": "y"}]}', "history.0.role", "literal_error"),
        ('{"question": "x", "history": "y"}', "history", "list_type"),
        ('{"question": "x", "conversation_id": ""}', "conversation_id", "string_too_short"),
        ('{"question":"x","conversation_id":"c","history":[{"role":"user","content":"y"}]}', "body", "one_of"),
    ],
)
async def test_a_body_that_does_not_fit_is_422_naming_the_field(site: Site, body: str, field: str, code: str) -> None:
    status, problem = await send(site, body.encode())
    assert (status, problem["code"]) == (422, "invalid_request")
    errors = problem["errors"]
    assert isinstance(errors, list)
    assert [(each["field"], each["code"]) for each in errors] == [(field, code)]
    assert field in str(problem["detail"])
    assert errors[0]["detail"]
    assert errors[0]["detail"] != "This value does not fit here."


async def test_many_errors_make_no_long_answer(site: Site) -> None:
    body = json.dumps({"question": "x"} | {f"{number}{'k' * 90}": 1 for number in range(30)})
    _, problem = await send(site, body.encode())
    errors = problem["errors"]
    assert isinstance(errors, list)
    assert len(errors) == 20
    assert all(len(each["field"]) <= 80 for each in errors)


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=latin-1",
        "application/octet-stream",
    ],
)
async def test_only_json_is_read(site: Site, content_type: str) -> None:
    status, problem = await send(site, b'{"question": "x"}', **{"Content-Type": content_type})
    assert (status, problem["code"]) == (415, "unsupported_media_type")


async def test_json_with_its_charset_is_read(site: Site) -> None:
    headers = {"Content-Type": "application/json; charset=UTF-8"}
    async with site.session.post("/api/v1/ask", data=b'{"question": "x"}', headers=headers) as response:
        assert response.status == 200


async def test_a_body_over_the_limit_is_413(site: Site) -> None:
    status, problem = await send(site, json.dumps({"question": "x" * 5000}).encode())
    assert (status, problem["code"]) == (413, "body_too_large")
    assert "4096" in str(problem["detail"])


@pytest.mark.parametrize("coding", ["gzip", "GZIP", "deflate", "br", "zstd", "gzip, gzip", "secret", ""])
async def test_a_body_that_says_it_is_compressed_is_415_without_a_word_in_the_log(
    site: Site, coding: str, caplog: pytest.LogCaptureFixture
) -> None:
    status, problem = await send(site, b'{"question": "x"}', **JSON, **{"Content-Encoding": coding})
    assert (status, problem["code"]) == (415, "compressed_body")
    assert "secret" not in json.dumps(problem)
    async with site.session.get("/healthz") as response:  # by now the server has read on
        assert response.status == 200
    assert [record.getMessage() for record in caplog.records] == []


async def test_a_body_that_says_it_is_as_it_is_is_read(site: Site) -> None:
    headers = JSON | {"Content-Encoding": "identity"}
    async with site.session.post("/api/v1/ask", data=b'{"question": "x"}', headers=headers) as response:
        assert response.status == 200


async def test_a_body_that_never_ends_is_408(site: Site) -> None:
    async def trickle() -> AsyncIterator[bytes]:
        yield b'{"question": '
        await asyncio.sleep(30)

    async with site.session.post("/api/v1/ask", data=trickle(), headers=JSON) as response:
        assert response.status == 408


async def test_unknown_addresses_are_404(site: Site) -> None:
    status, problem = await send(site, b"{}", "/api/v1/nothing")
    assert (status, problem["code"]) == (404, "not_found")


async def test_a_method_that_is_not_served_is_405_naming_those_that_are(site: Site) -> None:
    async with site.session.get("/api/v1/ask") as response:
        assert response.status == 405
        assert response.headers["Allow"] == "POST"
        assert (await response.json(content_type=None))["code"] == "method_not_allowed"


@pytest.mark.parametrize("limit", ['"5"', "1.5", "101", "null", "-1", str(-(10**30))])
async def test_a_search_limit_is_a_small_whole_number(site: Site, limit: str) -> None:
    status, _ = await send(site, f'{{"query": "x", "limit": {limit}}}'.encode(), "/api/v1/search")
    assert status == 422


@pytest.mark.parametrize("path", ["/api/v1/ask", "/api/v1/feedback"])
async def test_who_goes_away_in_the_body_is_no_error_of_ours(
    site: Site, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", site.port)
    writer.write(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode())
    writer.write(b"Content-Length: 50\r\n\r\n{")
    await writer.drain()
    await asyncio.sleep(0.05)
    writer.transport.abort()
    await asyncio.sleep(0.1)
    assert [record.getMessage() for record in caplog.records] == []


async def test_what_is_no_request_is_refused_without_a_word_in_the_log(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    """With a stack trace each, anybody could fill the log."""
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nnonsense\r\n\r\n")
    assert (await reader.readline()).startswith(b"HTTP/1.0 400")
    writer.close()
    assert [record.getMessage() for record in caplog.records] == []


@pytest.mark.parametrize(
    "head",
    [
        "GET /<b>secret</b> HTTP/9.9\r\nHost: localhost\r\n\r\n",
        "secret\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nA secret: x\r\n\r\n",
        f"GET / HTTP/1.1\r\nHost: localhost\r\nX: {'secret' * 4000}\r\n\r\n",
        "POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: secret\r\n\r\n",
        "POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nsecret\r\n",
    ],
    ids=["version", "method", "header name", "long header", "length", "chunk"],
)
async def test_what_is_no_request_is_refused_without_naming_software_or_repeating_it(site: Site, head: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    writer.write(head.encode())
    said = (await reader.read()).decode()
    writer.close()
    assert said.startswith("HTTP/1.0 400 ")
    assert "\r\nServer: adpolicy\r\n" in said
    assert "X-Content-Type-Options: nosniff" in said
    for word in ("secret", "aiohttp", "Python"):
        assert word not in said


async def test_an_expectation_that_nobody_knows_is_a_problem_that_does_not_repeat_it(site: Site) -> None:
    status, problem = await send(site, b"{}", **JSON, Expect="secret")
    assert (status, problem["code"]) == (417, "bad_request")
    assert "secret" not in json.dumps(problem)
