"""The fetcher against a server on loopback."""

import asyncio
import gzip
import ssl
import time
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import unused_port

from ingest.fetching.answers import Fetched
from ingest.fetching.fetcher import Fetcher, user_agent
from rag_core.errors import Rejected, Unavailable
from tests.fakes.certificates import certificates
from tests.fakes.names import FakeNames
from tests.fakes.site import (
    NOW,
    QUICK,
    FakeSite,
    fetching,
    in_turn,
    redirect,
    serving_site,
    status,
    unblocked_loop,
    versioned,
)


@pytest.fixture
async def site() -> AsyncIterator[FakeSite]:
    async with serving_site() as served:
        yield served


@pytest.fixture(autouse=True)
def nothing_blocks(site: FakeSite) -> Iterator[None]:
    with unblocked_loop():
        yield


@pytest.fixture
async def fetcher() -> AsyncIterator[Fetcher]:
    async with fetching(now=lambda: NOW) as made:
        yield made


async def got(fetcher: Fetcher, url: str, known_revision: str | None = None) -> Fetched:
    page = await fetcher.get(url, known_revision)
    assert page is not None
    return page


async def test_a_page(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/a"] = status(200, "grün".encode("latin-1"), "Text/HTML; charset=ISO-8859-1", X_Robots_Tag="noindex")

    page = await got(fetcher, site.at("/a#part"))

    assert (page.url, page.content, page.mime_type) == (site.at("/a"), b"gr\xfcn", "text/html")
    assert (page.charset or "").lower() == "iso-8859-1"
    assert page.headers["x-robots-tag"] == "noindex"
    assert page.revision is None
    assert site.requests[0].headers["User-Agent"] == fetcher.agent


def test_the_agent_names_whom_to_ask() -> None:
    assert user_agent("https://acme.example/bot") == "adpolicy/1.0 (+https://acme.example/bot)"
    assert user_agent() == "adpolicy/1.0"


@pytest.mark.parametrize("kind", [{"etag": '"a b"'}, {"modified": "Mon, 01 Jun 2026 10:00:00 GMT"}])
async def test_what_did_not_change_is_not_sent_again(site: FakeSite, fetcher: Fetcher, kind: dict[str, str]) -> None:
    site.pages["/a"] = versioned("<p>a", **kind)

    first = await got(fetcher, site.at("/a"))

    assert await fetcher.get(site.at("/a"), first.revision) is None
    site.pages["/a"] = versioned("<p>b", etag='"new"')
    assert (await got(fetcher, site.at("/a"), first.revision)).content == b"<p>b"
    assert (await got(fetcher, site.at("/a"), "lastmod 2026-06-01")).content == b"<p>b"


async def test_what_is_known_of_one_address_says_nothing_of_another(site: FakeSite, fetcher: Fetcher) -> None:
    """The old page now leads to an older one, which of course was "not modified since"."""
    day = "Mon, 01 Jun 2026 10:00:00 GMT"
    site.pages["/old"] = versioned("<p>rules", modified=day)
    known = (await got(fetcher, site.at("/old"))).revision
    site.pages |= {"/old": redirect("/other"), "/other": versioned("<p>other", modified=day)}

    assert (await got(fetcher, site.at("/old"), known)).content == b"<p>other"


@pytest.mark.parametrize("value", ['"é"', '"' + "a" * 2_000 + '"'])
async def test_what_cannot_be_stored_or_sent_back_is_no_revision(site: FakeSite, fetcher: Fetcher, value: str) -> None:
    site.pages["/a"] = versioned("<p>a", etag=value)

    assert (await got(fetcher, site.at("/a"))).revision is None


async def test_not_modified_without_being_asked_is_no_answer(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/a"] = status(304)

    with pytest.raises(Unavailable, match="source_answer_broken"):
        await fetcher.get(site.at("/a"))


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_redirects_are_followed(site: FakeSite, fetcher: Fetcher, code: int) -> None:
    site.pages |= {"/a": redirect("../b?x=1", code), "/b?x=1": "<p>b"}

    assert (await got(fetcher, site.at("/a"))).url == site.at("/b?x=1")


async def test_an_endless_redirect_ends(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/a"] = redirect("/a")

    with pytest.raises(Rejected, match="redirect_too_many"):
        await fetcher.get(site.at("/a"))
    assert len(site.requests) == 6


async def test_five_redirects_are_followed(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {f"/{number}": redirect(f"/{number + 1}") for number in range(5)} | {"/5": "<p>end"}

    assert (await got(fetcher, site.at("/0"))).content == b"<p>end"


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("ftp://acme.example/", "url_scheme_unknown"),
        ("file:///etc/passwd", "url_scheme_unknown"),
        ("http://me:secret@acme.example/", "url_has_credentials"),
        ("http://[::1/", "redirect_unusable"),
        (f"http://{'a' * 64}.example/", "url_invalid"),
    ],
)
async def test_redirects_that_lead_nowhere(site: FakeSite, fetcher: Fetcher, location: str, code: str) -> None:
    site.pages |= {"/a": redirect(location), "/b": status(302)}

    with pytest.raises(Rejected, match=code):
        await fetcher.get(site.at("/a"))
    with pytest.raises(Rejected, match="redirect_unusable"):
        await fetcher.get(site.at("/b"))


async def test_headers_for_one_host_do_not_go_to_another(site: FakeSite, fetcher: Fetcher) -> None:
    async with serving_site() as other:
        other.pages["/"] = "<p>other"
        site.pages |= {"/a": redirect("/b"), "/b": redirect(other.at("/"))}
        await fetcher.get(site.at("/a"), headers={"Api-Key": "secret"})

    assert [request.headers.get("Api-Key") for request in site.requests] == ["secret", "secret"]
    assert "Api-Key" not in other.requests[0].headers


def contexts(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's, and that of a client who trusts its authority."""
    files = certificates(folder)
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(files.certificate, files.key)
    return server, ssl.create_default_context(cafile=files.authority)


async def test_https_never_falls_back_to_http(site: FakeSite, tmp_path: Path) -> None:
    server, trusting = await asyncio.to_thread(contexts, tmp_path)
    async with serving_site(server) as safe, fetching(tls=trusting) as fetcher:
        safe.pages |= {"/a": redirect(site.at("/b")), "/c": "<p>safe"}
        site.pages |= {"/b": "<p>open", "/up": redirect(safe.at("/c"))}

        with pytest.raises(Rejected, match="redirect_downgrade"):
            await fetcher.get(safe.at("/a"))
        assert (await got(fetcher, site.at("/up"))).content == b"<p>safe"
    assert site.asked == ["/up"]


async def test_a_certificate_that_nobody_signed(tmp_path: Path, fetcher: Fetcher) -> None:
    server, _ = await asyncio.to_thread(contexts, tmp_path)
    async with serving_site(server) as safe:
        safe.pages["/"] = "<p>a"
        with pytest.raises(Unavailable, match="source_tls") as raised:
            await fetcher.get(safe.at("/"))

    assert raised.value.details == {"host": "127.0.0.1"}
    assert safe.requests == []


async def test_tls_where_there_is_none(site: FakeSite, fetcher: Fetcher) -> None:
    with pytest.raises(Unavailable, match="source_tls"):
        await fetcher.get(site.at("/").replace("http:", "https:"))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (404, "document_gone"),
        (410, "document_gone"),
        (401, "document_forbidden"),
        (403, "document_forbidden"),
        (400, "document_refused"),
        (451, "document_refused"),
    ],
)
async def test_what_can_never_be_read_is_asked_for_once(
    site: FakeSite, fetcher: Fetcher, code: int, expected: str
) -> None:
    site.pages["/a"] = status(code)

    with pytest.raises(Rejected, match=expected) as raised:
        await fetcher.get(site.at("/a"))

    assert raised.value.details == {"host": "127.0.0.1", "status": code}
    assert len(site.requests) == 1


@pytest.mark.parametrize(
    ("code", "expected"), [(500, "source_error"), (502, "source_error"), (503, "source_busy"), (429, "source_busy")]
)
async def test_troubles_are_tried_again(site: FakeSite, fetcher: Fetcher, code: int, expected: str) -> None:
    site.pages |= {"/a": in_turn(status(code), status(code), status(200, "<p>a")), "/b": status(code)}

    assert (await got(fetcher, site.at("/a"))).content == b"<p>a"
    assert len(site.requests) == 3
    with pytest.raises(Unavailable, match=expected):
        await fetcher.get(site.at("/b"))
    assert len(site.requests) == 7


@pytest.mark.parametrize("code", [429, 503])
@pytest.mark.parametrize("as_date", [False, True])
async def test_retry_after_is_waited_for(site: FakeSite, fetcher: Fetcher, code: int, as_date: bool) -> None:
    after = format_datetime(NOW + timedelta(seconds=1), usegmt=True) if as_date else "1"
    site.pages["/a"] = in_turn(status(code, Retry_After=after), status(200, "<p>a"))
    began = time.monotonic()

    await got(fetcher, site.at("/a"))

    assert 1.0 <= time.monotonic() - began < 10


async def test_who_asks_for_too_much_patience_is_not_asked_again(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/a"] = status(429, Retry_After="3600")

    with pytest.raises(Unavailable, match="source_busy") as raised:
        await fetcher.get(site.at("/a"))

    assert raised.value.details["retry_after"] == 3600.0
    assert len(site.requests) == 1


async def test_a_retry_after_that_nobody_understands(site: FakeSite, fetcher: Fetcher) -> None:
    beyond = f"Wed, 21 Oct 2015 07:28:{'9' * 20} GMT"  # a number that no clock holds
    answers = [status(429, Retry_After="soon"), status(503, Retry_After="-5"), status(503, Retry_After=beyond)]
    site.pages["/a"] = in_turn(*answers, status(200, "<p>a"))

    assert (await got(fetcher, site.at("/a"))).content == b"<p>a"


async def slow_body(request: web.Request) -> web.StreamResponse:
    """A byte now and then, without end."""
    response = web.StreamResponse()
    await response.prepare(request)
    for _ in range(200):
        await response.write(b".")
        await asyncio.sleep(0.05)
    return response


async def test_a_slow_body_is_given_up(site: FakeSite) -> None:
    site.pages["/a"] = slow_body
    began = time.monotonic()
    async with fetching(limits=replace(QUICK, total_seconds=0.4, attempts=2)) as fetcher:
        with pytest.raises(Unavailable, match="source_timeout") as raised:
            await fetcher.get(site.at("/a"))

    assert raised.value.details == {"host": "127.0.0.1"}
    assert time.monotonic() - began < 8
    assert len(site.requests) == 2


async def test_who_does_not_answer(fetcher: Fetcher) -> None:
    with pytest.raises(Unavailable, match="source_unreachable"):
        await fetcher.get(f"http://127.0.0.1:{unused_port()}/")
    async with fetching(resolver=FakeNames({})) as nameless:
        with pytest.raises(Unavailable, match="source_unreachable"):
            await nameless.get("http://acme.example/")


async def broken_off(request: web.Request) -> web.StreamResponse:
    """Promises more than it sends."""
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b"half")
    assert request.transport is not None
    request.transport.close()
    return response


async def test_half_a_page_is_none(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/a"] = broken_off

    with pytest.raises(Unavailable, match="source_answer_broken"):
        await fetcher.get(site.at("/a"))


async def endless(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    for _ in range(1000):
        await response.write(b"x" * 65536)
    return response


async def test_a_page_that_is_too_large(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {
        "/endless": endless,
        "/stated": status(200, b"x" * 1_000_001),
        "/fits": status(200, b"x" * 1_000_000),
    }

    for path in ("/endless", "/stated"):
        with pytest.raises(Rejected, match="page_too_large"):
            await fetcher.get(site.at(path))
    assert len((await got(fetcher, site.at("/fits"))).content) == 1_000_000


def bomb(mebibytes: int) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    piece = b"\0" * 1024 * 1024
    return b"".join([packer.compress(piece) for _ in range(mebibytes)] + [packer.flush()])


async def test_a_gzip_bomb_is_not_unpacked(site: FakeSite, fetcher: Fetcher) -> None:
    packed = bomb(200)
    assert len(packed) < 300_000
    site.pages["/a"] = status(200, packed, "text/html", Content_Encoding="gzip")

    tracemalloc.start()
    with pytest.raises(Rejected, match="page_too_large"):
        await fetcher.get(site.at("/a"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 10 * 1024 * 1024


async def test_compressed_pages_are_unpacked(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {
        "/gzip": status(200, gzip.compress(b"<p>a"), Content_Encoding="gzip"),
        "/broken": status(200, b"no gzip at all", Content_Encoding="gzip"),
    }

    assert (await got(fetcher, site.at("/gzip"))).content == b"<p>a"
    with pytest.raises(Unavailable, match="source_answer_broken"):
        await fetcher.get(site.at("/broken"))


async def test_cookies_are_not_kept(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/a"] = status(200, "<p>a", Set_Cookie="id=1")

    named = site.at("/a").replace("127.0.0.1", "localhost")  # no jar keeps cookies of bare addresses
    await got(fetcher, named)
    await got(fetcher, named)

    assert "Cookie" not in site.requests[1].headers


async def test_requests_to_a_host_keep_their_distance(site: FakeSite) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    site.pages |= {"/a": "<p>a", "/r": redirect("/a")}
    async with fetching(limits=replace(QUICK, interval_seconds=2), clock=lambda: 50.0, sleep=sleep) as fetcher:
        await fetcher.get(site.at("/a"), interval_seconds=7)
        await fetcher.get(site.at("/r"))

    assert slept == [7.0, 9.0]
