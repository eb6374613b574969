import pytest

from ingest.sources.page_marks import is_page_link, page_marks


def test_links_as_written() -> None:
    found = page_marks(
        b"""<head><base href="/dir/"><link rel="canonical" href="/a"></head><a href="b">b</a><a href="b">b</a>
        <map><area href="c"></map><a rel="nofollow noopener" href="d">d</a><a name="e">e</a><a href="">f</a>""",
        None,
        {},
        "adpolicy",
    )

    assert found.links == ("b", "c")
    assert (found.base, found.canonical, found.is_indexable) == ("/dir/", "/a", True)


def test_a_page_in_another_charset_or_an_unknown_one() -> None:
    for charset in ("utf-16", "no-such-charset", None):
        content = '<a href="b">ü</a>'.encode(charset if charset == "utf-16" else "latin-1")
        assert page_marks(content, charset, {}, "adpolicy").links == ("b",)


@pytest.mark.parametrize(
    ("head", "headers", "indexable", "followed"),
    [
        ('<meta name="robots" content="noindex">', {}, False, True),
        ('<meta name="ROBOTS" content="NoIndex, NoFollow">', {}, False, False),
        ('<meta name="robots" content="none">', {}, False, False),
        ('<meta name="adpolicy" content="noindex">', {}, False, True),
        ('<meta name="otherbot" content="noindex">', {}, True, True),
        ('<meta name="robots" content="nofollow">', {}, True, False),
        ("", {"X-Robots-Tag": "noindex"}, False, True),
        ("", {"X-Robots-Tag": "otherbot: noindex, nofollow"}, True, True),
        ("", {"X-Robots-Tag": "otherbot: nofollow, adpolicy: noindex"}, False, True),
        ("", {"X-Robots-Tag": "max-snippet: 5, noindex"}, False, True),
        ("", {}, True, True),
    ],
)
def test_what_robots_may_do(head: str, headers: dict[str, str], indexable: bool, followed: bool) -> None:
    found = page_marks(f'<head>{head}</head><a href="b">b</a>'.encode(), None, headers, "adpolicy")

    assert (found.is_indexable, bool(found.links)) == (indexable, followed)


def test_links_to_what_is_no_document() -> None:
    assert is_page_link("https://acme.example/alcohol")
    assert is_page_link("https://acme.example/rules.pdf?x=logo.png")
    assert not is_page_link("https://acme.example/logo.PNG?v=2")
    assert not is_page_link("https://acme.example/feed.xml")
