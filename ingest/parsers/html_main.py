"""Which part of a web page is the document: its main content, without navigation, banners and scripts."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

_NEVER_SHOWN = (
    "script, style, noscript, template, svg, iframe, object, canvas, video, audio, input, select, textarea, datalist, "
    "head, link, meta, del, s, strike"
)
"""Struck words are no longer part of a policy."""
_AROUND = "nav, aside, footer, [role=navigation], [role=search], [role=contentinfo], [role=complementary]"
_OVERLAYS = "dialog, [role=dialog], [role=alertdialog]"
_CONSENT = re.compile(
    r"\b(?:(?:cookie|consent|gdpr)s?[-_]?(?:banner|bar|notice|popup|modal|overlay|wall|prompt|message|box|consent|layer)"
    r"|onetrust|didomi|cookiebot|truste|usercentrics|breadcrumbs?|skip-?(?:link|to-?content))",
    re.IGNORECASE,
)
_LEAST_TEXT = 40
"""Characters below which a `main` element is taken for an empty shell."""


def main_content(page: LexborHTMLParser) -> LexborNode | None:
    """The element that holds the document; what is around it and never shown is removed from the page."""
    for node in page.css(f"{_NEVER_SHOWN}, {_OVERLAYS}"):
        if node.tag != "head":
            node.decompose()
    for node in page.css("[class], [id]"):
        _drop_consent(node)
    for node in page.css(_AROUND):
        node.decompose()
    main = _main(page)
    if main is not None and main.tag == "body":
        for node in main.css("header, [role=banner]"):
            node.decompose()
    return main


def _drop_consent(node: LexborNode) -> None:
    names = f"{node.attributes.get('id') or ''} {node.attributes.get('class') or ''}"
    if _CONSENT.search(names) and node.tag not in ("html", "body", "main", "article"):
        node.decompose()


def _main(page: LexborHTMLParser) -> LexborNode | None:
    for selector in ("main", "[role=main]"):
        for node in page.css(selector):
            if _has_text(node):
                return node
    articles = [node for node in page.css("article") if _has_text(node)]
    return articles[0] if len(articles) == 1 else page.body


def _has_text(node: LexborNode) -> bool:
    return len(node.text(strip=True)) >= _LEAST_TEXT
