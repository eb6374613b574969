"""The style sheet, the chat listener, and how both are run."""

import asyncio
import gzip
import logging
from collections.abc import Callable

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.web.app import chat_app, web_app
from adapters.web.http_server import runner
from tests.fakes.web import make_parts, serving


async def test_the_style_sheet_is_sent_again_only_when_it_changed() -> None:
    async with serving(make_parts()) as site:
        async with site.session.get("/static/style.css") as response:
            assert (response.status, response.content_type) == (200, "text/css")
            etag = response.headers["ETag"]
        async with site.session.get("/static/style.css", headers={"If-None-Match": etag}) as response:
            assert response.status == 304
        for path in ("/static/", "/static/..%2fapp.py", "/static/../app.py"):
            assert (await site.get(path))[0] == 404


async def test_the_chat_listener_serves_the_platforms_routes_and_no_pages() -> None:
    async def events(_: web.Request) -> web.Response:
        return web.Response(text="seen")

    async def broken(_: web.Request) -> web.Response:
        raise ZeroDivisionError

    server = TestServer(chat_app([web.post("/slack/events", events), web.post("/broken", broken)]))
    await server.start_server()
    try:
        async with aiohttp.ClientSession(server.make_url("/"), headers={"Host": "any.example"}) as session:
            async with session.get("/healthz") as response:
                assert response.status == 200
            async with session.post("/slack/events") as response:
                assert await response.text() == "seen"
                assert response.headers["X-Content-Type-Options"] == "nosniff"
            for path in ("/", "/api/v1/documents", "/static/style.css"):
                async with session.get(path) as response:
                    assert response.status == 404
            async with session.post("/broken") as response:
                assert response.status == 500
                assert response.content_type == "application/problem+json"
    finally:
        await server.close()


async def test_addresses_are_not_logged_because_they_hold_questions(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    running = runner(web_app(make_parts()))
    await running.setup()
    site = web.TCPSite(running, "127.0.0.1", 0)
    await site.start()
    port = running.addresses[0][1]
    question = "ü" * 1900  # 11,400 bytes in the address
    try:
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"http://127.0.0.1:{port}/", params={"q": question + "private"}) as response,
        ):
            assert response.status == 200
            assert "private" in await response.text()
    finally:
        await running.cleanup()
    assert "private" not in caplog.text


async def test_what_is_not_http_gets_no_traceback() -> None:
    server = TestServer(web_app(make_parts()))
    await server.start_server()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"\x16\x03\x01 not http\r\n\r\n")
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
    finally:
        await server.close()
    assert answer.split(b" ", 2)[1] == b"400"
    assert b"Traceback" not in answer


async def test_a_connection_without_a_whole_request_is_closed() -> None:
    """Else some thousands of them, each sending a byte now and then, would be all that the server can hold."""
    running = runner(web_app(make_parts()), idle_seconds=0.3)
    await running.setup()
    try:
        await web.TCPSite(running, "127.0.0.1", 0).start()
        for beginning in (b"", b"GET / HTTP/1.1\r\nHost: loc"):
            reader, writer = await asyncio.open_connection("127.0.0.1", running.addresses[0][1])
            writer.write(beginning)
            async with asyncio.timeout(5):
                assert await reader.read() == b""
            writer.close()
    finally:
        await running.cleanup()


@pytest.mark.parametrize(("proxies", "is_served"), [((), False), (("127.0.0.1",), True)], ids=["direct", "proxy"])
async def test_one_address_has_so_many_connections_and_no_more(proxies: tuple[str, ...], is_served: bool) -> None:
    async def asked(port: int) -> tuple[bytes, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        async with asyncio.timeout(10):
            return (await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")[0], writer

    running = runner(web_app(make_parts()), most_connections=2, proxies=proxies)
    await running.setup()
    try:
        await web.TCPSite(running, "127.0.0.1", 0).start()
        port = running.addresses[0][1]
        kept = [await asked(port) for _ in range(2)]
        one_more, refused = await asked(port)
        refused.close()
        assert one_more == (b"HTTP/1.1 200 OK" if is_served else b"HTTP/1.1 429 Too Many Requests")
        for _, writer in kept:
            writer.close()
            await writer.wait_closed()
        async with asyncio.timeout(10):  # until the server has seen that they are gone
            while (again := await asked(port))[0] != b"HTTP/1.1 200 OK":
                again[1].close()
        again[1].close()
    finally:
        await running.cleanup()


@pytest.mark.parametrize("listener", [lambda: chat_app([]), lambda: web_app(make_parts())], ids=["chat", "web"])
async def test_what_a_refused_body_would_unpack_to_keeps_nobody_waiting(
    listener: Callable[[], web.Application],
) -> None:
    """Eight gigabytes in eight megabytes. Read on and unpacked after the answer, others waited over 5 s."""
    body = gzip.compress(bytes(8_000_000)) * 1000
    running = runner(listener())
    await running.setup()
    try:
        await web.TCPSite(running, "127.0.0.1", 0).start()
        port = running.addresses[0][1]
        head = "POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += f"Content-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n"
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head.encode() + body)
        assert (await reader.readline()).split()[1] in (b"404", b"415")
        async with asyncio.timeout(5), aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
            for _ in range(3):
                async with session.get("/healthz") as response:
                    assert response.status == 200
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert b"HTTP/1.1 200 OK" in await reader.read()
        writer.close()
    finally:
        await running.cleanup()
