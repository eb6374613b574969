"""A site that shows one page under two addresses, from the site to the store."""

from dataclasses import replace

from ingest.fetching.fetcher import Fetcher
from ingest.model.report import Note
from ingest.sources.website import WebsiteSource
from tests.fakes.site import FakeSite, fetching, page, serving_site
from tests.fakes.sources import ACME_DEFAULTS
from tests.fakes.workshop import Workshop

BEER = "<html><body><main><h1>Beer</h1><p>No ads for beer.</p></main></body></html>"
WINE = BEER.replace("Beer", "Wine").replace("beer", "wine")


def website(site: FakeSite, fetcher: Fetcher, *, once: bool = True) -> WebsiteSource:
    defaults = replace(ACME_DEFAULTS, same_pages_once=once)
    return WebsiteSource("acme-docs", [site.at("/p/")], ["/p/"], defaults, fetcher)


async def live(workshop: Workshop) -> set[str]:
    return {version.document_id for version in await workshop.stored() if version.effective_to is None}


async def test_a_page_under_two_addresses_is_one_document_until_they_differ(workshop: Workshop) -> None:
    async with serving_site() as site, fetching() as fetcher:
        site.pages = {"/p/": page("beer", "/p/beer", "/p/print-beer"), "/p/beer": BEER, "/p/print-beer": BEER}

        first = await workshop.run(website(site, fetcher))
        workshop.wait(1)
        again = await workshop.run(website(site, fetcher))

        assert (
            first.notes
            == again.notes
            == [Note("acme-docs", site.at("/p/print-beer"), "document_duplicate", {"of": site.at("/p/beer")})]
        )
        assert (first.new, again.new, again.unchanged, again.failed) == (2, 0, 2, [])
        assert await live(workshop) == {"acme_p", "acme_beer"}

        site.pages["/p/print-beer"] = WINE
        workshop.wait(1)
        apart = await workshop.run(website(site, fetcher))
        assert (apart.new, apart.notes) == (1, [])
        assert await live(workshop) == {"acme_p", "acme_beer", "acme_print_beer"}

        site.pages["/p/print-beer"] = BEER
        workshop.wait(1)
        together = await workshop.run(website(site, fetcher))
        assert together.removed == 1
        assert await live(workshop) == {"acme_p", "acme_beer"}


async def test_other_sources_may_say_the_same_twice(workshop: Workshop) -> None:
    async with serving_site() as site, fetching() as fetcher:
        site.pages = {"/p/": page("beer", "/p/beer", "/p/print-beer"), "/p/beer": BEER, "/p/print-beer": BEER}
        report = await workshop.run(website(site, fetcher, once=False))
    assert (report.new, report.notes) == (3, [])
