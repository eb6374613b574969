"""A site that means harm: it answers as no server does, beside two good pages."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

from ingest.model.report import Failure, Note
from ingest.sources.website import WebsiteSource
from ingest.wording import knows
from tests.fakes.site import QUICK, fetching, page
from tests.fakes.sources import ACME_DEFAULTS
from tests.fakes.workshop import Workshop

Reply = Callable[[asyncio.StreamWriter], None]
HEAD = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html\r\n"
MOST_SECONDS = 120
"""Of the clock, all in all. It takes 6 s; an answer that is waited for without end never ends."""
LIMITS = replace(QUICK, total_seconds=1, attempts=2)


def good(rule: str) -> bytes:
    return f"<html><head><title>Good</title></head><body><main><h1>Good</h1><p>{rule}</p></main></body></html>".encode()


def whole(body: bytes, head: bytes = HEAD) -> bytes:
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


GOOD = {"/p/first": "Ads for rum are not allowed.", "/p/last": "Ads for gin are not allowed."}
SENT: Mapping[str, bytes] = {
    **{path: whole(good(rule)) for path, rule in GOOD.items()},
    "/p/nothing": b"",
    "/p/no-http": b"SSH-2.0-OpenSSH_9.6\r\n" * 100,
    "/p/old": b"<html><p>An answer of HTTP 0.9.</p>",
    "/p/status": b"HTTP/1.1 999999 ?\r\n\r\n",
    "/p/no-status": b"HTTP/1.1 \r\n\r\n",
    "/p/long-status": b"HTTP/1.1 200 " + b"O" * 1_000_000 + b"\r\n\r\n",
    "/p/continue": b"HTTP/1.1 100 Continue\r\n\r\n" * 2_000,
    "/p/switch": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n\x00\x01",
    "/p/long-header": HEAD + b"X: " + b"x" * 1_000_000 + b"\r\n\r\n",
    "/p/many-headers": HEAD + b"".join(b"X-%d: y\r\n" % at for at in range(50_000)) + b"\r\n",
    "/p/bad-header": HEAD + b"No colon here\r\n\x00: \x01\r\n\r\nx",
    "/p/two-lengths": HEAD + b"Content-Length: 5\r\nContent-Length: 500\r\n\r\nhello",
    "/p/length-and-chunks": HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    "/p/negative": HEAD + b"Content-Length: -1\r\n\r\nhello",
    "/p/huge": HEAD + b"Content-Length: 99999999999999999999999\r\n\r\nhello",
    "/p/short": HEAD + b"Content-Length: 5000\r\n\r\nhello",
    "/p/chunk-size": HEAD + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nhello",
    "/p/chunk-none": HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n",
    "/p/chunk-cut": HEAD + b"Transfer-Encoding: chunked\r\n\r\n10\r\nhello",
    "/p/packed": HEAD + b"Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n" + b"\x1f\x8b" + b"\xff" * 18,
    "/p/packed-twice": HEAD + b"Content-Encoding: gzip, br, zstd, gzip\r\nContent-Length: 4\r\n\r\nhell",
    "/p/charset": whole(good("x"), b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=\xff\xfe;;=\r\n"),
    "/p/type": whole(good("x"), b"HTTP/1.1 200 OK\r\nContent-Type: " + b"text/html, " * 500 + b"\r\n"),
    "/p/moved": b"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\nContent-Length: 0\r\n\r\n",
    "/p/moved-to-file": b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
    "/p/moved-to-itself": b"HTTP/1.1 302 Found\r\nLocation: /p/moved-to-itself\r\nContent-Length: 0\r\n\r\n",
    "/p/moved-far": b"HTTP/1.1 302 Found\r\nLocation: /" + b"x" * 60_000 + b"\r\nContent-Length: 0\r\n\r\n",
    "/p/later": b"HTTP/1.1 503 Busy\r\nRetry-After: 99999999999999999999\r\nContent-Length: 0\r\n\r\n",
    "/p/never": b"HTTP/1.1 304 Not Modified\r\n\r\n",
    "/p/links": whole(good("".join(f"<a href='/p/{'../' * at}x{at}?{'a=' * at}'>.</a>" for at in range(300)))),
    "/p/bases": whole(b"<base href='http://127.0.0.1:1/p/'><base href='\x00'><p>Two bases.</p><a href=evil>e</a>"),
}
DRIPPING = {"/p/slow-head": HEAD + b"X-More: ", "/p/slow-body": HEAD + b"\r\n<p>slow", "/p/slow-nothing": b""}
"""What comes one byte at a time, without end."""


async def answer(reading: asyncio.StreamReader, writing: asyncio.StreamWriter) -> None:
    try:
        path = (await reading.readuntil(b"\r\n\r\n")).split(b" ", 2)[1].decode()
        if path == "/p/":
            writing.write(whole(page(*SENT, *DRIPPING).encode()))
        elif path in DRIPPING:
            writing.write(DRIPPING[path])
            while True:
                await asyncio.sleep(0.05)
                writing.write(b"x")
                await writing.drain()
        else:
            writing.write(SENT.get(path, whole(b"", b"HTTP/1.1 404 Not Found\r\nConnection: close\r\n")))
        await writing.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass  # whoever asked has gone
    finally:
        writing.close()


@asynccontextmanager
async def hostile_site() -> AsyncIterator[str]:
    """Its address."""
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def test_what_a_hostile_site_sends_is_read_or_named_and_the_good_pages_are_kept(workshop: Workshop) -> None:
    began = time.monotonic()
    async with hostile_site() as site, fetching(limits=LIMITS) as fetcher:
        source = WebsiteSource(
            "acme-web", [f"{site}/p/"], ("/p/",), ACME_DEFAULTS, fetcher, sitemap=False, most_pages=2_000
        )
        report = await workshop.run(source)

    assert time.monotonic() - began < MOST_SECONDS
    said: list[Failure | Note] = [*report.failed, *report.notes]
    assert [each.code for each in said if not knows(each.code)] == []
    stored = {each.origin.removeprefix(site): each for each in await workshop.stored("acme-web")}
    texts = [each.chunk.chunk_text for each in await workshop.passages()]
    assert {rule for rule in GOOD.values() if any(rule in text for text in texts)} == set(GOOD.values())
    named = {each.origin.removeprefix(site) for each in said}
    assert (SENT.keys() | DRIPPING) - stored.keys() - named == {"/p/type"}  # what no parser reads is no document
    assert not any("passwd" in each or ":1/" in each for each in stored)


async def test_a_site_that_turns_hostile_removes_nothing(workshop: Workshop) -> None:
    turned = b""

    async def first_good(reading: asyncio.StreamReader, writing: asyncio.StreamWriter) -> None:
        path = (await reading.readuntil(b"\r\n\r\n")).split(b" ", 2)[1].decode()
        good_page = whole(page(*GOOD).encode()) if path == "/p/" else SENT.get(path)
        writing.write(turned or good_page or whole(b"", b"HTTP/1.1 404 Not Found\r\nConnection: close\r\n"))
        writing.close()

    server = await asyncio.start_server(first_good, "127.0.0.1", 0)
    site = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with fetching(limits=LIMITS) as fetcher:
        source = WebsiteSource("acme-web", [f"{site}/p/"], ("/p/",), ACME_DEFAULTS, fetcher, sitemap=False)
        await workshop.run(source)
        before = {each.origin for each in await workshop.stored("acme-web")}
        for sent in SENT.keys() - GOOD.keys() - {"/p/links", "/p/bases", "/p/charset"}:  # those are pages
            turned = SENT[sent] or b"?"
            workshop.wait(1)
            await workshop.run(source)
    server.close()

    texts = [each.chunk.chunk_text for each in await workshop.passages()]
    assert len(before) == 3
    assert {each.origin for each in await workshop.stored("acme-web") if each.effective_to is None} >= before
    assert {rule for rule in GOOD.values() if any(rule in text for text in texts)} == set(GOOD.values())
