"""Markdown: CommonMark with tables, definition lists and front matter, HTML inside it included."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin

from ingest.parsers import front_matter
from ingest.parsers.broken_lines import footers_apart, words_made_whole
from ingest.parsers.encoding import decode
from ingest.parsers.html.breaks import marked_rows
from ingest.parsers.html.document import fragment_pieces
from ingest.parsers.html.hidden import is_unseen_tag, unclosed
from ingest.parsers.outline import settle
from ingest.parsers.page_lines import OpenList, PageLines
from ingest.parsers.parsed import ParsedDocument, Piece, title_of
from ingest.parsers.runs import Break, Line, Run, line_of, lines_of, raised
from rag_core.errors import Rejected
from rag_core.layout import BlockKind, row_text

_DEEPEST = 60
"""Lists and quotes within others: the parser leaves out what stands in deeper ones."""
_PARSER = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"]).use(deflist_plugin)
_TEMPLATE_TAG = re.compile(r"\{%[^{}\n]*%\}")
"""Liquid and Jinja tags: instructions to a site generator, not words of the policy."""
_TOO_DEEP = re.compile(r"^(?:[ \t]*>){40,}", re.MULTILINE)
"""Quotes within quotes, deeper than the parser goes: it would leave out what they hold."""
_ALERT = re.compile(r"^\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*")
_HEADING_ID = re.compile(r"\s*\{:?\s*(?:#(?P<id>[\w.:-]+)|\.[\w-]+)(?:\s+[#.][\w.:-]+)*\s*\}$")
_TAG = re.compile(r"<(/?)([a-zA-Z][\w-]*)")
_ALONE = re.compile(r"\s*<([a-zA-Z][\w-]*)[^<>]*>\s*")
_ID = re.compile(r"""\b(?:id|name)\s*=\s*["']?([\w.:-]+)""")
_TABLE_START, _TABLE_END = re.compile(r"<table\b", re.IGNORECASE), re.compile(r"</table\b", re.IGNORECASE)
_LONGEST_TABLE = 5_000
"""Tokens."""
_ENDS_HTML = frozenset({"heading_open", "blockquote_close", "list_item_close"})
_UNSEEN_TAGS = frozenset({"script", "style", "template", "title", "del", "s", "strike"})
_STRONG_TAGS = frozenset({"b", "strong"})


def parse_markdown(content: bytes, charset: str | None = None) -> ParsedDocument:
    """The document in `content`; `charset`: as the server named it.

    Raises Rejected: see `encoding.decode` and `front_matter.split`; "document_empty" without text;
    "document_nested_too_deeply".
    """
    decoded = decode(content, charset)
    matter = front_matter.split(decoded.text.replace("\r\n", "\n").replace("\r", "\n"))
    body = footers_apart(words_made_whole(front_matter.with_header_lines_apart(matter.body)))
    tokens = _PARSER.parse(_TOO_DEEP.sub(">", _TEMPLATE_TAG.sub("", body)))
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        raise Rejected("document_nested_too_deeply", most=_DEEPEST)
    blocks, anchors = settle(_Reader().read(tokens))
    if not blocks:
        raise Rejected("document_empty")
    hidden = [each for token in tokens if token.type == "html_block" for each in unclosed(token.content)]
    warnings = (*decoded.warnings, *matter.warnings, *hidden)
    return ParsedDocument(blocks, anchors, matter.values, matter.lines, title_of(blocks), warnings=warnings)


