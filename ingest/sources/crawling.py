"""One look at a website: every page that can be reached from where it starts, breadth first."""

import asyncio
from collections import deque
from dataclasses import dataclass, field

from yarl import URL

from ingest.fetching.answers import Fetched
from ingest.fetching.fetcher import Fetcher
from ingest.model.document_types import mime_type_of
from ingest.sources.page_marks import PageMarks, is_page_link, page_marks
from ingest.sources.robots import Robots
from ingest.sources.web_addresses import WebScope
from rag_core.errors import Rejected, Unavailable

_MOST_KEPT = 64 * 1024 * 1024
_FAILURES_IN_A_ROW = 3
"""So many, and a start page is asked again: is it the site that does not answer?"""
_MOST_LOST_SECONDS = 900.0
"""Spent on pages that do not answer. A page takes up to four minutes, and there may be hundreds."""
ANY_TEXT = frozenset({"", "text/plain", "application/octet-stream", "binary/octet-stream"})
"""Types that say nothing: the name decides."""
_MARKED = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(frozen=True, slots=True)
class WebPages:
    """How pages of a source are asked for."""

    fetcher: Fetcher
    robots: Robots
    scope: WebScope

    async def page(self, address: str, known_revision: str | None = None) -> Fetched | None:
        """None: not modified. Raises Rejected("robots_forbid"), also for where it redirects to, and what `Fetcher.get`
        raises."""
        await self._check_robots(address)
        delay = await self.robots.delay(address)
        page = await self.fetcher.get(address, known_revision, interval_seconds=delay)
        answered = self.scope.address(page.url) if page is not None else None
        if answered is not None and answered != address and self.scope.holds(answered):
            await self._check_robots(answered)
        return page

    async def _check_robots(self, address: str) -> None:
        if not await self.robots.allow(address):
            raise Rejected("robots_forbid", url=address)

    async def marks(self, page: Fetched) -> PageMarks:
        if page.mime_type not in _MARKED:
            return PageMarks()
        return await asyncio.to_thread(page_marks, page.content, page.charset, page.headers, self.fetcher.product)

    def canonical(self, page: Fetched, marks: PageMarks) -> str:
        """The address that the page gives as its own, if it belongs to the source; else the one that answered."""
        own = self.scope.address(page.url) or page.url
        stated = self.scope.address(marks.canonical, page.url) if marks.canonical else None
        return stated if stated is not None and self.scope.holds(stated) else own


@dataclass(slots=True)
class Crawl:
    """What a look found. `documents`: canonical addresses of pages, with the revision of those that were fetched, in
    the order found. `kept`: their contents, as many as fit in 64 MB."""

    pages: WebPages
    follow_links: bool
    most_pages: int
    source_id: str
    mime_types: frozenset[str]
    documents: dict[str, str | None] = field(default_factory=dict)
    kept: dict[str, Fetched] = field(default_factory=dict)
    _copies: dict[str, tuple[str, Fetched]] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)
    _queue: deque[str] = field(default_factory=deque)
    _listed: set[str] = field(default_factory=set)
    _failed_in_a_row: int = 0
    _lost_seconds: float = 0.0

    async def run(self, listed: list[str]) -> None:
        """From the start pages and what sitemaps list. Without `follow_links`, only the start pages are fetched.

        Raises Unavailable, Rejected: a start page cannot be read ("start_page_missing", "start_page_moved",
        "start_page_unread"), the site stopped answering, there are more than `most_pages` ("source_too_many_pages").
        """
        self._listed.update(listed)
        for address in self.pages.scope.starts:
            self._add(address)
        for address in listed:
            self._add(address)
        while self._queue:
            address = self._queue.popleft()
            if address in self.pages.scope.starts:
                await self._start(address)
            elif self.follow_links:
                await self._linked(address)
            else:
                self.documents.setdefault(address, None)
        self._list_lonely_copies()

    def _add(self, address: str) -> None:
        if address in self._seen:
            return
        if len(self._seen) >= self.most_pages:
            raise Rejected("source_too_many_pages", source_id=self.source_id, most=self.most_pages)
        self._seen.add(address)
        self._queue.append(address)

    async def _start(self, address: str) -> None:
        try:
            page = await self.pages.page(address)
        except Rejected as error:
            if error.code != "document_gone":
                raise
            raise Rejected("start_page_missing", source_id=self.source_id, url=address) from error
        if page is None:
            return
        is_named = page.mime_type in ANY_TEXT and mime_type_of(URL(page.url).path) is not None
        if self.follow_links and page.mime_type not in self.mime_types and not is_named:
            # its links would be missing, and look removed
            raise Rejected("start_page_unread", source_id=self.source_id, url=address, mime_type=page.mime_type)
        await self._take(address, page, is_start=True)

    async def _linked(self, address: str) -> None:
        """A page that cannot be read now is listed: fetching it says why, and what is stored of it stays. One that is
        gone, or that robots.txt forbids, is none."""
        began = self.pages.fetcher.clock()
        try:
            page = await self.pages.page(address)
        except Rejected as error:
            if error.code not in ("document_gone", "robots_forbid"):
                self.documents.setdefault(address, None)
            return
        except Unavailable:
            self._lost_seconds += self.pages.fetcher.clock() - began
            if self._lost_seconds > _MOST_LOST_SECONDS:
                raise
            self._failed_in_a_row += 1
            if self._failed_in_a_row >= _FAILURES_IN_A_ROW:
                await self.pages.page(self.pages.scope.starts[0])
                self._failed_in_a_row = 0
            self.documents.setdefault(address, None)
            return
        self._failed_in_a_row = 0
        if page is not None:
            await self._take(address, page, is_start=False)

    async def _take(self, address: str, page: Fetched, *, is_start: bool) -> None:
        scope = self.pages.scope
        answered = scope.address(page.url) or page.url
        if not scope.holds(answered) and not (is_start and answered == address):
            if is_start:
                raise Rejected("start_page_moved", source_id=self.source_id, url=answered)
            return
        self._seen.add(answered)
        marks = await self.pages.marks(page)
        if self.follow_links:
            self._follow(marks, page.url)
        if scope.holds(answered) and marks.is_indexable and self._is_document(address, page, is_start=is_start):
            self._list(answered, self.pages.canonical(page, marks), page)

    def _follow(self, marks: PageMarks, url: str) -> None:
        scope = self.pages.scope
        base = scope.address(marks.base, url) if marks.base else None
        for link in marks.links:
            address = scope.address(link, base or url)
            if address is not None and scope.holds(address) and is_page_link(address):
                self._add(address)

    def _is_document(self, address: str, page: Fetched, *, is_start: bool) -> bool:
        """Whatever a link leads to is one only if it can be read; what the site or the operator names always is."""
        return is_start or address in self._listed or page.mime_type in self.mime_types

    def _list(self, answered: str, canonical: str, page: Fetched) -> None:
        if canonical != answered:
            self._copies.setdefault(canonical, (answered, page))
            if self.follow_links or canonical in self._seen:
                self._add(canonical)
                return
        self.documents[answered] = page.revision
        self._keep(answered, page)

    def _keep(self, address: str, page: Fetched) -> None:
        if sum(len(kept.content) for kept in self.kept.values()) + len(page.content) <= _MOST_KEPT:
            self.kept[address] = page

    def _list_lonely_copies(self) -> None:
        """Pages whose canonical address turned out to be no document stand for themselves, one for each address."""
        for canonical, (answered, page) in self._copies.items():
            if canonical not in self.documents and answered not in self.documents:
                self.documents[answered] = page.revision
                self._keep(answered, page)
