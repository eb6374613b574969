"""The pages that a site's sitemaps list."""

import asyncio
from collections import deque
from collections.abc import Sequence

from yarl import URL

from ingest.sources.crawling import WebPages
from ingest.sources.sitemaps import MOST_BYTES, Sitemap, read_sitemap
from rag_core.errors import Rejected

_MOST_SITEMAPS = 50
_NO_SITEMAP = frozenset(
    "document_gone document_forbidden document_refused redirect_too_many redirect_unusable redirect_downgrade "
    "sitemap_unreadable".split()
)


async def listed_pages(pages: WebPages, sitemap: bool | Sequence[str]) -> dict[str, str]:
    """Address -> lastmod ("" where none is said) of the pages within the source that its sitemaps list.

    A sitemap that the operator named must be there; one that the site names, or /sitemap.xml, may be missing or no
    sitemap. Raises Unavailable, as without a sitemap its pages would look removed; Rejected: "sitemap_unreadable",
    "source_too_many_sitemaps", and what fetching a named one raises.
    """
    if sitemap is False:
        return {}
    named = [] if sitemap is True else list(sitemap)
    queue = deque(named or await _usual(pages))
    seen = set(queue)
    found: dict[str, str] = {}
    while queue:
        url = queue.popleft()
        one = await _read(pages, url, is_named=url in named)
        for listed, lastmod in one.pages.items():
            address = pages.scope.address(listed, url)
            if address is not None and pages.scope.holds(address):
                found.setdefault(address, lastmod)
        for further in one.sitemaps:
            if further not in seen:
                seen.add(further)
                queue.append(further)
        if len(seen) > _MOST_SITEMAPS:
            raise Rejected("source_too_many_sitemaps", url=url, most=_MOST_SITEMAPS)
    return found


async def _usual(pages: WebPages) -> list[str]:
    found: dict[str, None] = {}
    for start in pages.scope.starts:
        origin = URL(start).origin()
        for url in await pages.robots.sitemaps(start) or [f"{origin}/sitemap.xml"]:
            found[str(origin.join(URL(url)))] = None
    return list(found)


async def _read(pages: WebPages, url: str, *, is_named: bool) -> Sitemap:
    try:
        answer = await pages.fetcher.get(url, most_bytes=MOST_BYTES)
        if answer is None:
            return Sitemap()
        return await asyncio.to_thread(read_sitemap, answer.content, url)
    except Rejected as error:
        if is_named or error.code not in _NO_SITEMAP:
            raise
        return Sitemap()
