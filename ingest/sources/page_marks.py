"""What a web page says about itself and others: links, its canonical address, whether it may be indexed."""

from collections.abc import Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from ingest.parsers.encoding import decode
from rag_core.errors import Rejected

_MOST_BYTES = 4 * 1024 * 1024
"""Links further down are not seen."""
_NOT_PAGES = tuple(
    ".png .jpg .jpeg .gif .svg .webp .avif .ico .bmp .css .js .mjs .json .xml .rss .atom .woff .woff2 .ttf .mp3 .mp4 "
    ".webm .mov .avi .wav .zip .gz .tar .7z .exe .dmg .apk .csv .xls .xlsx .ppt .pptx".split()
)


@dataclass(frozen=True, slots=True)
class PageMarks:
    """`links` as written, `base`: what they are relative to. `canonical` as written."""

    links: tuple[str, ...] = ()
    base: str | None = None
    canonical: str | None = None
    is_indexable: bool = True


def page_marks(content: bytes, charset: str | None, headers: Mapping[str, str], agent: str) -> PageMarks:
    """The marks of an HTML page that came with these headers. `agent`: the name by which pages may address us."""
    page = LexborHTMLParser(_text(content[:_MOST_BYTES], charset))
    said = _robots_of(page, agent) | _words(headers.get("X-Robots-Tag", ""), agent)
    links = () if said & {"nofollow", "none"} else tuple(dict.fromkeys(_links(page)))
    base, canonical = page.css_first("base[href]"), page.css_first("link[rel=canonical]")
    return PageMarks(
        links,
        (base.attributes.get("href") or None) if base is not None else None,
        (canonical.attributes.get("href") or None) if canonical is not None else None,
        not said & {"noindex", "none"},
    )


def is_page_link(address: str) -> bool:
    """Whether something that could be a document stands behind the address, by its name."""
    return not address.split("?", 1)[0].lower().endswith(_NOT_PAGES)


def _text(content: bytes, charset: str | None) -> str:
    """As the parser will read it; of a page that it will refuse, what can be read for its links."""
    try:
        return decode(content, charset).text
    except Rejected:
        return content.decode("utf-8", "replace")


def _links(page: LexborHTMLParser) -> list[str]:
    return [
        href
        for node in page.css("a[href], area[href]")
        if (href := node.attributes.get("href")) and "nofollow" not in (node.attributes.get("rel") or "").lower()
    ]


def _robots_of(page: LexborHTMLParser, agent: str) -> set[str]:
    said: set[str] = set()
    for node in page.css("meta[name][content]"):
        if (node.attributes.get("name") or "").strip().lower() in ("robots", agent):
            said |= _words(node.attributes.get("content") or "", agent)
    return said


def _words(value: str, agent: str) -> set[str]:
    """The directives in "noindex, nofollow" or "agent: noindex, other: nofollow"; those to others are left out."""
    said: set[str] = set()
    is_ours = True
    for part in value.lower().split(","):
        name, colon, rest = part.partition(":")
        if colon and name.strip() not in ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"):
            is_ours, part = name.strip() == agent, rest
        if is_ours:
            said.add(part.strip())
    return said
