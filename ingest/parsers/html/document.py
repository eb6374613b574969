"""Tabs of a page: their labels stand apart from what they show."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ingest.parsers.broken_lines import words_made_whole
from ingest.parsers.encoding import decode, visible
from ingest.parsers.html.breaks import marked_rows
from ingest.parsers.html.hidden import unclosed
from ingest.parsers.html.main import main_content
from ingest.parsers.html.tables import is_layout, table_pieces
from ingest.parsers.outline import settle
from ingest.parsers.page_lines import OpenList, PageLines
from ingest.parsers.parsed import ParsedDocument, Piece, title_of
from ingest.parsers.runs import Break, Run, line_of, lines_of, raised
from rag_core.errors import Rejected
from rag_core.layout import BlockKind, collapse


def tab_labels(main: LexborNode, text_of: Callable[[LexborNode], str]) -> dict[str, str]:
    """The label of each panel by its id, for tabs that name a panel which is there."""
    panels = {node.attributes.get("id") for node in main.css("[role=tabpanel][id]")}
    labels: dict[str, str] = {}
    for tab in main.css("[role=tab][aria-controls]"):
        panel = tab.attributes.get("aria-controls")
        if panel and panel in panels:
            labels[panel] = text_of(tab)
    return labels


_META_PREFIX = "adpolicy:"
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre section summary table "
    "tbody td tfoot th thead tr ul".split()
)
_STRONG = frozenset({"b", "strong"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_HOLDS_SECTIONS = "h1, h2, h3, h4, h5, h6, details, table, [aria-expanded]"
_HOLDS_BLOCKS = f"{_HOLDS_SECTIONS}, p, ul, ol"
_TEXT_BLOCKS = "h1, h2, h3, h4, h5, h6, details, table, p, ul, ol"
_OPENER = re.compile(
    r"(?:accordion|collapsible|expandable|expander|faq)[-_]*(?:item|panel|section|card)?[-_]*"
    r"(?:title|head(?:er|ing)?|trigger|toggle|button|btn|question|summary)(?![a-z])",
    re.IGNORECASE,
)
_SIGN = re.compile(
    r"(?:not?[ -])?(?:allowed|permitted|prohibited|forbidden|restricted|compliant|recommended|eligible)|yes|no|do|"
    r"do not|don[’']t|correct|incorrect|tick|check ?mark|cross(?: ?mark)?|x ?mark|[✅❌✓✔✗✘☑☒🚫]",
    re.IGNORECASE,
)
_DEEPEST = 150
"""Elements within elements: beyond this, what is inside is read as plain text."""
_MOST_NESTED = 5_000
"""Elements within elements: the parser of a page with more takes time by the square of their number."""
_MARKUP = re.compile(
    r"<!--(?:.*?-->|.*)|<(script|style|textarea|title)\b(?:.*?</\1|.*)|<(/?)([a-z][^\s/<>]*)[^<>]*",
    re.DOTALL | re.IGNORECASE,
)
"""Comments, elements whose text is no mark-up, and tags."""
_ENDLESS_TAG = re.compile(r"<([a-z][^\s/<>]*)\s[^<>]{50000,}>", re.IGNORECASE)
"""The parser compares each attribute of an element with all others: 150,000 take it a minute."""
_HOLDS_NONE = frozenset(
    "area base body br caption col colgroup dd dt embed frame head hr html img input li link meta optgroup option p "
    "param rp rt source tbody td tfoot th thead tr track wbr".split()
)
"""Elements that hold nothing, or never one of their own kind without another element between."""
_MOST_TERMS = 50
"""Terms, and the white space between them, that share a definition."""


def parse_html(content: bytes, charset: str | None = None) -> ParsedDocument:
    """The document in the page `content`; `charset`: as the server named it.

    Raises Rejected: see `encoding.decode`; "document_empty" without text; "document_nested_too_deeply".
    """
    decoded = decode(content, charset)
    page = _page(words_made_whole(decoded.text))
    metadata = _metadata(page)
    title, url = _title(page), _canonical(page)
    main = main_content(page)
    blocks, anchors = settle(_Reader().read(main) if main is not None else ())
    if not blocks:
        raise Rejected("document_empty")
    firsts = [block for block in blocks if block.kind is BlockKind.HEADING and block.level == 1]
    title = title_of(blocks) if len(firsts) == 1 else title or title_of(blocks)
    return ParsedDocument(
        blocks, anchors, metadata, {}, title, url, warnings=(*decoded.warnings, *unclosed(decoded.text))
    )


def fragment_pieces(markup: str) -> list[Piece]:
    """The lines of a piece of HTML in a Markdown document. Raises Rejected("document_nested_too_deeply")."""
    page = _page(markup)
    main = main_content(page)
    return _Reader().read(main) if main is not None else []


def _page(markup: str) -> LexborHTMLParser:
    if markup.count("<") > _MOST_NESTED and _is_too_deep(markup):
        raise Rejected("document_nested_too_deeply", most=_MOST_NESTED)
    return LexborHTMLParser(_ENDLESS_TAG.sub(r"<\1>", markup))


def _is_too_deep(markup: str) -> bool:
    """Whether more elements than `_MOST_NESTED` are open at once. An end without a beginning closes nothing, nor does a
    slash at the end of a tag, except in a drawing."""
    opened = Counter[str]()
    depth = 0
    for tag in _MARKUP.finditer(markup):
        name = (tag[3] or "").lower()
        if not name or name in _HOLDS_NONE:
            continue
        if tag[2]:
            if opened[name]:
                opened[name], depth = opened[name] - 1, depth - 1
        elif name in _BLOCKS or not (tag[0].endswith("/") and (opened["svg"] or opened["math"])):
            opened[name], depth = opened[name] + 1, depth + 1
            if depth > _MOST_NESTED:
                return True
    return False


def _metadata(page: LexborHTMLParser) -> dict[str, object]:
    found = [(node.attributes.get("name") or "", node.attributes.get("content")) for node in page.css("meta[name]")]
    return {
        name.removeprefix(_META_PREFIX): value
        for name, value in found
        if name.startswith(_META_PREFIX) and value is not None
    }


def _title(page: LexborHTMLParser) -> str | None:
    node = page.css_first("head > title")
    return collapse(visible(node.text())) or None if node is not None else None


def _canonical(page: LexborHTMLParser) -> str | None:
    node = page.css_first("link[rel=canonical]")
    address = (node.attributes.get("href") or "").strip() if node is not None else ""
    return address if re.match(r"https?://", address) else None


@dataclass(slots=True)
class _Reader:
    """Walks the elements of one page; inline text collects in `runs` until a block begins or ends."""

    page: PageLines = field(default_factory=PageLines)
    runs: list[Run] = field(default_factory=list)
    anchor: str | None = None
    strong: int = 0
    sup: int = 0
    target: str | None = None
    tabs: dict[str, str] = field(default_factory=dict)

    def read(self, node: LexborNode) -> list[Piece]:
        self.tabs = tab_labels(node, _text_of)
        self._children(node, 0)
        self._flush()
        return self.page.pieces

    def _children(self, node: LexborNode, depth: int) -> None:
        for child in node.iter(include_text=True):
            if child.is_text_node:
                self._add(child.text_content or "")
            elif child.is_element_node and depth > _DEEPEST:
                self._add(child.text(separator=" "))
            elif child.is_element_node:
                self._element(child, depth + 1)

    def _element(self, node: LexborNode, depth: int) -> None:
        tag = node.tag or ""
        if tag not in _BLOCKS:
            self._inline(node, tag, depth)
            return
        self._flush()
        self._open_panel(node)
        self._remember_anchor(node)
        if tag in _HEADINGS:
            self._heading(node, int(tag[1]))
        elif node.attributes.get("role") == "heading":
            self._heading(node, min(max(_whole_number(node, "aria-level", 2), 1), 6))
        elif tag == "table" and not is_layout(node):
            self.page.pieces.extend(table_pieces(node, _text_of))
        else:
            self._container(node, tag, depth)
        self._flush()

    def _open_panel(self, node: LexborNode) -> None:
        """The label of a tab stands above what the tab shows."""
        label = self.tabs.pop(node.attributes.get("id") or "", "")
        if label:
            self.runs.append(Run(label, strong=True))
            self._flush()

    def _container(self, node: LexborNode, tag: str, depth: int) -> None:
        match tag:
            case "ul" | "menu":
                self._list(node, OpenList(ordered=False), depth)
            case "ol":
                style = node.attributes.get("type") or "1"
                self._list(node, OpenList(True, _whole_number(node, "start", 1), style=style), depth)
            case "li":
                self._number_item(node)
                self._item(node, _HOLDS_SECTIONS, depth)
            case "dd":
                self._item(node, _HOLDS_BLOCKS, depth)
            case "summary":
                self._emphasised(node, depth)
            case "dt" if _definition_holds_blocks(node):
                self._emphasised(node, depth)
            case _ if _opens(node) and node.css_first(_TEXT_BLOCKS) is None:
                self._emphasised(node, depth)
            case _:
                self._children(node, depth)

    def _list(self, node: LexborNode, kind: OpenList, depth: int) -> None:
        self.page.lists.append(kind)
        self._children(node, depth)
        self.page.lists.pop()

    def _number_item(self, node: LexborNode) -> None:
        if self.page.lists and self.page.lists[-1].ordered:
            self.page.lists[-1].number = _whole_number(node, "value", self.page.lists[-1].number)

    def _item(self, node: LexborNode, holds: str, depth: int) -> None:
        """`holds`: a selector for what makes it a section of its own, an accordion or a card, and no list item."""
        alone = node.tag == "dd" or not self.page.lists
        if alone:
            self.page.lists.append(OpenList(ordered=False))
        self.page.open_item(section=node.css_first(holds) is not None)
        self._children(node, depth)
        self._flush()
        self.page.close_item()
        if alone:
            self.page.lists.pop()

    def _emphasised(self, node: LexborNode, depth: int) -> None:
        """The line that opens an accordion, or a term: a heading if the outline finds that it reads as one."""
        self.strong += 1
        self._children(node, depth)
        self.strong -= 1

    def _heading(self, node: LexborNode, level: int) -> None:
        inner = node.css_first("[id], a[name]")
        named = (inner.attributes.get("id") or inner.attributes.get("name")) if inner is not None else None
        anchor = node.attributes.get("id") or named or self.anchor
        self.anchor = None
        self.page.add(Piece(BlockKind.HEADING, _text_of(node), level, anchor=anchor))

    def _inline(self, node: LexborNode, tag: str, depth: int) -> None:
        if tag == "br":
            self._add(" ", Break.HARD)
            return
        if node.attributes.get("role") == "tab" and (node.attributes.get("aria-controls") or "") in self.tabs:
            return
        if tag == "img":
            self._picture(node)
            return
        if _opens(node) or (tag == "button" and node.attributes.get("aria-controls") is not None):
            self._flush()
            self._emphasised(node, depth)
            self._flush()
            return
        if tag == "button" and node.css_first(_HOLDS_BLOCKS) is None:
            return
        self._remember_anchor(node)
        before, strong = self.target, tag in _STRONG
        address = node.attributes.get("href") or "" if tag == "a" else ""
        self.target = address[1:] if len(address) > 1 and address.startswith("#") else before
        self.strong += strong
        self.sup += tag == "sup"
        self._children(node, depth)
        self.sup -= tag == "sup"
        self.strong -= strong
        self.target = before

    def _picture(self, node: LexborNode) -> None:
        """A sign that decides what the words after it mean; other pictures say nothing that the text does not."""
        words = collapse(visible(node.attributes.get("alt") or ""))
        if _SIGN.fullmatch(words):
            self._add(f" {words}: ")

    def _remember_anchor(self, node: LexborNode) -> None:
        named = node.attributes.get("id") or (node.attributes.get("name") if node.tag == "a" else None)
        if named and not self.runs:
            self.anchor = named

    def _add(self, text: str, breaks: Break = Break.NONE) -> None:
        if text:
            text = raised(text) if self.sup else text
            self.runs.append(Run(text, self.strong > 0, self.target, breaks))

    def _flush(self) -> None:
        runs, self.runs = self.runs, []
        in_item = bool(self.page.items) and not self.page.items[-1].section
        for marker, row in [("", runs)] if in_item else marked_rows(runs):
            if marker and (text := line_of(row).text):
                self.page.add(Piece(BlockKind.ITEM, text, 0, marker))
            elif not marker and (lines := lines_of(row)):
                self.page.add_lines(lines, self.anchor)
                self.anchor = None


def _opens(node: LexborNode) -> bool:
    """Whether it is what people press to see the part of an accordion below it."""
    facts = node.attributes
    if facts.get("aria-expanded") is not None or "collapse" in (facts.get("data-toggle"), facts.get("data-bs-toggle")):
        return True
    return _OPENER.search(facts.get("class") or "") is not None


def _definition_holds_blocks(term: LexborNode) -> bool:
    following = term.next
    for _ in range(_MOST_TERMS):
        if following is None or following.tag == "dd":
            break
        following = following.next
    return following is not None and following.tag == "dd" and following.css_first(_HOLDS_BLOCKS) is not None


def _whole_number(node: LexborNode, name: str, default: int) -> int:
    written = node.attributes.get(name) or ""
    return int(written) if written.isascii() and written.isdigit() and len(written) < 7 else default


def _text_of(node: LexborNode) -> str:
    """All text of an element as one line; lines and items inside it are set apart by a space."""
    return line_of(_runs_of(node, 0)).text


def _runs_of(node: LexborNode, depth: int, sup: bool = False) -> list[Run]:
    runs: list[Run] = []
    sup = sup or node.tag == "sup"
    for child in node.iter(include_text=True):
        if child.is_text_node:
            text = child.text_content or ""
            runs.append(Run(raised(text) if sup else text))
        elif child.is_element_node:
            apart = child.tag in _BLOCKS or child.tag == "br"
            deep = depth > _DEEPEST
            inner = [Run(child.text(separator=" "))] if deep else _runs_of(child, depth + 1, sup)
            if child.tag == "li":
                _end_item(runs)
            runs.extend([Run(" "), *inner, Run(" ")] if apart else inner)
    return runs


def _end_item(runs: list[Run]) -> None:
    """Items in a cell stand on one line: a mark parts them where they end without one."""
    while runs and not runs[-1].text.strip():
        runs.pop()
    if runs:
        runs.append(Run(" " if runs[-1].text.rstrip()[-1] in ".,;:!?" else "; "))
