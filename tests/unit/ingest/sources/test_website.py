"""The website source against a site on loopback."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest

from ingest.fetching.addresses import is_public
from ingest.fetching.fetcher import Fetcher
from ingest.ports import Discovered
from ingest.sources import crawling
from ingest.sources.website import WebsiteSource
from rag_core.errors import Rejected, Unavailable
from tests.fakes.site import (
    QUICK,
    FakeSite,
    fetching,
    in_turn,
    page,
    redirect,
    serving_site,
    status,
    unblocked_loop,
    versioned,
)
from tests.fakes.sources import ACME_DEFAULTS


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
    async with fetching() as made:
        yield made


def source(
    site: FakeSite, fetcher: Fetcher, *starts: str, allowed: tuple[str, ...] = ("/p/",), **settings: object
) -> WebsiteSource:
    urls = [site.at(start) for start in starts or ("/p/",)]
    return WebsiteSource("acme-web", urls, allowed, ACME_DEFAULTS, fetcher, **settings)  # type: ignore[arg-type]


async def paths(site: FakeSite, website: WebsiteSource) -> list[str]:
    return [item.origin.removeprefix(site.url) for item in await website.discover()]


async def test_links_are_followed_breadth_first_within_the_allowed_paths(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {
        "/p/": page("a", "/p/b#part", "/elsewhere", "https://other.example/p/x", "mailto:ads@acme.example", "logo.png"),
        "/p/a": page("deep/c?utm_source=mail", "b"),
        "/p/b": page("./", "a?gclid=7"),
        "/p/deep/c": page(),
        "/elsewhere": page("/p/unseen"),
    }

    assert await paths(site, source(site, fetcher)) == ["/p/", "/p/a", "/p/b", "/p/deep/c"]
    assert sorted(site.asked) == ["/p/", "/p/a", "/p/b", "/p/deep/c", "/robots.txt", "/sitemap.xml"]


async def test_a_document(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/p/"] = page("alcohol.html")
    site.pages["/p/alcohol.html"] = status(200, "<p>größe", "text/html; charset=utf-8", ETag='"1"')
    website = source(site, fetcher)

    item = (await website.discover())[1]
    raw = await website.fetch(item)

    assert (website.source_id, website.defaults) == ("acme-web", ACME_DEFAULTS)

    assert raw is not None
    assert (item.origin, item.file_name) == (site.at("/p/alcohol.html"), "alcohol.html")
    assert (raw.origin, raw.url, raw.file_name) == (item.origin, item.origin, "alcohol.html")
    assert (raw.content, raw.mime_type) == ("<p>größe".encode(), "text/html; charset=utf-8")
    assert raw.revision is not None
    assert raw.revision == item.revision
    assert site.asked.count("/p/alcohol.html") == 1


async def test_what_did_not_change_is_not_fetched(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/p/"] = page("a")
    site.pages["/p/a"] = versioned("<p>a", etag='"1"')
    website = source(site, fetcher)
    item = (await website.discover())[1]
    first = await website.fetch(item)
    assert first is not None

    assert await website.fetch(item, first.revision) is None
    assert site.requests[-1].headers["If-None-Match"] == '"1"'
    again = (await website.discover())[1]
    assert again.revision == first.revision
    assert await website.fetch(again, first.revision) is None
    site.pages["/p/a"] = versioned("<p>b", etag='"2"')
    changed = await website.fetch(item, first.revision)
    assert changed is not None
    assert changed.content == b"<p>b"


async def test_the_same_page_under_two_addresses_is_one_document(site: FakeSite, fetcher: Fetcher) -> None:
    canonical = '<link rel="canonical" href="/p/alcohol">'
    site.pages |= {
        "/p/": page("old-name", "print?id=1", "alcohol", "alcohol/"),
        "/p/old-name": redirect("/p/alcohol"),
        "/p/print?id=1": page(head=canonical),
        "/p/alcohol": page(head=canonical),
        "/p/alcohol/": page(head=canonical),
    }

    assert await paths(site, source(site, fetcher)) == ["/p/", "/p/alcohol"]


async def test_a_canonical_address_that_leads_nowhere_loses_no_document(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {
        "/p/": page("a", "b", "c", "d"),
        "/p/a": page(head='<link rel="canonical" href="/p/gone">'),
        "/p/b": page(head='<link rel="canonical" href="/p/gone">'),
        "/p/c": page(head='<link rel="canonical" href="https://other.example/p/c">'),
        "/p/d": page(head='<link rel="canonical" href="/">'),
    }

    assert await paths(site, source(site, fetcher)) == ["/p/", "/p/c", "/p/d", "/p/a"]


async def test_two_pages_that_name_each_other(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {
        "/p/": page("a", "b"),
        "/p/a": page(head='<link rel="canonical" href="/p/b">'),
        "/p/b": page(head='<link rel="canonical" href="/p/a">'),
    }

    assert len(await paths(site, source(site, fetcher))) == 2


async def test_noindex_is_respected_and_its_links_are_followed(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {
        "/p/": page("hidden"),
        "/p/hidden": page("a", head='<meta name="robots" content="noindex">'),
        "/p/a": page(),
    }

    assert await paths(site, source(site, fetcher)) == ["/p/", "/p/a"]


async def test_a_start_page_need_not_be_a_document(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {"/": page("/p/a"), "/p/a": page()}

    assert await paths(site, source(site, fetcher, "/")) == ["/p/a"]


async def test_pages_that_fail(site: FakeSite, fetcher: Fetcher) -> None:
    """Gone: no document any more. Anything else: listed, so that what is stored of it stays and fetching says why."""
    site.pages |= {
        "/p/": page("gone", "broken", "secret", "away", "data", "fine"),
        "/p/gone": status(410),
        "/p/broken": status(500),
        "/p/secret": status(403),
        "/p/away": redirect("/elsewhere"),
        "/elsewhere": page(),
        "/p/data": status(200, "{}", "application/json"),
        "/p/fine": page(),
    }
    website = source(site, fetcher)
    items = {item.origin.removeprefix(site.url): item for item in await website.discover()}

    assert list(items) == ["/p/", "/p/broken", "/p/secret", "/p/fine"]
    with pytest.raises(Unavailable, match="source_error"):
        await website.fetch(items["/p/broken"])
    with pytest.raises(Rejected, match="document_forbidden"):
        await website.fetch(items["/p/secret"])


async def test_pages_that_do_not_fit_in_memory_are_fetched_again(
    site: FakeSite, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages |= {"/p/": page("a"), "/p/a": page(title="A")}
    monkeypatch.setattr(crawling, "_MOST_KEPT", 0)
    website = source(site, fetcher)

    raw = await website.fetch((await website.discover())[1])

    assert raw is not None
    assert b"<h1>A" in raw.content
    assert site.asked.count("/p/a") == 2


async def test_a_site_that_stops_answering_removes_nothing(site: FakeSite, fetcher: Fetcher) -> None:
    start = status(200, page("a", "b", "c", "d"), "text/html")
    site.pages["/p/"] = in_turn(start, status(500))
    site.pages |= {f"/p/{name}": status(500) for name in "abcd"}

    with pytest.raises(Unavailable, match="source_error"):
        await source(site, fetcher).discover()
    assert "/p/d" not in site.asked


async def test_pages_that_do_not_answer_take_nothing_with_them(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/p/"] = page(*"abcdefg", "z")
    site.pages |= {f"/p/{name}": status(500) for name in "abcdefg"} | {"/p/z": page()}

    assert await paths(site, source(site, fetcher)) == ["/p/", *(f"/p/{name}" for name in "abcdefg"), "/p/z"]


async def test_pages_that_take_too_long_together_end_the_look(
    site: FakeSite, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crawling, "_MOST_LOST_SECONDS", 0.0)
    site.pages |= {"/p/": page("a", "b"), "/p/a": status(500), "/p/b": page()}

    with pytest.raises(Unavailable, match="source_error"):
        await source(site, fetcher).discover()


@pytest.mark.parametrize(
    ("answer", "error", "code"),
    [
        (status(404), Rejected, "start_page_missing"),
        (status(500), Unavailable, "source_error"),
        (status(403), Rejected, "document_forbidden"),
        (status(429, Retry_After="9999"), Unavailable, "source_busy"),
        (redirect("/p/"), Rejected, "redirect_too_many"),
        (redirect("/welcome"), Rejected, "start_page_moved"),
        (status(200, page(head='<meta name="robots" content="noindex">'), "text/html"), Rejected, "website_empty"),
    ],
)
async def test_a_start_page_that_cannot_be_read(
    site: FakeSite, fetcher: Fetcher, answer: object, error: type[Exception], code: str
) -> None:
    site.pages |= {"/p/": answer, "/welcome": page()}  # type: ignore[dict-item]

    with pytest.raises(error, match=code):
        await source(site, fetcher).discover()


async def test_a_start_page_whose_name_alone_says_what_it_is_is_read(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {"/p/beer.md": status(200, "# Beer", "text/plain"), "/p/data": status(200, "{}", "application/json")}

    assert await paths(site, source(site, fetcher, "/p/beer.md")) == ["/p/beer.md"]
    with pytest.raises(Rejected, match="start_page_unread"):
        await source(site, fetcher, "/p/data").discover()


async def test_too_many_pages_are_an_error(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/p/"] = page(*(f"page-{number}" for number in range(10)))
    site.pages |= {f"/p/page-{number}": page() for number in range(10)}

    assert len(await source(site, fetcher, most_pages=11).discover()) == 11
    with pytest.raises(Rejected, match="source_too_many_pages"):
        await source(site, fetcher, most_pages=10).discover()


async def test_a_calendar_without_end_ends(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {"/p/": page("0")} | {f"/p/{number}": page(str(number + 1)) for number in range(60)}

    with pytest.raises(Rejected, match="source_too_many_pages"):
        await source(site, fetcher, most_pages=20).discover()
    assert len(site.requests) < 25


async def test_types_that_no_parser_reads(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {
        "/p/": page(),
        "/p/data": status(200, "{}", "application/json"),
        "/p/rules.md": status(200, "# Rules", "text/plain; charset=utf-8"),
        "/p/notes.txt": status(200, "Rules", "text/plain"),
        "/p/rules.pdf": status(200, b"%PDF-1.7", "application/pdf"),
        "/p/x": status(200, "<p>x", "application/xhtml+xml"),
        "/p/none": status(200, b"?", ""),
    }
    website = source(site, fetcher, follow_links=False, sitemap=False)
    await website.discover()

    async def kind(path: str) -> str:
        raw = await website.fetch(Discovered(site.at(path), path))
        assert raw is not None
        return raw.mime_type

    assert await kind("/p/rules.md") == "text/markdown; charset=utf-8"
    assert await kind("/p/rules.pdf") == "application/pdf"
    assert await kind("/p/x") == "text/html"
    for path in ("/p/data", "/p/notes.txt", "/p/none"):
        with pytest.raises(Rejected, match="document_type_unknown"):
            await kind(path)


async def test_private_addresses_are_refused_as_everywhere(site: FakeSite) -> None:
    site.pages["/p/"] = page()
    async with fetching(is_public) as fetcher:
        with pytest.raises(Rejected, match="address_not_public"):
            await source(site, fetcher).discover()

    assert site.requests == []


async def test_a_source_does_not_close_the_fetcher_it_shares(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/p/"] = page()
    await source(site, fetcher).aclose()

    assert await paths(site, source(site, fetcher)) == ["/p/"]


async def test_a_busy_site_is_waited_for(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/p/"] = in_turn(status(429, Retry_After="0"), status(503), status(200, page(), "text/html"))

    assert await paths(site, source(site, fetcher)) == ["/p/"]


async def test_a_page_too_large_is_listed_and_refused(site: FakeSite) -> None:
    site.pages |= {"/p/": page("big"), "/p/big": status(200, b"x" * 5000, "text/html")}
    async with fetching(limits=replace(QUICK, most_bytes=2000)) as fetcher:
        website = source(site, fetcher)
        items = await website.discover()
        with pytest.raises(Rejected, match="page_too_large"):
            await website.fetch(items[1])
