"""What robots.txt and sitemaps do to the website source."""

import gzip
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest

from ingest.fetching.fetcher import Fetcher
from ingest.sources.website import WebsiteSource
from rag_core.errors import Rejected, Unavailable
from tests.fakes.site import QUICK, FakeSite, fetching, page, redirect, serving_site, status, unblocked_loop, versioned
from tests.fakes.sources import ACME_DEFAULTS


@pytest.fixture
async def site() -> AsyncIterator[FakeSite]:
    async with serving_site() as served:
        served.pages["/p/"] = page()
        yield served


@pytest.fixture(autouse=True)
def nothing_blocks(site: FakeSite) -> Iterator[None]:
    with unblocked_loop():
        yield


@pytest.fixture
async def fetcher() -> AsyncIterator[Fetcher]:
    async with fetching() as made:
        yield made


def source(site: FakeSite, fetcher: Fetcher, **settings: object) -> WebsiteSource:
    return WebsiteSource("acme-web", [site.at("/p/")], ["/p/"], ACME_DEFAULTS, fetcher, **settings)  # type: ignore[arg-type]


async def paths(site: FakeSite, website: WebsiteSource) -> list[str]:
    return [item.origin.removeprefix(site.url) for item in await website.discover()]


def urlset(site: FakeSite, *listed: str, lastmod: str = "") -> str:
    day = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    return f"<urlset>{''.join(f'<url><loc>{site.at(path)}</loc>{day}</url>' for path in listed)}</urlset>"


def index(site: FakeSite, *listed: str) -> str:
    entries = "".join(f"<sitemap><loc>{site.at(path)}</loc></sitemap>" for path in listed)
    return f"<sitemapindex>{entries}</sitemapindex>"


