"""What no HTTP client sends: requests byte by byte, broken, endless, too deep, too slow."""

import gzip
import json
import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

POSTS = ("/api/v1/ask", "/api/v1/search", "/api/v1/verify-citation", "/api/v1/feedback")
GETS = (
    "/",
    "/api/v1/documents",
    "/api/v1/changes",
    "/api/v1/openapi.json",
    "/api/v1/chunks/x",
    "/api/v1/answers/x",
    "/api/v1/documents/x/versions",
    "/sources/x",
    "/static/style.css",
    "/healthz",
    "/readyz",
    "/metrics",
)
_HOST = b"Host: 127.0.0.1"
_JSON = b"Content-Type: application/json"
_FIELD = {POSTS[0]: "question", POSTS[1]: "query", POSTS[2]: "claim", POSTS[3]: "comment"}
_PAUSE = 0.4
"""Seconds between the pieces of what is sent slowly."""


@dataclass(frozen=True, slots=True)
class Attack:
    """`pieces` are sent one after another, `pause` seconds apart. `never_ends`: the server waits for more, and ends it
    after its own time. `is_request`: the headers are whole, so there must be an end. `leaves`: goes without reading."""

    name: str
    route: str
    pieces: tuple[bytes, ...]
    pause: float = 0.0
    never_ends: bool = False
    is_request: bool = True
    leaves: bool = False


def attacks(dice: random.Random) -> Iterator[Attack]:
    """Without end, of all kinds in turn."""
    makers: Sequence[Callable[[random.Random], Iterator[Attack]]] = (
        _of_bodies,
        _of_framing,
        _of_heads,
        _of_pages,
        _slow,
    )
    while True:
        for make in makers:
            yield from make(dice)


def _post(path: str, body: bytes, *headers: bytes) -> bytes:
    length = b"Content-Length: %d" % len(body)
    return b"\r\n".join((b"POST %b HTTP/1.1" % path.encode(), _HOST, *(headers or (_JSON,)), length, b"", body))


def _get(path: bytes, *headers: bytes) -> bytes:
    return b"\r\n".join((b"GET %b HTTP/1.1" % path, _HOST, *headers, b"", b""))


def _of_bodies(dice: random.Random) -> Iterator[Attack]:
    """Whole requests with bodies that are no JSON, or too much of it."""
    path = dice.choice(POSTS)
    field = _FIELD[path]
    text = {name: json.dumps({field: value}).encode() for name, value in _texts(dice).items()}
    deep = {
        "deep lists": b"[" * 120_000,
        "deep objects": b'{"a":' * 40_000,
        "deep filters": b'{"%b": "x", "filters": %b' % (field.encode(), b'{"labels": ' * 20_000),
        "closed deep lists": b"[" * 100_000 + b"]" * 100_000,
        "many fields": json.dumps({f"f{number}": number for number in range(15_000)}).encode(),
        "the same field often": b"{" + b",".join(b'"%b": "x"' % field.encode() for _ in range(10_000)) + b"}",
        "huge number": b'{"%b": "x", "limit": %b}' % (field.encode(), b"9" * 100_000),
        "huge exponent": b'{"%b": "x", "top_k": 1e999999999}' % field.encode(),
        "no number": b'{"%b": "x", "limit": NaN}' % field.encode(),
        "invalid UTF-8": b'{"%b": "\xff\xfe\x80"}' % field.encode(),
        "overlong UTF-8": b'{"%b": "\xc0\xaf"}' % field.encode(),
        "raw surrogate": b'{"%b": "\xed\xa0\x80"}' % field.encode(),
        "escaped surrogate": b'{"%b": "\\ud800"}' % field.encode(),
        "raw NUL": b'{"%b": "a\x00b"}' % field.encode(),
        "byte order mark": b'\xef\xbb\xbf{"%b": "x"}' % field.encode(),
        "too large": b'{"%b": "%b"}' % (field.encode(), b"x" * 400_000),
        "noise": dice.randbytes(dice.randint(1, 4_000)),
        "nothing": b"",
    }
    for name, body in (text | deep).items():
        yield Attack(name, path, (_post(path, body),))
    utf16 = json.dumps({field: "x"}).encode("utf-16")
    yield Attack("UTF-16", path, (_post(path, utf16, _JSON + b"; charset=utf-16"),))
    yield Attack("unknown charset", path, (_post(path, b"{}", _JSON + b"; charset=\xff"),))
    yield Attack("odd media type", path, (_post(path, b"{}", b"Content-Type: a/b;;=;" + b"x" * 500),))
    bomb = gzip.compress(b" " * 50_000_000, 9)
    yield Attack("gzip bomb", path, (_post(path, bomb, _JSON, b"Content-Encoding: gzip"),))
    yield Attack("deflate bomb", path, (_post(path, zlib.compress(b"[" * 20_000_000, 9), _JSON, _encoded("deflate")),))
    yield Attack("broken gzip", path, (_post(path, bomb[:100] + b"\x00" * 50, _JSON, _encoded("gzip")),))
    for coding in ("br", "zstd", "identity, gzip", "none\x00"):
        yield Attack(f"coding {coding!r}", path, (_post(path, dice.randbytes(60), _JSON, _encoded(coding)),))


