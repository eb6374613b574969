import pytest

from ingest.sources.web_addresses import WebScope, page_name, plain_address
from rag_core.errors import Misconfigured


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTPS://Acme.Example", "https://acme.example/"),
        ("https://acme.example:443/a#part", "https://acme.example/a"),
        ("http://acme.example:80/a", "http://acme.example/a"),
        ("http://acme.example:8080/a", "http://acme.example:8080/a"),
        ("https://acme.example./a/../b/./c", "https://acme.example/b/c"),
        ("https://acme.example/a?utm_source=x&utm_Campaign=y&gclid=1&fbclid=2&_ga=3", "https://acme.example/a"),
        ("https://acme.example/a?id=7&utm_source=x&hl=en", "https://acme.example/a?id=7&hl=en"),
        ("https://acme.example/a%2Fb?q=%26", "https://acme.example/a%2Fb?q=%26"),
        ("b", "https://base.example/dir/b"),
        ("?page=2", "https://base.example/dir/page?page=2"),
        ("//other.example/x", "https://other.example/x"),
        (" /spaced \n", "https://base.example/spaced"),
        ("mailto:ads@acme.example", None),
        ("javascript:void(0)", None),
        ("https://me@acme.example/", None),
        ("https://acme.example:99999/", None),
        ("https://[::1/", None),
    ],
)
def test_one_spelling(url: str, expected: str | None) -> None:
    assert plain_address(url, "https://base.example/dir/page") == expected
    if expected is not None:
        assert plain_address(expected) == expected


def test_a_page_has_a_file_name() -> None:
    assert page_name("https://acme.example/policies/alcohol.html?x=1") == "alcohol.html"
    assert page_name("https://acme.example/policies/") == "policies"
    assert page_name("https://acme.example/") == "acme.example"


def test_path_prefixes_hold_on_the_start_pages_hosts() -> None:
    scope = WebScope(["https://acme.example/start"], ["/policies/", "/help/article-"])

    assert scope.holds("https://acme.example/policies/alcohol")
    assert scope.holds("https://acme.example/help/article-7")
    assert not scope.holds("https://acme.example/start")
    assert not scope.holds("https://acme.example/news/policies/")
    assert not scope.holds("https://other.example/policies/alcohol")
    assert not scope.holds("https://acme.example:8443/policies/alcohol")
    assert not scope.holds("https://acme.example.evil.example/policies/")


def test_whole_addresses_name_another_host() -> None:
    scope = WebScope(["https://acme.example/"], ["https://help.acme.example/ads/"])

    assert scope.holds("https://help.acme.example/ads/a")
    assert not scope.holds("https://help.acme.example/other")
    assert not scope.holds("https://acme.example/ads/a")
    assert not scope.holds("https://help.acme.example.evil.example/ads/a")


def test_regular_expressions_see_path_and_query() -> None:
    scope = WebScope(["https://acme.example/"], [r"^/answer/\d+\?hl=en$"])

    assert scope.holds("https://acme.example/answer/12?hl=en")
    assert not scope.holds("https://acme.example/answer/12?hl=de")
    assert not scope.holds("https://other.example/answer/12?hl=en")


def test_without_paths_it_is_the_start_pages_folder() -> None:
    scope = WebScope(["https://acme.example/policies/index.html"])

    assert scope.holds("https://acme.example/policies/index.html")
    assert scope.holds("https://acme.example/policies/sub/a")
    assert not scope.holds("https://acme.example/pricing")


def test_http_links_to_an_https_site_are_the_same_pages() -> None:
    scope = WebScope(["https://acme.example/"], ["/"])

    assert scope.address("http://acme.example/a") == "https://acme.example/a"
    assert scope.address("http://other.example/a") == "http://other.example/a"
    assert not scope.holds("http://acme.example/a")


@pytest.mark.parametrize(
    ("starts", "allowed", "code"),
    [
        ([], [], "start_url_invalid"),
        (["acme"], [], "start_url_invalid"),
        (["ftp://acme.example"], [], "start_url_invalid"),
        (["https://acme.example/"], ["^(unclosed"], "allowed_path_invalid"),
        (["https://acme.example/"], ["policies"], "allowed_path_invalid"),
    ],
)
def test_settings_that_do_not_work(starts: list[str], allowed: list[str], code: str) -> None:
    with pytest.raises(Misconfigured, match=code):
        WebScope(starts, allowed)
