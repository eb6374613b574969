"""Sitemaps (sitemaps.org): XML or plain text, an index of others, gzipped or not."""

import asyncio
import zlib
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from yarl import URL

from ingest.sources.crawling import WebPages
from rag_core.errors import Rejected

MOST_BYTES = 50 * 1024 * 1024  # sitemaps.org: a sitemap has at most 50 MB
_GZIP = b"\x1f\x8b"


@dataclass(slots=True)
class Sitemap:
    """`pages`: address -> lastmod as written, "" where it names none. `sitemaps`: addresses of further ones."""

    pages: dict[str, str] = field(default_factory=dict)
    sitemaps: list[str] = field(default_factory=list)


def read_sitemap(content: bytes, url: str) -> Sitemap:
    """The sitemap that is at `url`. Raises Rejected: "sitemap_unreadable" with url and problem, "page_too_large"."""
    try:
        plain = _unpacked(content) if content.startswith(_GZIP) else content
        if plain.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
            return _Reading().read(plain)
    except (zlib.error, expat.ExpatError) as error:
        raise Rejected("sitemap_unreadable", url=url, problem=str(error)) from error
    lines = plain.decode("utf-8-sig", "replace").split()
    return Sitemap({line: "" for line in lines if line.startswith(("http://", "https://"))})


def _unpacked(content: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    plain = unpacker.decompress(content, MOST_BYTES + 1)
    if len(plain) > MOST_BYTES:
        raise Rejected("page_too_large", most=MOST_BYTES)
    if not unpacker.eof:
        raise zlib.error("it ends too early")
    return plain


class _Reading:
    """Collects `loc` and `lastmod` of each `url` or `sitemap` element; those of other namespaces (image:loc) have a
    prefix and are passed over."""

    def __init__(self) -> None:
        self.found = Sitemap()
        self._entry: dict[str, str] = {}
        self._open: list[str] = []

    def read(self, content: bytes) -> Sitemap:
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = _refuse_entities
        parser.Parse(content, True)
        if not self._is_sitemap:
            raise expat.ExpatError("it is no sitemap")
        return self.found

    _is_sitemap = False

    def _start(self, name: str, _attributes: dict[str, str]) -> None:
        if not self._open:
            self._is_sitemap = name in ("urlset", "sitemapindex")
        if name in ("url", "sitemap"):
            self._entry = {}
        self._open.append(name)

    def _text(self, text: str) -> None:
        if self._open[-1] in ("loc", "lastmod"):
            self._entry[self._open[-1]] = self._entry.get(self._open[-1], "") + text

    def _end(self, name: str) -> None:
        self._open.pop()
        address = self._entry.get("loc", "").strip()
        if name == "url" and address:
            self.found.pages[address] = self._entry.get("lastmod", "").strip()
        if name == "sitemap" and address:
            self.found.sitemaps.append(address)


def _refuse_entities(*_declared: object) -> None:
    """Entities within entities make gigabytes out of a line."""
    raise expat.ExpatError("it declares entities")


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
