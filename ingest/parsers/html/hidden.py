"""Text of a page that no reader ever sees: it is no part of the policy, whoever put it there."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum
from html import unescape

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from ingest.parsers.parsed import ParseWarning

_STYLED = "[style], [hidden]"
_FOR_SCREEN_READERS = ".sr-only, .visually-hidden, .visuallyhidden, .screen-reader-text, .screen-reader-only"
_NAMES_A_PICTURE = 4
"""Words that only screen readers read may say what a picture shows, such as a tick in a table."""
_NEVER_HIDDEN = frozenset({"html", "body", "main", "article"})
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
_ESCAPE = re.compile(r"\\([0-9a-f]{1,5})\s?", re.IGNORECASE)
_RULE = re.compile(r"([^{}]{1,500})\{([^{}]{0,2000})\}")
_SOME_SCREENS = re.compile(
    r"@media(?!\s*(?:only\s+)?(?:screen|all)\s*\{)[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", re.IGNORECASE
)
_STATE = re.compile(r":(?!not\()|[&@]")
"""In a selector: a state such as `:hover`, a part such as `::before`, or a rule within another."""
_MOST_RULES = 2_000
_LENGTH = re.compile(r"(-?(?:\d+\.?\d*|\.\d+))(px|pt|r?em|ex|ch|vw|vh|%)?")
_PIXELS = {"px": 1.0, "": 1.0, "pt": 1.3, "vw": 10.0, "vh": 10.0, "%": 10.0}
"""About; what is not named is as large as a letter, 16."""
_FAR = -999.0
_FAINTEST = 0.05
_LEAST_LETTER = 2
"""Pixels."""
_OUTSIDE = ("left", "top", "right", "bottom", "margin-left", "margin-top", "text-indent")
_MOVED = re.compile(r"translate(?:x|y|3d)?\(([^)]*)\)")
_SHRUNK = re.compile(r"scale(?:x|y|3d)?\(\s*0(?:\.0+)?\s*[,)]")
_CUT = re.compile(r"rect\((?:\s*[01](?:px)?[\s,]*){4}\)")
_CUT_PATH = re.compile(r"inset\(\s*(?:[5-9]\d|1\d\d)(?:\.\d+)?%|circle\(\s*0")
_FAINT = re.compile(r"opacity\(\s*(?:0|0?\.0\d*|[0-5]%)\s*\)")
_CLEAR = re.compile(r"transparent|(?:rgb|hsl)a?\(.*[,/]\s*(?:0|0?\.0+|0%)\s*\)")
_WHITE = re.compile(r"white|#fff(?:fff)?|rgb\(\s*255\s*,\s*255\s*,\s*255\s*\)")
_ANIMATED = frozenset({"transition", "animation", "will-change", "transform"})
"""Beside no opacity: where an element is before a script shows it."""
_MOST_FAINT = 3
"""A third of the text."""
_MOVES = re.compile(r"reveal|fade|anim|aos|motion|wow|lazy|scroll|slid|carousel|swiper|appear", re.IGNORECASE)
_HIDDEN = re.compile(r"\shidden(?=[\s=/>])", re.IGNORECASE)
_STYLE = re.compile(r"""\sstyle\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_OPENS = "[aria-expanded], [aria-controls], [data-toggle], [data-bs-toggle], [data-target], button, summary, [onclick]"
_PANEL = re.compile(
    r"collaps|accord|expand|toggl|tab|panel|pane|drawer|details|disclos|answer|faq|content|body|more|reveal|item",
    re.IGNORECASE,
)
_QUESTIONS = frozenset({"h2", "h3", "h4", "h5", "h6", "dt", "button", "summary", "a"})
_FURTHEST = 3
_POINTERS = ("aria-controls", "href", "data-target", "data-bs-target", "for")
_POINTING = ", ".join(f"[{each}]" for each in _POINTERS)


class _Hides(Enum):
    BOX = "box"
    """What takes no place; a reader may be able to open it."""
    ALL = "all"
    """What stands where nobody sees it, with all that is in it."""
    FAINT = "faint"
    """The same without being seen through; most of a page is so until a script shows it."""
    INK = "ink"
    """Its own letters: what is in it may have others."""


def drop_unseen(page: LexborHTMLParser) -> None:
    """Remove what styles hide and nothing on the page can show; what may be an accordion's or a tab's stays."""
    named = Counter(_names_in(page))
    total = len(page.body.text()) if page.body is not None else 0

    def is_unseen(node: LexborNode, hides: _Hides) -> bool:
        if hides is _Hides.FAINT and _MOST_FAINT * len(node.text()) > total:
            return False
        return _is_unseen(node, hides, named)

    def remove(node: LexborNode) -> None:
        named.subtract(_names_in(node))
        node.decompose()

    for node, hides in _hidden_by_sheets(page):
        if node.parent is not None and is_unseen(node, hides):
            remove(node)
    for node in page.css(_STYLED):
        found = _hidden_by_itself(node) if node.parent is not None else None
        if found is not None and is_unseen(node, found):
            remove(node)
    for node in page.css(_FOR_SCREEN_READERS):
        if node.parent is not None and is_unseen(node, _Hides.ALL) and len(node.text().split()) > _NAMES_A_PICTURE:
            remove(node)


