"""Which part of a web page is the document: its main content, without navigation, banners and scripts."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ingest.parsers.html.hidden import drop_unseen

_NEVER_SHOWN = (
    "script, style, noscript, template, svg, iframe, object, canvas, video, audio, input, select, textarea, datalist, "
    "head, link, meta, del, s, strike"
)
"""Struck words are no longer part of a policy."""
_NAVIGATION = "nav, [role=navigation], [role=search]"
_BESIDE = "aside, footer, [role=contentinfo], [role=complementary]"
_CONTENT = frozenset({"main", "article"})
_NOTES = re.compile(
    r"note|callout|alert|warning|caution|important|admonition|attention|notice|exception|disclaim|legal", re.IGNORECASE
)
_FOOTNOTES = re.compile(r"foot-?notes?(?![a-z])", re.IGNORECASE)
_OTHERS = re.compile(
    r"relat|recirc|shar(?:e|ing)|social|promo|newsletter|subscrib|sidebar|side-?nav|toc|menu|feedback|comment|author",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?*:]")
_MOST_LINKED = 0.4
"""The part of the text beside the content that stands in links: with more it leads elsewhere."""
_OVERLAYS = "dialog, [role=dialog], [role=alertdialog]"
_CONSENT = re.compile(
    r"\b(?:(?:cookie|consent|gdpr)s?[-_]?(?:banner|bar|notice|popup|modal|overlay|wall|prompt|message|box|consent|layer)"
    r"|onetrust|didomi|cookiebot|truste(?![a-z])|usercentrics|breadcrumbs?|skip-?(?:link|to-?content))",
    re.IGNORECASE,
)
_LEAST_TEXT = 40
"""Characters below which a `main` element is taken for an empty shell."""


def main_content(page: LexborHTMLParser) -> LexborNode | None:
    """The element that holds the document; what is around it and never shown is removed from the page."""
    drop_unseen(page)
    for node in page.css(f"{_NEVER_SHOWN}, {_OVERLAYS}"):
        if node.tag != "head":
            node.decompose()
    total = len(page.body.text()) if page.body is not None else 0
    for node in page.css("[class], [id]"):
        if _is_consent(node) and 2 * len(node.text()) < max(total, _LEAST_TEXT):
            node.decompose()
    for node in page.css(_NAVIGATION):
        node.decompose()
    for node in page.css(_BESIDE):
        if not _is_note(node):
            node.decompose()
    main = _main(page)
    if main is not None and main.tag == "body":
        _drop_headers(main)
    return main


def _drop_headers(body: LexborNode) -> None:
    """Of what stands above the content only the title is kept, where the content has none."""
    for node in body.css("header, [role=banner]"):
        title = node.css_first("h1")
        if title is not None and len(body.css("h1")) == 1:
            node.insert_before(title)
        node.decompose()


def _is_consent(node: LexborNode) -> bool:
    return node.tag not in ("html", "body", "main", "article") and _CONSENT.search(_names(node)) is not None


def _is_note(node: LexborNode) -> bool:
    """Whether something beside the content belongs to it: a note, an exception, what a star stands for."""
    names = _names(node)
    if _NOTES.search(names):
        return _in_content(node) or _FOOTNOTES.search(names) is not None
    if node.tag == "footer" or _OTHERS.search(names) or not _in_content(node):
        return False
    text = node.text(strip=True)
    linked = sum(len(link.text(strip=True)) for link in node.css("a"))
    return _SENTENCE.search(text) is not None and linked < _MOST_LINKED * len(text)


def _in_content(node: LexborNode) -> bool:
    around = node.parent
    while around is not None:
        if around.tag in _CONTENT or around.attributes.get("role") == "main":
            return True
        around = around.parent
    return False


def _names(node: LexborNode) -> str:
    return f"{node.attributes.get('id') or ''} {node.attributes.get('class') or ''}"


def _main(page: LexborHTMLParser) -> LexborNode | None:
    for selector in ("main", "[role=main]"):
        for node in page.css(selector):
            if _has_text(node):
                return node
    articles = [node for node in page.css("article") if _has_text(node)]
    return articles[0] if len(articles) == 1 else page.body


def _has_text(node: LexborNode) -> bool:
    return len(node.text(strip=True)) >= _LEAST_TEXT
