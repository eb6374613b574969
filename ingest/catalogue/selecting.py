"""Pages of which the catalogue says what is their text."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from ingest.parsers.encoding import decode
from ingest.ports import Discovered, RawDocument, Source, SourceDefaults
from rag_core.errors import Rejected


@dataclass(frozen=True, slots=True)
class Selection:
    """CSS selectors: `content` for what of a page is its text (None: all of it), `drop` for what in it is not."""

    content: str | None = None
    drop: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """Tells revisions apart that were selected differently."""
        return hashlib.sha256("\0".join([self.content or "", *self.drop]).encode()).hexdigest()[:8]


def check_selector(selector: str) -> str:
    """`selector`, if it is one. Raises ValueError."""
    try:
        LexborHTMLParser("<p>").css(selector)
    except (SelectolaxError, ValueError) as error:
        raise ValueError(f"{selector!r} is no CSS selector") from error
    return selector


class SelectedPages:
    """`ingest.ports.Source`: another one, its HTML narrowed to the selection; the head stays, as it says what the page
    is. What is kept and compared are the bytes of the selection, so that a new menu makes no new version.

    Fetching raises Rejected("selector_matches_nothing", selector=..., url=...) as well: a page with another layout is
    shown as a failure, never read with its menus. And what `encoding.decode` raises.
    """

    def __init__(self, pages: Source, selection: Selection) -> None:
        self._pages = pages
        self._selection = selection

    @property
    def source_id(self) -> str:
        return self._pages.source_id

    @property
    def defaults(self) -> SourceDefaults:
        return self._pages.defaults

    async def discover(self) -> Sequence[Discovered]:
        return [replace(item, revision=self._marked(item.revision)) for item in await self._pages.discover()]

    async def fetch(self, item: Discovered, known_revision: str | None = None) -> RawDocument | None:
        plain = replace(item, revision=self._plain(item.revision))
        raw = await self._pages.fetch(plain, self._plain(known_revision))
        if raw is None:
            return None
        raw = replace(raw, revision=self._marked(raw.revision))
        kind, _, charset = raw.mime_type.partition(";")
        if kind != "text/html":
            return raw
        content = await asyncio.to_thread(self._selected, raw, charset.partition("=")[2].strip() or None)
        return replace(raw, content=content, mime_type="text/html; charset=utf-8")

    async def aclose(self) -> None:
        await self._pages.aclose()

    def _selected(self, raw: RawDocument, charset: str | None) -> bytes:
        page = LexborHTMLParser(decode(raw.content, charset).text)
        for selector in self._selection.drop:
            for node in page.css(selector):
                node.decompose()
        wanted = page.css(self._selection.content) if self._selection.content else page.css("body")
        if not any(node.text(strip=True) for node in wanted):
            raise Rejected("selector_matches_nothing", selector=self._selection.content or "body", url=raw.origin)
        outermost = [node for node in wanted if not _lies_in(node, wanted)]
        head = page.head.html if page.head is not None else ""
        body = "\n".join(node.html or "" for node in outermost)
        return f"<!doctype html><html>{head}<body><main>{body}</main></body></html>".encode()

    def _marked(self, revision: str | None) -> str | None:
        return None if revision is None else f"{revision} selected {self._selection.mark}"

    def _plain(self, revision: str | None) -> str | None:
        """The other source's own revision; None where it was selected differently: it has to be read anew then."""
        suffix = f" selected {self._selection.mark}"
        return revision.removesuffix(suffix) if revision is not None and revision.endswith(suffix) else None


def _lies_in(node: LexborNode, others: Sequence[LexborNode]) -> bool:
    around = node.parent
    while around is not None:
        if around in others:
            return True
        around = around.parent
    return False