def _encoded(coding: str) -> bytes:
    return b"Content-Encoding: " + coding.encode()


def _texts(dice: random.Random) -> dict[str, str]:
    return {
        "NUL": "alcohol\x00 in the UK",
        "lone surrogate": "alcohol \ud800 in the UK",
        "bidirectional": "\u202ealcohol\u2066 in \u200bthe UK",
        "combining": "a" + "\u0301" * 1_500,
        "one word": "x" * 2_000,
        "spaces": " " * 2_000 + "alcohol",
        "many places": " and ".join(
            ("France", "Germany", "Texas", "UK", "Georgia")[number % 5] for number in range(250)
        ),
        "many days": "alcohol " + "as of 31 February 0000 since 99/99/9999 " * 40,
        "numbers": "1" * 1_900,
        "patterns": "(a+)+$ " + "a" * 500 + "!" + "'\"--;DROP TABLE {{7*7}} ${jndi:x} %s%n" * 10,
        "wide": "広告 🍷 ﷽ " * 150,
        "letters": "".join(
            chr(dice.choice((dice.randint(1, 0x2FFF), dice.randint(0x1F000, 0x1FAFF)))) for _ in range(400)
        ),
    }


def _of_framing(dice: random.Random) -> Iterator[Attack]:
    """Where a request ends is told wrongly."""
    path = dice.choice(POSTS)
    line = b"POST %b HTTP/1.1\r\nHost: 127.0.0.1\r\n%b\r\n" % (path.encode(), _JSON)
    body = b'{"%b": "x"}' % _FIELD[path].encode()
    chunked = line + b"Transfer-Encoding: chunked\r\n"
    for name, tail in {
        "chunk size is no number": b"\r\nZZ\r\n%b\r\n0\r\n\r\n" % body,
        "negative chunk size": b"\r\n-5\r\n%b\r\n0\r\n\r\n" % body,
        "huge chunk size": b"\r\n%b\r\n%b\r\n0\r\n\r\n" % (b"F" * 40, body),
        "chunk shorter than told": b"\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body) - 3, body),
        "long chunk extension": b"\r\n%x;%b\r\n%b\r\n0\r\n\r\n" % (len(body), b"a=b;" * 20_000, body),
        "trailers": b"\r\n%x\r\n%b\r\n0\r\n%b\r\n" % (len(body), body, b"X-A: b\r\n" * 5_000),
        "chunked and length": b"Content-Length: 3\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body),
        "chunked twice": b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body),
        "bare line feeds": b"\n%x\n%b\n0\n\n" % (len(body), body),
    }.items():
        yield Attack(name, path, (chunked + tail,), is_request=name != "bare line feeds", never_ends=True)
    for name, header in {
        "no length": b"",
        "negative length": b"Content-Length: -1\r\n",
        "length is no number": b"Content-Length: 1e3\r\n",
        "endless length": b"Content-Length: %b\r\n" % (b"9" * 40),
        "two lengths": b"Content-Length: 2\r\nContent-Length: 20\r\n",
        "unknown coding": b"Transfer-Encoding: snail\r\n",
        "expects": b"Content-Length: 2\r\nExpect: 200-maybe\r\n",
        "upgrades": b"Content-Length: 2\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n",
    }.items():
        yield Attack(name, path, (line + header + b"\r\n" + body,), never_ends=True)
    yield Attack("one after another", path, (_post(path, body) * 5,))
    yield Attack("goes away", path, (_post(path, body),), leaves=True)
    yield Attack("goes away in the body", path, (_post(path, body)[:-4],), leaves=True)