def _hidden_by_itself(node: LexborNode) -> _Hides | None:
    if "hidden" in node.attributes:
        return _Hides.BOX
    style = _declarations(node.attributes.get("style") or "")
    is_white = _WHITE.fullmatch(style.get("color", "")) is not None and _stands_on_white(node)
    return _hides(style) or (_Hides.INK if is_white else None)


def is_unseen_tag(markup: str) -> bool:
    """Whether an opening tag hides what it holds."""
    style = _STYLE.search(markup)
    said = unescape(style[1] or style[2] or "") if style else ""
    return _HIDDEN.search(_STYLE.sub("", markup)) is not None or _hides(_declarations(said)) is not None


def _declarations(style: str) -> dict[str, str]:
    """Values by property, in lower case."""
    read = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), _COMMENT.sub("", style))
    pairs = (each.partition(":") for each in read.lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, _, value in pairs}


def _hides(style: Mapping[str, str]) -> _Hides | None:
    if _has_no_box(style):
        return _Hides.BOX
    if _is_away(style):
        return _Hides.ALL
    if _is_faint(style) and not _ANIMATED & style.keys():
        return _Hides.FAINT
    return _Hides.INK if _is_inkless(style) else None


def _has_no_box(style: Mapping[str, str]) -> bool:
    if style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse"):
        return True
    sizes = [_pixels(style[name]) for name in ("height", "max-height", "width", "max-width") if name in style]
    is_cut = style.get("overflow", "").startswith(("hidden", "clip")) and any(0 <= each <= 1 for each in sizes)
    return is_cut or style.get("content-visibility") == "hidden"


def _is_away(style: Mapping[str, str]) -> bool:
    transform = style.get("transform", "")
    moved = _MOVED.search(transform)
    places = [style[name] for name in _OUTSIDE if name in style] + (moved[1].split(",") if moved else [])
    is_cut = _CUT.search(style.get("clip", "")) or _CUT_PATH.search(style.get("clip-path", ""))
    return any(_pixels(each) <= _FAR for each in places) or bool(_SHRUNK.search(transform) or is_cut)


def _is_faint(style: Mapping[str, str]) -> bool:
    opacity = _LENGTH.fullmatch(style.get("opacity", ""))
    share = float(opacity[1]) / (100 if opacity[2] == "%" else 1) if opacity else 1.0
    return share <= _FAINTEST or _FAINT.search(style.get("filter", "")) is not None


def _is_inkless(style: Mapping[str, str]) -> bool:
    size = style.get("font-size", "")
    if not size and (found := _LENGTH.search(style.get("font", ""))):
        size = found[0]
    color, ground = style.get("color", ""), style.get("background-color") or style.get("background", "")
    is_clear = _CLEAR.fullmatch(style.get("-webkit-text-fill-color") or color) is not None
    both_white = _WHITE.fullmatch(color) is not None and _WHITE.fullmatch(ground) is not None
    return 0 <= _pixels(size) < _LEAST_LETTER or is_clear or both_white or (bool(color) and color == ground)


def _pixels(length: str) -> float:
    """About how many; 16 where no length is named."""
    found = _LENGTH.fullmatch(length.strip())
    return float(found[1]) * _PIXELS.get(found[2] or "", 16.0) if found else 16.0


def _is_unseen(node: LexborNode, hides: _Hides, named: Counter[str]) -> bool:
    if node.tag in _NEVER_HIDDEN:
        return False
    if hides is _Hides.BOX:
        return not _may_open(named, node)
    if hides in (_Hides.ALL, _Hides.FAINT):
        return not _appears(node)
    return _has_own_text(node) or all(each.mem_id == node.mem_id for each in node.css("[style], [class]"))


def _appears(node: LexborNode) -> bool:
    """Whether a script may move it to where it is seen, as pages do that show their parts one by one."""
    names = (
        f"{name} {value}" for name, value in node.attributes.items() if name == "class" or name.startswith("data-")
    )
    return any(_MOVES.search(each) or each.startswith("data-w-id") for each in names)


