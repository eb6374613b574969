"""Links: open at the quote, lead nowhere but to http(s), and cannot be broken out of."""

import re
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given, settings

from bot.model.links import Links
from rag_core.answers import Citation
from tests.fakes import hostile, replies

LINKS = Links("https://bot.example/")
PUBLIC = "https://ads.example/policies/alcohol"


def published(quote: str, **changes: Any) -> Citation:
    return replies.citation(url=PUBLIC, quote=quote, **changes)


def directive(url: str) -> list[str]:
    """The decoded parts of the text directive: start, or start and end."""
    fragment = urlsplit(url).fragment
    return [unquote(part) for part in fragment.split(":~:text=", 1)[1].split(",")]


def test_a_short_quote_is_looked_for_as_a_whole() -> None:
    url = LINKS.citation(published("Alcohol may be advertised."))
    assert url == f"{PUBLIC}#:~:text=Alcohol%20may%20be%20advertised"


def test_the_anchor_comes_before_the_directive() -> None:
    url = LINKS.citation(published("Alcohol may be advertised.", anchor="#uk-rules"))
    assert url == f"{PUBLIC}#uk-rules:~:text=Alcohol%20may%20be%20advertised"


@pytest.mark.parametrize(("char", "encoded"), [("-", "%2D"), (",", "%2C"), ("&", "%26"), ("%", "%25"), ("#", "%23")])
def test_what_has_a_meaning_in_a_directive_is_encoded(char: str, encoded: str) -> None:
    url = LINKS.citation(published(f"a{char}b"))
    assert url.endswith(f":~:text=a{encoded}b")


def test_a_long_quote_is_looked_for_by_its_ends() -> None:
    words = [f"word{number}" for number in range(40)]
    start, end = directive(LINKS.citation(published(" ".join(words))))
    assert start == " ".join(words[:8])
    assert end == " ".join(words[-8:])


def test_the_ends_of_one_block_never_overlap() -> None:
    words = [f"elevenchar{number}" for number in range(9)]
    start, end = directive(LINKS.citation(published(" ".join(words))))
    assert not set(start.split()) & set(end.split())


@pytest.mark.parametrize("quote", ["広" * 60, " ".join(["広" * 11] * 12)])
def test_letters_that_take_more_when_encoded_are_fewer(quote: str) -> None:
    url = LINKS.citation(published(quote))
    assert all(len(end) <= 400 for end in url.split(":~:text=")[1].split(","))


def test_each_end_stands_within_one_block() -> None:
    quote = "The following is not allowed:\n- Adverts that appeal to children\n  - in games\n2. Free drinks"
    assert directive(LINKS.citation(published(quote))) == ["The following is not allowed", "Free drinks"]


def test_table_cells_are_blocks_of_their_own() -> None:
    assert directive(LINKS.citation(published("| Germany | Allowed | From 18 |"))) == ["Germany", "From 18"]


def test_a_script_without_spaces_stays_short() -> None:
    start, end = directive(LINKS.citation(published("広" * 150)))
    assert start == end == "広" * 16


def test_without_a_quote_the_anchor_alone() -> None:
    assert LINKS.citation(published(" \n", anchor="uk")) == f"{PUBLIC}#uk"


def test_an_anchor_cannot_hide_a_directive() -> None:
    url = LINKS.citation(published("rule", anchor="x:~:text=evil"))
    assert url.count(":~:") == 1
    assert url.endswith(":~:text=rule")


def test_a_directive_in_the_documents_own_address_is_dropped() -> None:
    url = LINKS.citation(replies.citation(url=f"{PUBLIC}#top:~:text=evil", quote="rule"))
    assert url == f"{PUBLIC}#top:~:text=rule"


def test_a_pdf_opens_at_the_page() -> None:
    url = LINKS.citation(replies.citation(url="https://ads.example/policy.PDF", page=7, quote="rule"))
    assert url == "https://ads.example/policy.PDF#page=7:~:text=rule"


def test_a_document_without_address_opens_on_our_source_page() -> None:
    citation = replies.citation(doc_id="a b/c", chunk_id="c1", char_start=5, char_end=9, quote="rule")
    assert LINKS.citation(citation) == ("https://bot.example/sources/a%20b%2Fc?chunk=c1&from=5&to=9#:~:text=rule")


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        "data:text/html,hi",
        "file:///etc/passwd",
        "//evil.example/x",
        "ftp://ads.example/x",
        "https://ads.example@evil.example/",
        "https://ads.example\\.evil.example/",
        "https:// evil.example/",
        "https://evil.example/\nx",
        "https:///x",
        "https://[::1",
        "https://ads.example:port/",
        "https://" + "a" * 70 + ".example/",
        "https://ads.example/" + "x" * 2000,
        "",
    ],
)
def test_any_other_address_leads_to_the_source_page(url: str) -> None:
    assert LINKS.citation(replies.citation(url=url)).startswith("https://bot.example/sources/")
    assert LINKS.nearest(replies.nearest(url=url)).startswith("https://bot.example/sources/")


def test_a_host_in_another_script_is_shown_in_ascii() -> None:
    assert LINKS.nearest(replies.nearest(url="https://bücher.example/ä?ö=1", anchor=None)) == (
        "https://xn--bcher-kva.example/%C3%A4?%C3%B6=1"
    )


def test_what_is_encoded_already_stays() -> None:
    url = "https://ads.example:8443/a%20b?x=%26&y=1"
    assert LINKS.nearest(replies.nearest(url=url, anchor="lotteries")) == f"{url}#lotteries"
    assert (
        LINKS.nearest(replies.nearest(url="https://ads.example/a b\\c", anchor=None)) == "https://ads.example/a%20b%5Cc"
    )


def test_nearest_without_address() -> None:
    near = replies.nearest(url=None, doc_id="d1", chunk_id="c1")
    assert LINKS.nearest(near) == "https://bot.example/sources/d1?chunk=c1"


@settings(deadline=None)
@given(hostile.citations(1))
def test_every_link_is_http_and_cannot_be_broken_out_of(citation: Citation) -> None:
    url = LINKS.citation(citation)
    assert re.fullmatch(r"https?://[a-z0-9.-]+(:\d+)?/[!-~]*", url)
    assert not set(url) & set(" <>|()[]{}\"'`\\^")
    assert len(url) <= 1400