def _of_heads(dice: random.Random) -> Iterator[Attack]:
    """First lines and headers that are none."""
    route = dice.choice(GETS)
    path = route.encode()
    for name, request in {
        "split header": _get(path, b"X-A: b\r\nSet-Cookie: c=d"),
        "line feed in a header": _get(path, b"X-A: b\nX-C: d"),
        "NUL in a header": _get(path, b"X-A: \x00"),
        "header without colon": _get(path, b"nonsense"),
        "folded header": _get(path, b"X-A: b\r\n  c"),
        "header in Latin": _get(path, b"X-A: \xe9\xff"),
        "space before colon": _get(path, b"X-A : b"),
        "long header": _get(path, b"X-A: " + b"b" * 100_000),
        "many headers": _get(path, *(b"X-%d: b" % number for number in range(3_000))),
        "long line": _get(path + b"?q=" + b"x" * 100_000),
        "long query": _get(path + b"?q=" + b"%F0%9F%8D%B7" * 2_000),
        "odd query": _get(path + b"?limit=-" + b"9" * 5_000 + b"&since=0000-00-00&cursor=%00&&&=&a=%zz%ed%a0%80"),
        "broken percents": _get(path + b"/%zz%e%00%ff%c0%af"),
        "raw bytes": _get(path + b"/\xff\xfe\xc3\x28"),
        "dots": _get(b"/static/../../../etc/passwd"),
        "encoded dots": _get(b"/sources/..%2f..%2f%2e%2e%5c"),
        "whole address": _get(b"http://127.0.0.1" + path),
        "another host": _get(b"http://elsewhere.example" + path),
        "two hosts": _get(path, b"Host: elsewhere.example"),
        "odd accept": _get(path, b"Accept: " + b"text/event-stream;q=nan," * 200),
        "odd cookie": _get(path, b"Cookie: " + b'a="\\377";;=;' * 200),
        "odd token": _get(path, b"Authorization: Bearer \xff" + b"x" * 3_000),
        "odd range": _get(path, b"Range: bytes=9-1,-5,a-b", b'If-None-Match: *, W/"x', b"If-Modified-Since: never"),
        "no host": b"GET %b HTTP/1.1\r\n\r\n" % path,
        "old": b"GET %b HTTP/1.0\r\n\r\n" % path,
        "of the future": b"GET %b HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n" % path,
        "no version": b"GET %b\r\n\r\n" % path,
        "unknown method": b"%b %b HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % (b"BREW" * 50, path),
        "for the whole server": b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "tunnel": b"CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "trace": b"TRACE %b HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % path,
        "another method": b"DELETE %b HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % path,
        "encrypted": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + dice.randbytes(200) + b"\r\n\r\n",
        "noise": dice.randbytes(600) + b"\r\n\r\n",
    }.items():
        yield Attack(name, route, (request,), is_request=name not in ("encrypted", "noise", "no version"))


def _of_pages(dice: random.Random) -> Iterator[Attack]:
    """What stands in the address of a page."""
    html = b"Accept: text/html"
    texts = {name: quote(text.encode("utf-8", "surrogatepass")).encode() for name, text in _texts(dice).items()}
    for name, text in texts.items():
        yield Attack(f"page: {name}", "/", (_get(b"/?q=" + text, html),))
        yield Attack(f"fields: {name}", "/", (_get(b"/?q=beer&place=%b&source=%b" % (text[:900], text[:900]), html),))
        yield Attack(f"source: {name}", "/sources/x", (_get(b"/sources/" + text[:2_000], html),))
    for day in (b"0001-01-01", b"9999-12-31", b"-1", b"2026-02-30", b"%00"):
        yield Attack("day of a page", "/", (_get(b"/?q=what+changed+in+alcohol&as_of=" + day, html),))
    yield Attack("labels", "/", (_get(b"/?q=beer" + b"&label=a:b" * 2_000, html),))
    span = b"from=%b&to=-1&chunk=%%00" % (b"9" * 12)
    yield Attack("span", "/sources/x", (_get(b"/sources/x?" + span, html),))


def _slow(dice: random.Random) -> Iterator[Attack]:
    """What comes in drops, or stops in the middle."""
    path = dice.choice(POSTS)
    body = b'{"%b": "alcohol in the UK"}' % _FIELD[path].encode()
    head, whole = _post(path, body)[: -len(body)], tuple(bytes([each]) for each in body)
    yield Attack("slow body", path, (head, *whole), pause=_PAUSE, never_ends=True)
    yield Attack("body stops", path, (head + body[:5],), never_ends=True)
    chunked = b"POST %b HTTP/1.1\r\nHost: 127.0.0.1\r\n%b\r\nTransfer-Encoding: chunked\r\n\r\n" % (
        path.encode(),
        _JSON,
    )
    yield Attack("chunks stop", path, (chunked + b"3\r\n{ \r\n",), never_ends=True)
    yield Attack("headers stop", path, (head[:40],), never_ends=True, is_request=False, leaves=True)
    stream = _post(POSTS[0], b'{"question": "alcohol in the UK"}', _JSON, b"Accept: text/event-stream")
    yield Attack("leaves a stream", POSTS[0], (stream,), leaves=True)
    yield Attack("slow headers", path, (*(head[at : at + 20] for at in range(0, len(head), 20)), body), pause=0.1)