def _stands_on_white(node: LexborNode) -> bool:
    """Whether nothing around says of which colour the page is there."""
    around: LexborNode | None = node
    while around is not None and around.tag not in ("html", "-undef"):
        style = around.attributes.get("style") or ""
        if {"class", "id", "bgcolor", "background"} & around.attributes.keys() or "background" in style.lower():
            return False
        around = around.parent
    return True


def _hidden_by_sheets(page: LexborHTMLParser) -> list[tuple[LexborNode, _Hides]]:
    """What the page's own style sheets hide, by the rule that counts most for it."""
    sheets = _COMMENT.sub(" ", "\n".join(node.text() for node in page.css("style"))[:200_000])
    rules = [
        (selector.strip(), _declarations(rule[2]))
        for rule in list(_RULE.finditer(_SOME_SCREENS.sub(" ", sheets)))[:_MOST_RULES]
        for selector in rule[1].rpartition(";")[2].split(",")
        if not _STATE.search(selector)
    ]
    if not any(_hides(style) for _, style in rules):
        return []
    last: dict[int, tuple[tuple[int, int, int], LexborNode, _Hides | None]] = {}
    for selector, style in rules:
        hides = _hides(style)
        if hides is None and not {"display", "visibility", "opacity"} & style.keys():
            continue
        weight = _weight(selector)
        for node in _selected(page, selector):
            if node.mem_id not in last or last[node.mem_id][0] <= weight:
                last[node.mem_id] = (weight, node, hides)
    shown = {"display", "visibility", "opacity"}
    return [
        (node, hides)
        for _, node, hides in last.values()
        if hides is not None and not shown & _declarations(node.attributes.get("style") or "").keys()
    ]


def _weight(selector: str) -> tuple[int, int, int]:
    """How much it counts beside others: https://www.w3.org/TR/selectors-4/#specificity, about."""
    return selector.count("#"), len(re.findall(r"[.\[]", selector)), len(re.findall(r"(?:^|[\s>+~])[a-z]", selector))


def _selected(page: LexborHTMLParser, selector: str) -> list[LexborNode]:
    try:
        return page.css(selector)
    except SelectolaxError:
        return []


def _may_open(named: Counter[str], node: LexborNode) -> bool:
    """Whether a reader can have it shown: something names it, stands before it to press, or it is called a panel."""
    name = node.attributes.get("id") or ""
    if node.attributes.get("role") in ("tabpanel", "region") or (name and named[name] > 0):
        return True
    around: LexborNode | None = node
    for _ in range(_FURTHEST):
        if around is None or around.tag in ("body", "main", "article", "html"):
            break
        if _PANEL.search(f"{around.attributes.get('id') or ''} {around.attributes.get('class') or ''}"):
            return True
        if around.tag in ("li", "dd", "details", "td"):
            return around.parent is not None and around.parent.css_first(_OPENS) is not None
        before = _element_before(around)
        if before is not None and (before.tag in _QUESTIONS or before.css_first(_OPENS) is not None):
            return True
        around = around.parent
    return False


def _names_in(part: LexborHTMLParser | LexborNode) -> Iterator[str]:
    """The ids of elements to which others there point, each as often as one does."""
    for node in part.css(_POINTING):
        for attribute in _POINTERS:
            for address in (node.attributes.get(attribute) or "").split():
                yield address.rpartition("#")[2]


def _element_before(node: LexborNode) -> LexborNode | None:
    before = node.prev
    while before is not None and not before.is_element_node:
        before = before.prev
    return before


def _has_own_text(node: LexborNode) -> bool:
    """Whether words stand in it directly: a box of size nought around others is a way to set them side by side."""
    return any(child.is_text_node and (child.text_content or "").strip() for child in node.iter(include_text=True))


_OPENED = re.compile(
    r"<(?:!--|\?|!\[CDATA\[|(script|style|textarea|template|select|iframe|noscript)(?![\w-]))",
    re.IGNORECASE | re.ASCII,
)
_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"\w+")


def unclosed(markup: str) -> tuple[ParseWarning, ...]:
    """A warning "markup_unclosed" with the opening (markup) and how many words follow it; none where none do."""
    at = 0
    while opened := _OPENED.search(markup, at):
        at = _closed(markup, opened)
        if at < 0:
            rest = markup[opened.start() if opened[1] else opened.end() :]
            lost = len(_WORD.findall(_TAG.sub(" ", rest)))
            return (ParseWarning("markup_unclosed", {"markup": opened[0], "words": lost}),) if lost else ()
    return ()


def _closed(markup: str, opened: re.Match[str]) -> int:
    """Where what was opened ends, or -1."""
    if not opened[1]:
        return markup.find("-->" if opened[0] == "<!--" else ">", opened.start() + 2)
    closing = re.compile(f"</{opened[1]}", re.IGNORECASE | re.ASCII).search(markup, opened.end())
    return closing.start() if closing else -1
