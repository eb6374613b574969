"""Requests that no client means to send, byte by byte: each is answered or ended soon, without our software's name,
what was sent, or a word in the log, and the next one is served as ever."""

import asyncio
import json
import re
from collections.abc import AsyncIterator

import pytest

from tests.fakes.web import Site, make_parts, serving

SEEN = re.compile(rb"HTTP/[01]\.\d (\d{3}) ")
HOST = b"Host: localhost\r\n"
BODY = b'{"query": "x", "limit": 1}'
CHUNKED = b"1a\r\n" + BODY + b"\r\n0\r\n\r\n"
DEEP = 100_000


def get(target: bytes = b"/healthz", *lines: bytes, method: bytes = b"GET", version: bytes = b"HTTP/1.1") -> bytes:
    return (
        method + b" " + target + b" " + version + b"\r\n" + HOST + b"".join(each + b"\r\n" for each in lines) + b"\r\n"
    )


def post(body: bytes, *lines: bytes, path: bytes = b"/api/v1/search", kind: bytes = b"application/json") -> bytes:
    return get(path, b"Content-Type: " + kind, b"Content-Length: %d" % len(body), *lines, method=b"POST") + body


def framed(*lines: bytes, body: bytes = CHUNKED) -> bytes:
    return get(b"/api/v1/search", b"Content-Type: application/json", *lines, method=b"POST") + body


def searched(**fields: object) -> bytes:
    return post(json.dumps({"query": "x", **fields}).encode())


FAMILIES: dict[str, tuple[set[int], list[bytes]]] = {
    "two lengths": (
        {400},
        [
            framed(b"Content-Length: 5", b"Transfer-Encoding: chunked"),
            framed(b"Transfer-Encoding: chunked", b"Content-Length: 4"),
            framed(b"Content-Length: 5", b"Content-Length: 6"),
            *(framed(b"Content-Length: " + each) for each in (b"+5", b"5, 5", b"0x5", b"-1", b"1e3", b"", b"secret")),
        ],
    ),
    "encodings of transfer": (
        {400},
        [
            *(
                framed(b"Transfer-Encoding: " + each)
                for each in (b"xchunked", b"chunked, identity", b"chunked, chunked", b"gzip", b"chunked\x0b", b"secret")
            ),
            *(
                framed(b"Transfer-Encoding: chunked", body=each)
                for each in (
                    b"f" * 18 + b"\r\nabc",
                    b"-1\r\nabc",
                    b"0x5\r\nabcde\r\n0\r\n\r\n",
                    b"5\r\nabcdeXX0\r\n\r\n",
                )
            ),
        ],
    ),
    "headers": (
        {400},
        [
            get(b"/healthz", each)
            for each in (
                b"A: b\r\n secret",
                b"A: b\r\n\tHost: secret",
                b"A: secret\x00",
                b"A: a\rsecret",
                b"A : secret",
                b"secret",
                b": secret",
                b"secret\xff: a",
                b"a(secret): c",
                b"A: " + b"secret" * 30_000,
                b"\r\n".join(b"a%d: secret" % number for number in range(3000)),
            )
        ],
    ),
    "line ends": ({400}, [get().replace(b"\r\n", b"\n"), get().replace(b"\r\n", b"\r") + b"\r\n\r\n"]),
    "targets": (
        {400, 404, 421},
        [
            get(each)
            for each in (
                *(b"http://secret.example/", b"http://u:" + b"secret@localhost/", b"ftp://secret/", b"http:///healthz"),
                *(b"secret:443", b"*", b"", b"#", b"http://[::1/", b"javascript:secret", b"healthz", b"?q=secret"),
                *(b"//secret/healthz", b"/%zz", b"/%00", b"/%ff%fe", b"/%c0%af", b"/\xff\xfesecret", b"/secret\\..\\"),
                *(b"/static/../../README.md", b"/static/..%2f..%2fREADME.md", b"/static/%00", b"/" + b"a/" * 300),
                *(b"/api/v1/chunks/%ed%a0%80", b"/api/v1/documents/..%2f/versions", b"/%0d%0aSet-Cookie:secret"),
            )
        ],
    ),
    "other protocols": (
        {400},
        [
            b"GET /healthz\r\n\r\n",
            get(version=b"HTTP/1.2"),
            get(version=b"HTTP/9.9"),
            get(version=b"http/1.1"),
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)),
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            bytes(65536),
            b"SSH-2.0-secret\r\n",
            b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n" + get(),
            b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        ],
    ),
    "methods": (
        {400, 403, 404, 405, 421},
        [
            get(b"/", b"A: secret", method=each)
            for each in (b"TRACE", b"CONNECT", b"OPTIONS", b"PROPFIND", b"PATCH", b"DELETE", b"<secret>", b"Q" * 2000)
        ]
        + [get(b"*", method=b"OPTIONS"), get(b"secret.example:443", method=b"CONNECT")],
    ),
    "deep and huge JSON": (
        {400, 413, 422},
        [
            *(post(each * DEEP) for each in (b"[", b'{"a":')),
            *(
                post(b'{"query": "x", "limit": ' + each + b"}")
                for each in (b"NaN", b"1e999", b"9" * 100_000, b"01", b"1_0")
            ),
            *(searched(limit=each) for each in (2**63, -1, 1.5, True, "5")),
            *(
                searched(as_of=each)
                for each in ("0000-01-01", "10000-01-01", "2026-02-30", "2026-01-01T00:00+14:00", 0)
            ),
            searched(filters={"labels": {"x": [["secret"]]}}),
            searched(filters={"labels": {str(each): "x" for each in range(5000)}}),
        ],
    ),
    "texts that are none": (
        {400, 415, 422},
        [
            *(post(BODY.decode().encode(each)) for each in ("utf-16", "utf-32", "utf-16-le")),
            *(
                post(BODY, kind=b"application/json; charset=" + each)
                for each in (b"utf-7", b"zlib", b"unicode_escape", b"secret")
            ),
            *(
                post(each)
                for each in (b'{"query": "\xed\xa0\x80"}', b'{"query": "\\udfff\\ud800"}', b"\x00", BODY + b"\x00")
            ),
        ],
    ),
}


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving(make_parts(body_seconds=0.3)) as served:
        yield served


