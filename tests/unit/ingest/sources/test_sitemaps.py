import gzip

import pytest

from ingest.sources import sitemaps
from ingest.sources.sitemaps import read_sitemap
from rag_core.errors import Rejected

URL = "https://acme.example/sitemap.xml"
PAGES = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url><loc> https://acme.example/a?x=1&amp;y=2 </loc><lastmod>2026-05-04</lastmod>
    <image:image><image:loc>https://acme.example/a.png</image:loc></image:image></url>
  <url><loc><![CDATA[https://acme.example/b]]></loc></url>
  <url><lastmod>2026-01-01</lastmod></url>
</urlset>"""
INDEX = b"""<sitemapindex><sitemap><loc>https://acme.example/1.xml</loc><lastmod>2026-05-04</lastmod></sitemap>
<sitemap><loc>https://acme.example/2.xml.gz</loc></sitemap></sitemapindex>"""


def test_pages_with_their_days() -> None:
    found = read_sitemap(PAGES, URL)

    assert found.pages == {"https://acme.example/a?x=1&y=2": "2026-05-04", "https://acme.example/b": ""}
    assert found.sitemaps == []


def test_an_index_of_sitemaps() -> None:
    found = read_sitemap(b"\xef\xbb\xbf" + INDEX, URL)

    assert found.sitemaps == ["https://acme.example/1.xml", "https://acme.example/2.xml.gz"]
    assert found.pages == {}


def test_gzip_and_plain_text() -> None:
    assert read_sitemap(gzip.compress(PAGES), URL) == read_sitemap(PAGES, URL)
    assert read_sitemap(b"https://acme.example/a\r\nhttps://acme.example/b\nnonsense\n", URL).pages == {
        "https://acme.example/a": "",
        "https://acme.example/b": "",
    }


BOMB = b"""<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>
<urlset><url><loc>&b;</loc></url></urlset>"""


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"<html><body>Not found</body></html>", "no sitemap"),
        (b"<urlset><url><loc>https://acme.example/a</loc>", "no element found"),
        (b"<urlset><url></urlset>", "mismatched tag"),
        (BOMB, "declares entities"),
        (gzip.compress(PAGES)[:-20], "ends too early"),
        (b"\x1f\x8bnonsense", "Error"),
    ],
)
def test_what_is_no_sitemap(content: bytes, problem: str) -> None:
    with pytest.raises(Rejected, match="sitemap_unreadable") as raised:
        read_sitemap(content, URL)

    assert problem in str(raised.value.details["problem"])


def test_a_gzip_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemaps, "MOST_BYTES", 10_000)

    with pytest.raises(Rejected, match="page_too_large"):
        read_sitemap(gzip.compress(b" " * 10_001), URL)
