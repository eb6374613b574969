"""A website: its pages as documents, found by links and sitemaps."""

from collections.abc import Sequence

from yarl import URL

from ingest.fetching.answers import Fetched
from ingest.fetching.fetcher import Fetcher
from ingest.model.document_types import HTML, READ_TYPES, mime_type_of
from ingest.model.names import oldest_first
from ingest.ports import Discovered, RawDocument, SourceDefaults
from ingest.sources.crawling import ANY_TEXT, Crawl, WebPages
from ingest.sources.page_marks import PageMarks
from ingest.sources.robots import Robots
from ingest.sources.sitemaps import listed_pages
from ingest.sources.web_addresses import WebScope, checked_within, page_name
from rag_core.errors import Rejected

_XHTML = "application/xhtml+xml"
_READ = READ_TYPES | {_XHTML}


class WebsiteSource:
    """`ingest.ports.Source`: the pages of a site within `allowed` (see `WebScope`), by canonical address.

    `sitemap`: True for those that robots.txt names, else /sitemap.xml; or their addresses. `follow_links`: every page
    is read when looking, and what it links to; without, only start pages are, and the others when fetched, which asks
    only for what changed. `trust_lastmod`: a page whose sitemap entry keeps its lastmod is not asked for at all; many
    sites forget to change it. More than `most_pages` are an error, as what is left out would look removed.

    The fetcher is shared: who built it closes it. robots.txt is asked in the name of its agent.
    Raises Misconfigured: see `WebScope`.
    """

    def __init__(
        self,
        source_id: str,
        start_urls: Sequence[str],
        allowed: Sequence[str],
        defaults: SourceDefaults,
        fetcher: Fetcher,
        *,
        sitemap: bool | Sequence[str] = True,
        follow_links: bool = True,
        most_pages: int = 500,
        trust_lastmod: bool = False,
    ) -> None:
        self._source_id = source_id
        self._defaults = defaults
        self._sitemap = sitemap
        self._follow_links = follow_links
        self._most_pages = most_pages
        self._trust_lastmod = trust_lastmod
        self._robots = Robots(fetcher)
        self._pages = WebPages(fetcher, self._robots, WebScope(start_urls, allowed))
        self._kept: dict[str, Fetched] = {}
        self._documents: frozenset[str] = frozenset()

    @property
    def source_id(self) -> str:
        return self._source_id

    @property
    def defaults(self) -> SourceDefaults:
        return self._defaults

    async def discover(self) -> Sequence[Discovered]:
        """Raises Unavailable, Rejected: a start page, robots.txt or a named sitemap cannot be read, the site stops
        answering, "source_too_many_pages", "website_empty"."""
        self._robots.forget()
        self._kept = {}
        listed = await listed_pages(self._pages, self._sitemap)
        crawl = Crawl(self._pages, self._follow_links, self._most_pages, self._source_id, _READ)
        await crawl.run(list(listed))
        if not crawl.documents:
            raise Rejected("website_empty", source_id=self._source_id, url=self._pages.scope.starts[0])
        self._kept = crawl.kept
        self._documents = frozenset(crawl.documents)
        return [
            Discovered(address, page_name(address), crawl.documents[address] or self._hint(listed.get(address)))
            for address in oldest_first(list(crawl.documents))
        ]

    def _hint(self, lastmod: str | None) -> str | None:
        return f"lastmod {lastmod}" if self._trust_lastmod and lastmod else None

    async def fetch(self, item: Discovered, known_revision: str | None = None) -> RawDocument | None:
        """Raises Rejected: "robots_forbid", "page_moved_outside", "page_noindex", "document_duplicate" (of: the
        address of the same document), "document_type_unknown", and what `Fetcher.get` raises; Unavailable."""
        page = self._kept.pop(item.origin, None)
        if page is None:
            page = await self._pages.page(item.origin, known_revision)
            if page is None:
                return None
            await self._check(item.origin, page)
        elif page.revision is not None and page.revision == known_revision:
            return None
        revision = item.revision or page.revision
        return RawDocument(item.origin, item.file_name, page.content, _mime_type(page), item.origin, revision=revision)

    async def _check(self, origin: str, page: Fetched) -> None:
        answered = checked_within(self._pages.scope, page.url) if page.url != origin else origin
        marks: PageMarks = await self._pages.marks(page)
        if not marks.is_indexable:
            raise Rejected("page_noindex", url=answered)
        for other in (answered, self._pages.canonical(page, marks)):
            if other != origin and other in self._documents:
                raise Rejected("document_duplicate", of=other)

    async def aclose(self) -> None:
        self._kept = {}


def _mime_type(page: Fetched) -> str:
    """The type with its charset, where the header names one. Raises Rejected("document_type_unknown")."""
    name = URL(page.url).path
    kind = page.mime_type if page.mime_type not in ANY_TEXT else mime_type_of(name) or page.mime_type
    if kind not in _READ:
        raise Rejected("document_type_unknown", mime_type=kind, known=sorted(_READ))
    kind = HTML if kind == _XHTML else kind
    return f"{kind}; charset={page.charset}" if page.charset else kind