async def answered(site: Site, sent: bytes) -> bytes:
    """All that comes back until the server has said what it wants to, or closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    seen = b""
    try:
        async with asyncio.timeout(10):
            writer.write(sent)
            while not is_whole(seen) and (more := await reader.read(65536)):
                seen += more
    except ConnectionError:  # closed while it was still being sent
        pass
    finally:
        writer.transport.abort()
    return seen


def is_whole(seen: bytes) -> bool:
    head, ended, body = seen.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    return bool(ended) and length is not None and len(body) >= int(length[1])


def status_of(seen: bytes) -> int:
    found = SEEN.match(seen)
    assert found is not None, seen[:200]
    return int(found[1])


@pytest.mark.parametrize("family", FAMILIES)
async def test_what_no_client_means_to_send_is_refused_and_nothing_more(
    site: Site, family: str, caplog: pytest.LogCaptureFixture
) -> None:
    expected, requests = FAMILIES[family]
    for sent in requests:
        seen = await answered(site, sent)
        assert status_of(seen) in expected, (sent[:200], seen[:500])
        for word in (b"secret", b"aiohttp", b"Python", b"Traceback"):
            assert word not in seen, (sent[:200], seen[-500:])
    assert (await site.get("/healthz"))[0] == 200
    assert [record.getMessage() for record in caplog.records] == []


async def test_hundreds_of_requests_at_once_on_one_connection_are_answered_one_after_another(site: Site) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    writer.write(get() * 300 + get(b"/healthz", b"Connection: close"))
    async with asyncio.timeout(20):
        seen = await reader.read()
    writer.close()
    assert len(re.findall(rb"HTTP/1.1 200 OK", seen)) == 301


async def test_a_body_that_waits_for_leave_and_does_not_come_is_408(site: Site) -> None:
    expecting = get(
        *(b"/api/v1/search", b"Content-Type: application/json", b"Content-Length: 9", b"Expect: 100-continue"),
        method=b"POST",
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    writer.write(expecting)
    async with asyncio.timeout(10):
        assert status_of(await reader.readuntil(b"\r\n\r\n")) == 100
        assert status_of(await reader.readuntil(b"\r\n\r\n")) == 408
    writer.transport.abort()


@pytest.mark.parametrize(
    "header",
    [
        *("Range: bytes=" + "0-," * 2000, "Range: bytes=-99999999999999999999", "Range: secret", "If-Range: secret"),
        *("If-None-Match: " + '"x",' * 3000, "If-Modified-Since: Mon, 99 Foo 99999 99:99:99 GMT"),
        *(
            "Cookie: a=" + '\\"' * 5000,
            "Cookie: =;=;;=",
            "Cookie: a=\x80\xff",
            "Accept-Encoding: " + "gzip;q=1," * 1000,
        ),
        *("Upgrade: h2c\r\nConnection: Upgrade", "Upgrade: websocket\r\nConnection: Upgrade", "Accept: ;;==,,/"),
    ],
    ids=lambda header: header[:24].encode("ascii", "replace").decode(),
)
async def test_an_odd_header_changes_nothing(site: Site, header: str, caplog: pytest.LogCaptureFixture) -> None:
    for path in (b"/static/style.css", b"/", b"/healthz"):
        seen = await answered(site, get(path, header.encode("latin-1")))
        assert status_of(seen) in (200, 206, 400, 416), seen[:200]
        assert b"secret" not in seen
    assert [record.getMessage() for record in caplog.records] == []