@dataclass(slots=True)
class _Reader:
    """Walks the flat stream of block tokens of one document."""

    page: PageLines = field(default_factory=PageLines)
    heading_level: int = 0
    cells: list[str] | None = None
    """The cells of the table row that is open."""

    def read(self, tokens: Sequence[Token]) -> list[Piece]:
        for token in _whole_tables(tokens):
            match token.type:
                case "inline":
                    self._inline(token)
                case "heading_open":
                    self.heading_level = int(token.tag[1])
                case "heading_close":
                    self.heading_level = 0
                case "fence" | "code_block":
                    self._lines([line_of([Run(token.content)])])
                case "html_block":
                    self._html(token.content)
                case "hr" if len(token.markup) > 4 and " " not in token.markup:
                    self.page.add(Piece(BlockKind.PARAGRAPH, token.markup[1:]))
                case "tr_open" | "tr_close" | "thead_close":
                    self._table(token.type)
                case _:
                    self._list(token)
        return self.page.pieces

    def _list(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open":
                self.page.lists.append(OpenList(ordered=False))
            case "ordered_list_open":
                self.page.lists.append(OpenList(True, int(token.attrGet("start") or 1), token.markup))
            case "bullet_list_close" | "ordered_list_close":
                self.page.lists.pop()
            case "dd_open":
                self.page.lists.append(OpenList(ordered=False))
                self.page.open_item()
            case "dd_close":
                self.page.close_item()
                self.page.lists.pop()
            case "list_item_open":
                self.page.open_item()
            case "list_item_close":
                self.page.close_item()

    def _table(self, event: str) -> None:
        if event == "tr_open":
            self.cells = []
        elif event == "tr_close" and self.cells is not None:
            self.page.add(Piece(BlockKind.ROW, row_text(self.cells)))
            self.cells = None
        elif event == "thead_close" and self.page.pieces:
            self.page.pieces[-1] = replace(self.page.pieces[-1], kind=BlockKind.HEADER_ROW)

    def _inline(self, token: Token) -> None:
        inline = _Inline().read(token.children or ())
        if self.cells is not None:
            self.cells.append(line_of(inline.runs).text)
        elif self.heading_level:
            self._heading(line_of(inline.runs).text, inline.anchor)
        else:
            self._paragraph(inline)

    def _paragraph(self, inline: "_Inline") -> None:
        """Its lines; those that begin with a dot that Markdown does not know are items."""
        anchor = inline.anchor
        for marker, row in [("", inline.runs)] if self.page.items else marked_rows(inline.runs, in_file=True):
            if not marker:
                self._lines(lines_of(row), anchor)
            elif text := line_of(row).text:
                self.page.add(Piece(BlockKind.ITEM, text, 0, marker, anchor=anchor))
            anchor = None

    def _heading(self, text: str, anchor: str | None) -> None:
        if named := _HEADING_ID.search(text):
            text, anchor = text[: named.start()], named["id"] or anchor
        self.page.add(Piece(BlockKind.HEADING, text, self.heading_level, anchor=anchor))

    def _lines(self, lines: Sequence[Line], anchor: str | None = None) -> None:
        shown = [replace(line, text=_ALERT.sub("", line.text)) for line in lines]
        self.page.add_lines([line for line in shown if line.text], anchor)

    def _html(self, markup: str) -> None:
        for piece in fragment_pieces(markup):
            if piece.kind is BlockKind.PARAGRAPH:
                self._lines([Line(piece.text, piece.bold, piece.glued, piece.target)], piece.anchor)
            else:
                self.page.add(piece)


def _whole_tables(tokens: Sequence[Token]) -> Iterator[Token]:
    """`tokens`, but an HTML table is one of them also where empty lines within it end what Markdown takes for HTML, and
    what stands in a hidden element is left out."""
    at = 0
    while at < len(tokens):
        if (end := _hidden_end(tokens, at)) > at:
            at = end + 1
            continue
        end = _table_end(tokens, at)
        if end > at:
            parts = [token.content for token in tokens[at : end + 1] if token.content]
            yield tokens[at].copy(content="\n".join(parts))
        else:
            yield tokens[at]
        at = end + 1


def _table_end(tokens: Sequence[Token], at: int) -> int:
    """The index of the token that closes the table which the one at `at` leaves open; `at` where it opens none."""
    if tokens[at].type != "html_block" or not _leaves_open(tokens[at].content):
        return at
    for end in range(at + 1, min(at + _LONGEST_TABLE, len(tokens))):
        if tokens[end].type in _ENDS_HTML:
            break
        if tokens[end].type == "html_block" and _TABLE_END.search(tokens[end].content):
            return end
    return at


def _hidden_end(tokens: Sequence[Token], at: int) -> int:
    """The index of the token that closes the hidden element which the one at `at` is the opening of; else `at`."""
    opened = _ALONE.fullmatch(tokens[at].content) if tokens[at].type == "html_block" else None
    if opened is None or not is_unseen_tag(opened[0]):
        return at
    tag, depth = re.compile(rf"<(/?){opened[1]}(?![\w-])", re.IGNORECASE), 1
    for end in range(at + 1, min(at + _LONGEST_TABLE, len(tokens))):
        if tokens[end].type == "html_block":
            depth += sum(-1 if found[1] else 1 for found in tag.finditer(tokens[end].content))
            if depth <= 0:
                return end
    return at


def _leaves_open(markup: str) -> bool:
    return len(_TABLE_START.findall(markup)) > len(_TABLE_END.findall(markup))


@dataclass(slots=True)
class _Inline:
    """Walks the inline tokens of one block."""

    runs: list[Run] = field(default_factory=list)
    anchor: str | None = None
    strong: int = 0
    unseen: int = 0
    """Within struck words, and within tags whose content no page shows."""
    hiding: list[str] = field(default_factory=list)
    """The tag that hides what it holds, and those of its name within it."""
    sup: int = 0
    targets: list[str | None] = field(default_factory=list)

    def read(self, tokens: Sequence[Token]) -> "_Inline":
        for token in tokens:
            match token.type:
                case "strong_open" | "strong_close":
                    self.strong += token.nesting
                case "s_open" | "s_close":
                    self.unseen += token.nesting
                case "link_open":
                    self._link(str(token.attrGet("href") or ""))
                case "link_close":
                    self.targets.pop()
                case "html_inline":
                    self._tag(token.content)
                case "softbreak" | "hardbreak":
                    self._add(" ", Break.SOFT if token.type == "softbreak" else Break.HARD)
                case "text" | "code_inline":
                    self._add(token.content)
        return self

    def _add(self, text: str, breaks: Break = Break.NONE) -> None:
        if text and not self.unseen:
            target = self.targets[-1] if self.targets else None
            self.runs.append(Run(raised(text) if self.sup else text, self.strong > 0, target, breaks))

    def _hide(self, name: str, *, closing: bool) -> None:
        if not self.hiding:
            self.hiding, self.unseen = [name], self.unseen + 1
        elif name == self.hiding[0] and not closing:
            self.hiding.append(name)
        elif name == self.hiding[0]:
            self.hiding.pop()
            self.unseen -= not self.hiding

    def _link(self, address: str) -> None:
        fragment = address[1:] if address.startswith("#") else None
        self.targets.append(fragment)
        if fragment and not any(run.text.strip() for run in self.runs):
            self.anchor = self.anchor or fragment

    def _tag(self, markup: str) -> None:
        match = _TAG.match(markup)
        if match is None:
            return
        closing, name = match[1] == "/", match[2].lower()
        if self.hiding or (not closing and is_unseen_tag(markup) and not markup.endswith("/>")):
            self._hide(name, closing=closing)
        if name in _UNSEEN_TAGS:
            self.unseen = max(0, self.unseen + (-1 if closing else 1))
        elif name == "sup":
            self.sup = 0 if closing else 1
        elif name in _STRONG_TAGS:
            self.strong = max(0, self.strong + (-1 if closing else 1))
        elif name == "br":
            self._add(" ", Break.HARD)
        if not closing and (named := _ID.search(markup)):
            self.anchor = self.anchor or named[1]