async def test_robots_keep_us_out(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {
        "/robots.txt": "User-agent: *\nDisallow: /p/private\n\nUser-agent: otherbot\nDisallow: /\n",
        "/p/": page("a", "private/b"),
        "/p/a": page(),
        "/p/private/b": page(),
    }
    website = source(site, fetcher)

    assert await paths(site, website) == ["/p/", "/p/a"]
    assert "/p/private/b" not in site.asked  # and the name in our contact address is not ours


async def test_robots_forbid_where_a_page_redirects_to(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {
        "/robots.txt": "User-agent: *\nDisallow: /p/private\n",
        "/p/": page("a"),
        "/p/a": redirect("/p/private"),
        "/p/private": page(),
    }

    assert await paths(site, source(site, fetcher)) == ["/p/"]


async def test_robots_that_address_us(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/robots.txt"] = "User-agent: adpolicy\nDisallow: /\n\nUser-agent: *\nAllow: /\n"

    with pytest.raises(Rejected, match="robots_forbid"):
        await source(site, fetcher).discover()
    assert "/p/" not in site.asked


@pytest.mark.parametrize("answer", [status(404), status(403), status(400), redirect("/robots.txt")])
async def test_without_robots_everything_is_allowed(site: FakeSite, fetcher: Fetcher, answer: object) -> None:
    site.pages["/robots.txt"] = answer  # type: ignore[assignment]

    assert await paths(site, source(site, fetcher)) == ["/p/"]


async def test_robots_that_fail_allow_nothing(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/robots.txt"] = status(500)

    with pytest.raises(Unavailable, match="robots_unavailable"):
        await source(site, fetcher).discover()
    site.pages["/robots.txt"] = status(503, Retry_After="9999")
    with pytest.raises(Unavailable, match="source_busy"):
        await source(site, fetcher).discover()
    assert "/p/" not in site.asked


async def test_robots_that_cannot_be_read(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/robots.txt"] = redirect("http://me@acme.example/robots.txt")
    with pytest.raises(Rejected, match="url_has_credentials"):
        await source(site, fetcher).discover()
    site.pages["/robots.txt"] = status(200, "User-agent: *\nDisallow: /p/\n".encode("utf-8-sig") + b"#" * 600_000)
    with pytest.raises(Rejected, match="robots_forbid"):
        await source(site, fetcher).discover()


async def test_robots_are_read_anew_for_each_look(site: FakeSite, fetcher: Fetcher) -> None:
    website = source(site, fetcher)
    await website.discover()
    site.pages["/robots.txt"] = "User-agent: *\nDisallow: /\n"

    with pytest.raises(Rejected, match="robots_forbid"):
        await website.discover()


@pytest.mark.parametrize(("asked", "waited"), [("7", 7.0), ("9999", 30.0)])
async def test_the_crawl_delay_is_kept_up_to_a_bound(site: FakeSite, asked: str, waited: float) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    site.pages |= {"/robots.txt": f"User-agent: *\nCrawl-delay: {asked}\n", "/p/": page("a"), "/p/a": page()}
    async with fetching(limits=replace(QUICK, interval_seconds=0), clock=lambda: 0.0, sleep=sleep) as fetcher:
        await source(site, fetcher, sitemap=False).discover()

    assert slept == [waited]


async def test_sitemaps_that_robots_name(site: FakeSite, fetcher: Fetcher) -> None:
    packed = gzip.compress(urlset(site, "/p/c", "/elsewhere").encode())
    site.pages |= {
        "/robots.txt": f"Sitemap: {site.at('/maps/index.xml')}\nSitemap: /maps/more.txt\n",
        "/maps/index.xml": index(site, "/maps/1.xml", "/maps/2.xml.gz", "/maps/index.xml", "/maps/gone.xml"),
        "/maps/1.xml": urlset(site, "/p/a", "/p/b?utm_source=map", "/p/"),
        "/maps/2.xml.gz": status(200, packed, "application/gzip"),
        "/maps/more.txt": status(200, site.at("/p/d"), "text/plain"),
        **{f"/p/{name}": page() for name in "abcd"},
    }

    assert sorted(await paths(site, source(site, fetcher))) == ["/p/", "/p/a", "/p/b", "/p/c", "/p/d"]
    assert "/sitemap.xml" not in site.asked


async def test_the_usual_sitemap_may_be_anything(site: FakeSite, fetcher: Fetcher) -> None:
    for answer in (status(404), status(403), status(200, "<html>Welcome", "text/html"), redirect("/sitemap.xml")):
        site.pages["/sitemap.xml"] = answer
        assert await paths(site, source(site, fetcher)) == ["/p/"]
    site.pages["/sitemap.xml"] = urlset(site, "/p/a")
    site.pages["/p/a"] = page()
    assert await paths(site, source(site, fetcher)) == ["/p/", "/p/a"]
    assert await paths(site, source(site, fetcher, sitemap=False)) == ["/p/"]


async def test_a_sitemap_that_does_not_answer_removes_nothing(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages["/sitemap.xml"] = status(500)

    with pytest.raises(Unavailable, match="source_error"):
        await source(site, fetcher).discover()


async def test_a_sitemap_that_was_named_must_be_one(site: FakeSite, fetcher: Fetcher) -> None:
    named = [site.at("/map.xml")]

    with pytest.raises(Rejected, match="document_gone"):
        await source(site, fetcher, sitemap=named).discover()
    site.pages["/map.xml"] = "<html>Welcome"
    with pytest.raises(Rejected, match="sitemap_unreadable"):
        await source(site, fetcher, sitemap=named).discover()
    site.pages |= {"/map.xml": urlset(site, "/p/a"), "/p/a": page()}
    assert await paths(site, source(site, fetcher, sitemap=named)) == ["/p/", "/p/a"]


async def test_sitemaps_without_end(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {f"/map-{at}.xml": index(site, f"/map-{at + 1}.xml") for at in range(99)}
    site.pages["/sitemap.xml"] = index(site, "/map-0.xml")

    with pytest.raises(Rejected, match="source_too_many_sitemaps"):
        await source(site, fetcher).discover()
    assert len(site.requests) < 60


async def test_without_following_only_changed_pages_are_sent(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {"/sitemap.xml": urlset(site, "/p/a"), "/p/a": versioned(page(), etag='"1"')}
    website = source(site, fetcher, follow_links=False)

    item = (await website.discover())[1]
    assert "/p/a" not in site.asked
    first = await website.fetch(item)
    assert first is not None
    assert first.revision is not None
    assert (item.revision, await website.fetch(item, first.revision)) == (None, None)


async def test_a_start_page_that_is_a_copy_of_a_listed_one(site: FakeSite, fetcher: Fetcher) -> None:
    copy = page(head='<link rel="canonical" href="/p/a">')
    site.pages |= {"/sitemap.xml": urlset(site, "/p/a"), "/p/a": page(), "/p/": copy}

    assert await paths(site, source(site, fetcher, follow_links=False)) == ["/p/a"]
    assert await paths(site, source(site, fetcher, follow_links=False, sitemap=False)) == ["/p/"]


async def test_lastmod_is_believed_only_where_the_operator_says_so(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {"/sitemap.xml": urlset(site, "/p/a", lastmod="2026-05-04"), "/p/a": versioned(page(), etag='"1"')}
    doubting = source(site, fetcher, follow_links=False)
    trusting = source(site, fetcher, follow_links=False, trust_lastmod=True)

    assert (await doubting.discover())[1].revision is None
    item = (await trusting.discover())[1]
    assert item.revision == "lastmod 2026-05-04"
    raw = await trusting.fetch(item)
    assert raw is not None
    assert raw.revision == item.revision


async def test_pages_that_turn_out_to_be_none_when_fetched(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {
        "/sitemap.xml": urlset(site, "/p/a", "/p/copy", "/p/moved", "/p/out", "/p/hidden", "/p/alone"),
        "/p/a": page(),
        "/p/copy": page(head='<link rel="canonical" href="/p/a">'),
        "/p/moved": redirect("/p/a"),
        "/p/out": redirect("/elsewhere"),
        "/elsewhere": page(),
        "/p/hidden": page(head='<meta name="robots" content="noindex">'),
        "/p/alone": page(head='<link rel="canonical" href="/p/unlisted">'),
    }
    website = source(site, fetcher, follow_links=False)
    codes = {}
    for item in await website.discover():
        try:
            await website.fetch(item)
        except Rejected as error:
            codes[item.origin.removeprefix(site.url)] = (error.code, error.details.get("of"))

    assert codes == {
        "/p/copy": ("document_duplicate", site.at("/p/a")),
        "/p/moved": ("document_duplicate", site.at("/p/a")),
        "/p/out": ("page_moved_outside", None),
        "/p/hidden": ("page_noindex", None),
    }


async def test_robots_forbid_a_listed_page(site: FakeSite, fetcher: Fetcher) -> None:
    site.pages |= {
        "/robots.txt": "User-agent: *\nDisallow: /p/a\n",
        "/sitemap.xml": urlset(site, "/p/a"),
        "/p/a": page(),
    }
    website = source(site, fetcher, follow_links=False)
    items = await website.discover()

    with pytest.raises(Rejected, match="robots_forbid"):
        await website.fetch(items[1])
    assert "/p/a" not in site.asked
