"""Text of a page that no reader ever sees: it is no part of the policy, whoever put it there."""

import re
from collections import Counter
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ingest.parsers.parsed import ParseWarning

_STYLED = "[style], [hidden]"
_NO_BOX = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE)
_AWAY = re.compile(
    r"(?:^|;)\s*(?:text-indent\s*:\s*-\d{3,}|(?:left|top|right|bottom|margin-left|margin-top)\s*:\s*-\d{4,}px|transform\s*:\s*scale\(0\)"
    r"|font-size\s*:\s*[01](?:\.\d+)?(?:px|pt)\b|(?:max-)?(?:height|width)\s*:\s*0(?:px)?\s*;(?=.*overflow\s*:\s*hidden))",
    re.IGNORECASE | re.DOTALL,
)
"""Far off the page, or of no size."""
_RULE = re.compile(r"([^{}]{1,500})\{([^{}]{0,2000})\}")
_SIMPLE = re.compile(r"\s*(?:[a-z]\w*)?[.#][\w-]+\s*", re.IGNORECASE)
_MOST_RULES = 2_000
_NO_INK = re.compile(
    r"(?:^|;)\s*(?:font-size\s*:\s*0(?:\.0+)?(?:px|pt|r?em|%)?|opacity\s*:\s*0(?:\.0+)?|color\s*:\s*transparent)\s*"
    r"(?:!important\s*)?(?:;|$)",
    re.IGNORECASE,
)
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


def drop_unseen(page: LexborHTMLParser) -> None:
    """Remove what styles hide and nothing on the page can show; what may be an accordion's or a tab's stays."""
    named = Counter(_names_in(page))

    def remove(node: LexborNode) -> None:
        named.subtract(_names_in(node))
        node.decompose()

    for selector, has_no_box in _hidden_by_sheets(page):
        for node in page.css(selector):
            unseen = not _may_open(named, node) if has_no_box else _has_own_text(node)
            if unseen and node.tag not in ("html", "body", "main", "article"):
                remove(node)
    for node in page.css(_STYLED):
        if node.tag in ("html", "body") or node.parent is None:
            continue
        style = node.attributes.get("style") or ""
        has_no_box = "hidden" in node.attributes or _NO_BOX.search(style) is not None
        if (has_no_box and not _may_open(named, node)) or (
            (_NO_INK.search(style) or _AWAY.search(style)) and _has_own_text(node)
        ):
            remove(node)


def is_unseen_tag(markup: str) -> bool:
    """Whether an opening tag hides what it holds."""
    style = _STYLE.search(markup)
    said = (style[1] or style[2] or "") if style else ""
    hidden = _HIDDEN.search(_STYLE.sub("", markup)) is not None
    return hidden or any(each.search(said) is not None for each in (_NO_BOX, _NO_INK, _AWAY))


def _hidden_by_sheets(page: LexborHTMLParser) -> list[tuple[str, bool]]:
    """Classes and ids that the page's own style sheets hide, and whether without any place on the page."""
    sheets = "\n".join(node.text() for node in page.css("style"))
    rules = re.sub(r"/\*.*?\*/", " ", sheets[:200_000], flags=re.DOTALL)
    rules = re.sub(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", " ", rules)  # holds for some screens only
    return [
        (selector.strip(), _NO_BOX.search(rule[2]) is not None)
        for rule in list(_RULE.finditer(rules))[:_MOST_RULES]
        if _NO_BOX.search(rule[2]) or _NO_INK.search(rule[2])
        for selector in rule[1].split(",")
        if _SIMPLE.fullmatch(selector)
    ]


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
